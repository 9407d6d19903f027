//! The deadline of a controller, and of the guard before it.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::task::Poll;
use std::time::{Duration, Instant};

use restwright_core::http::HttpRequest;
use restwright_core::problem::{Problem, Result, catalogue};
use restwright_core::runtime::log;

/// Runs `future` for at most `deadline`. A future that is ready at once costs no timer.
///
/// It borrows the future, since taking it would keep its state twice in the caller's, and is of no generic type, so that it is compiled
/// once and not for each controller.
pub(crate) async fn within(deadline: Duration, mut future: Pin<&mut dyn Future<Output = ()>>) -> Result<()> {
    if poll_fn(|context| Poll::Ready(future.as_mut().poll(context))).await.is_ready() {
        return Ok(());
    }
    tokio::time::timeout(deadline, future).await.map_err(|_elapsed| {
        Problem::new(catalogue::DEADLINE_EXCEEDED)
            .detail(format!("The response took longer than {} ms.", deadline.as_millis()))
            .detail_key("deadline_exceeded.handler")
            .detail_param("milliseconds", u64::try_from(deadline.as_millis()).unwrap_or(u64::MAX))
            .retry_after(1)
    })
}

/// Runs a handler, and warns if it holds its worker for longer than `deadline` without waiting: no other request of that worker
/// proceeds meanwhile, and the deadline cannot interrupt it.
pub(crate) fn warn_if_held(
    deadline: Duration,
    request: &HttpRequest,
    mut handler: Pin<&mut dyn Future<Output = ()>>,
) -> impl Future<Output = ()> {
    poll_fn(move |context| {
        let started = Instant::now();
        let outcome = handler.as_mut().poll(context);
        let held = started.elapsed();
        if held > deadline {
            log(|| {
                tracing::warn!(
                    method = request.method().as_str(),
                    route = request.route().map(|route| route.template().as_str()),
                    held_ms = u64::try_from(held.as_millis()).unwrap_or(u64::MAX),
                    deadline_ms = u64::try_from(deadline.as_millis()).unwrap_or(u64::MAX),
                    "a handler held its worker past the deadline; run blocking work with `tokio::task::spawn_blocking`"
                )
            });
        }
        outcome
    })
}
