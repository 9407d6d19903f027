//! Converts panics to 500 problems, so the worker thread survives.

use std::any::Any;
use std::fmt;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};

use crate::future::LocalBoxFuture;
use crate::log::log;
use crate::problem::{Problem, Result};

/// A future that converts panics to a 500 problem. It catches panics when the future is created, polled or dropped.
pub struct CatchPanic<'a, T>(Option<LocalBoxFuture<'a, Result<T>>>);

impl<'a, T> CatchPanic<'a, T> {
    /// Creates the future by calling the function `make`, and catches a panic in `make`.
    ///
    /// # Errors
    /// 500 if `make` panics.
    pub fn new(make: impl FnOnce() -> LocalBoxFuture<'a, Result<T>>) -> Result<Self> {
        catch_unwind(AssertUnwindSafe(make)).map(|future| Self(Some(future))).map_err(|payload| panicked(&*payload))
    }

    fn dispose(&mut self) -> Result<()> {
        let Some(future) = self.0.take() else { return Ok(()) };
        catch_unwind(AssertUnwindSafe(|| drop(future))).map_err(|payload| panicked(&*payload))
    }
}

impl<T> Future for CatchPanic<'_, T> {
    type Output = Result<T>;

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
impl<T> Drop for CatchPanic<'_, T> {
    fn drop(&mut self) {
        if let Err(problem) = self.dispose() {
            log(|| tracing::error!(cause = ?problem, "request dropped"));
        }
    }
}

impl<T> fmt::Debug for CatchPanic<'_, T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("CatchPanic")
    }
}

static PANICS: AtomicU64 = AtomicU64::new(0);

/// Returns the number of panics in handlers and middlewares of this process.
#[must_use]
pub fn panics() -> u64 {
    PANICS.load(Ordering::Relaxed)
}

/// Creates the 500 problem for a panic. The message of the panic is only logged.
fn panicked(payload: &(dyn Any + Send)) -> Problem {
    PANICS.fetch_add(1, Ordering::Relaxed);
    Problem::internal(format!("panic: {}", panic_message(payload)))
}

/// Returns the message of a panic.
#[must_use]
pub fn panic_message(payload: &(dyn Any + Send)) -> &str {
    let message = payload.downcast_ref::<&str>().copied();
    message.or_else(|| payload.downcast_ref::<String>().map(String::as_str)).unwrap_or_default()
}
