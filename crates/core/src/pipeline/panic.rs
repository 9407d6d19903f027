//! A panic in a controller is an answer, and the worker lives.

use std::future::{Future, poll_fn};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::task::Poll;

use crate::problem::Problem;

/// Runs `future`; a panic becomes a 500 whose message is in the log.
pub(super) async fn catching<T>(future: impl Future<Output = T>) -> Result<T, Problem> {
    let mut future = pin!(future);
    poll_fn(|context| match catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(context))) {
        Ok(Poll::Pending) => Poll::Pending,
        Ok(Poll::Ready(output)) => Poll::Ready(Ok(output)),
        Err(payload) => {
            let message = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
            let message = message.or_else(|| payload.downcast_ref::<String>().cloned());
            Poll::Ready(Err(Problem::internal(format!("panic: {}", message.unwrap_or_default()))))
        }
    })
    .await
}
