//! Defines [`LongLived`], which limits long-lived responses, such as event streams and WebSockets.

use std::cell::Cell;
use std::fmt;
use std::future::{Future, pending, poll_fn};
use std::pin::pin;
use std::rc::Rc;
use std::task::Poll;
use std::time::Duration;

use tokio::time::sleep;

use super::{EndReason, HttpRequest, HttpResponse};
use crate::clock::Clock;
use crate::future::LocalBoxFuture;
use crate::problem::{Problem, Result, catalogue};

/// Limits the number and the age of the long-lived responses of a worker. A long-lived response is a stream that ends when
/// the server stops, such as an event stream, or a connection that continues with another protocol, such as a WebSocket.
pub struct LongLived {
    clock: Clock,
    max_age: Option<Duration>,
    limit: Cell<usize>,
    open: Cell<usize>,
}

/// The number of seconds after which a client should try again.
const RETRY_AFTER: u64 = 5;

impl LongLived {
    /// Creates the limits. The number of responses is unlimited until the host limits it.
    #[must_use]
    pub fn new(clock: Clock, max_age: Option<Duration>) -> Rc<Self> {
        Rc::new(Self { clock, max_age, limit: Cell::new(usize::MAX), open: Cell::default() })
    }

    /// Sets the maximum number of open long-lived responses.
    pub fn set_limit(&self, limit: usize) {
        self.limit.set(limit);
    }

    /// Counts a long-lived response while it is open, and ends the response in time.
    ///
    /// # Errors
    /// 503 if the maximum number is reached.
    pub fn admit(self: &Rc<Self>, mut response: HttpResponse, request: &HttpRequest) -> Result<HttpResponse> {
        if self.open.get() >= self.limit.get() {
            return Err(Problem::new(catalogue::OVERLOADED)
                .detail("The server is at its maximum number of open streams.")
                .detail_key("overloaded.streams")
                .retry_after(RETRY_AFTER));
        }
        self.open.set(self.open.get() + 1);
        let mut payload = response.take_payload().hold(OpenResponse(self.clone()));
        if let Some(end) = self.end(request) {
            payload = payload.end_after(end);
        }
        response.set_payload(payload);
        Ok(response)
    }

    /// Returns a future that is ready when the response must end. Returns `None` if the response may stay open.
    fn end(&self, request: &HttpRequest) -> Option<LocalBoxFuture<'static, EndReason>> {
        let expires = request.identity().expires_at();
        if expires.is_none() && self.max_age.is_none() {
            return None;
        }
        let clock = self.clock.clone();
        let left = expires.map(|expires| {
            let seconds = u64::try_from(expires.saturating_sub(clock.unix_seconds())).unwrap_or_default();
            clock.elapsed().saturating_add(Duration::from_secs(seconds))
        });
        let max_age = self.max_age;
        Some(Box::pin(async move {
            let mut expiry = pin!(async {
                match left {
                    Some(left) => clock.sleep_until(left).await,
                    None => pending().await,
                }
            });
            let mut age = pin!(async {
                match max_age {
                    Some(age) => sleep(age).await,
                    None => pending().await,
                }
            });
            poll_fn(|context| match expiry.as_mut().poll(context) {
                Poll::Ready(()) => Poll::Ready(EndReason::CredentialsExpired),
                Poll::Pending => age.as_mut().poll(context).map(|()| EndReason::MaximumAge),
            })
            .await
        }))
    }
}

impl fmt::Debug for LongLived {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { limit, open, .. } = self;
        formatter
            .debug_struct("LongLived")
            .field("limit", &limit.get())
            .field("open", &open.get())
            .finish_non_exhaustive()
    }
}

/// Counts an open long-lived response until this value is dropped.
struct OpenResponse(Rc<LongLived>);

impl Drop for OpenResponse {
    fn drop(&mut self) {
        self.0.open.set(self.0.open.get().saturating_sub(1));
    }
}
