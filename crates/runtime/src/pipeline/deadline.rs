//! Enforces the time limits of controllers, and of authentication and authorisation.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::task::Poll;
use std::time::{Duration, Instant};

use restwright_core::http::HttpRequest;
use restwright_core::problem::catalogue;
use restwright_core::runtime::log;
use restwright_core::{Problem, Result};

/// Runs a future, and fails if it takes longer than `deadline`. No timer is created if the future is ready on its first
/// poll.
///
/// The future is borrowed, because moving it would store its state twice in the caller's future. It is a trait object, so this
/// function is compiled once and not for each controller.
pub(crate) async fn within(deadline: Duration, mut future: Pin<&mut dyn Future<Output = ()>>) -> Result<()> {
    if poll_fn(|context| Poll::Ready(future.as_mut().poll(context))).await.is_ready() {
        return Ok(());
    }
    // The future has been polled already, so the timer polls it only in the next turn. The timer is boxed, so calls that
    // are ready on the first poll stay small.
    let mut is_next = false;
    let rest =
        poll_fn(
            |context| {
                if std::mem::replace(&mut is_next, true) { future.as_mut().poll(context) } else { Poll::Pending }
            },
        );
    Box::pin(tokio::time::timeout(deadline, rest)).await.map_err(|_elapsed| {
        Problem::new(catalogue::DEADLINE_EXCEEDED)
            .detail(format!("The response took longer than {} ms.", deadline.as_millis()))
            .detail_key("deadline_exceeded.handler")
            .detail_param("milliseconds", u64::try_from(deadline.as_millis()).unwrap_or(u64::MAX))
            .retry_after(1)
    })
}

/// Runs a handler, and logs a warning if the handler blocks its worker for longer than `deadline` without awaiting.
/// During that time no other request of the worker proceeds, and the deadline cannot interrupt the handler.
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
                    "a handler blocked its worker past the deadline; run blocking work with `tokio::task::spawn_blocking`"
                )
            });
        }
        outcome
    })
}

#[cfg(test)]
mod tests {
    use std::pin::pin;
    use std::task::{Context, Waker};

    use super::*;

    #[test]
    fn polls_a_waiting_future_once_per_turn() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        let _entered = runtime.enter();
        let mut polls = 0;
        let future = pin!(poll_fn(|_| {
            polls += 1;
            if polls < 3 { Poll::Pending } else { Poll::Ready(()) }
        }));
        let mut limited = pin!(within(Duration::from_secs(9), future));
        let mut context = Context::from_waker(Waker::noop());
        let turns: Vec<_> = (0..3).map(|_| limited.as_mut().poll(&mut context).is_ready()).collect();
        assert_eq!(turns, [false, false, true]);
    }
}
