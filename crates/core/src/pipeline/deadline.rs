//! The deadline of a controller, and of the guard before it.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::task::Poll;
use std::time::Duration;

use crate::problem::{Problem, Result, catalogue};

/// Runs `future` for at most `deadline`. A future that is ready at once costs no timer.
///
/// It borrows the future, since taking it would keep its state twice in the caller's.
pub(crate) async fn within<T>(deadline: Duration, mut future: Pin<&mut impl Future<Output = T>>) -> Result<T> {
    if let Poll::Ready(output) = poll_fn(|context| Poll::Ready(future.as_mut().poll(context))).await {
        return Ok(output);
    }
    tokio::time::timeout(deadline, future).await.map_err(|_elapsed| {
        Problem::new(catalogue::DEADLINE_EXCEEDED)
            .detail(format!("The answer took longer than {} ms.", deadline.as_millis()))
            .retry_after(1)
    })
}
