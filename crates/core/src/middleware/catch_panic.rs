//! Converts panics to 500 responses, so the worker thread survives.

use std::any::Any;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::{Context, Poll};

use crate::future::LocalBoxFuture;
use crate::http::HttpResponse;
use crate::log::log;
use crate::problem::{Problem, Result};

/// A future that converts panics to a 500 response. It catches panics when the future is created, polled or dropped.
pub(super) struct CatchPanic<'a>(Option<LocalBoxFuture<'a, Result<HttpResponse>>>);

impl<'a> CatchPanic<'a> {
    /// Creates the future by calling the function `make`, and catches a panic in `make`.
    pub(super) fn new(make: impl FnOnce() -> LocalBoxFuture<'a, Result<HttpResponse>>) -> Result<Self> {
        catch_unwind(AssertUnwindSafe(make)).map(|future| Self(Some(future))).map_err(|payload| panicked(&*payload))
    }

    fn dispose(&mut self) -> Result<()> {
        let Some(future) = self.0.take() else { return Ok(()) };
        catch_unwind(AssertUnwindSafe(|| drop(future))).map_err(|payload| panicked(&*payload))
    }
}

impl Future for CatchPanic<'_> {
    type Output = Result<HttpResponse>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let polled = catch_unwind(AssertUnwindSafe(|| match &mut self.0 {
            Some(future) => future.as_mut().poll(context),
            None => Poll::Pending,
        }));
        let output = match polled {
            Ok(Poll::Pending) => return Poll::Pending,
            Ok(Poll::Ready(output)) => output,
            Err(payload) => Err(panicked(&*payload)),
        };
        Poll::Ready(match self.dispose() {
            Ok(()) => output,
            // If both fail, the first failure is the cause.
            Err(second) => Err(output.err().unwrap_or(second)),
        })
    }
}

/// Drops the future, and logs a panic if dropping the future panics. The future may not have completed, for example
/// because the connection was closed.
impl Drop for CatchPanic<'_> {
    fn drop(&mut self) {
        if let Err(problem) = self.dispose() {
            log(|| tracing::error!(cause = ?problem, "request dropped"));
        }
    }
}

/// Creates the 500 problem for a panic. The message of the panic is only logged.
fn panicked(payload: &(dyn Any + Send)) -> Problem {
    let message = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let message = message.or_else(|| payload.downcast_ref::<String>().cloned());
    Problem::internal(format!("panic: {}", message.unwrap_or_default()))
}
