//! A panic in a controller is an answer, and the worker lives.

use std::future::{Future, poll_fn};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::Poll;

use crate::problem::Problem;

/// Runs `future`; a panic becomes a 500 whose message is in the log.
///
/// It borrows the future, since taking it would keep its state twice in the caller's.
pub(super) fn catching<T>(mut future: Pin<&mut impl Future<Output = T>>) -> impl Future<Output = Result<T, Problem>> {
    poll_fn(move |context| match catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(context))) {
        Ok(Poll::Pending) => Poll::Pending,
        Ok(Poll::Ready(output)) => Poll::Ready(Ok(output)),
        Err(payload) => {
            let message = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
            let message = message.or_else(|| payload.downcast_ref::<String>().cloned());
            Poll::Ready(Err(Problem::internal(format!("panic: {}", message.unwrap_or_default()))))
        }
    })
}
