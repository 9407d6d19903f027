//! One request and its response.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::rc::Rc;
use std::task::Poll;
use std::time::Duration;

use actix_http::Payload;
use futures_core::Stream;
use http::{Method, StatusCode};
use restwright_runtime::core::http::{BodyStream, HostRequest, HttpRequest, HttpResponse};
use tokio::time::timeout;

use crate::body::BodyReader;
use crate::connection_state::{ConnectionState, Unread};
use crate::message_framing::Framing;

/// A request that is being handled. While this value lives, client timeouts are paused, and no later request is decoded.
pub(crate) struct Exchange {
    state: Rc<ConnectionState>,
    abandons: bool,
}

impl Exchange {
    /// Begins the exchange of the request that arrived; `None` if there is none with this framing.
    pub(crate) fn begin(state: Rc<ConnectionState>, framing: Framing) -> Option<Self> {
        state.begin(framing).then_some(Self { state, abandons: false })
    }

    /// Notes that the request is not read to its end, and the connection closes after the response.
    pub(crate) fn abandon(&mut self) {
        self.abandons = true;
    }

    /// Returns the request for the pipeline, and a payload that does not belong to it.
    pub(crate) fn receive(
        &self,
        method: Method,
        head: impl HostRequest + 'static,
        payload: Payload,
        framing: Framing,
    ) -> (HttpRequest, Option<Payload>) {
        let length = match framing {
            Framing::Length(length) => Some(length),
            Framing::Chunked => None,
            Framing::Absent => {
                let stray = Some(payload).filter(|payload| !matches!(payload, Payload::None));
                return (HttpRequest::new(method, head, BodyStream::empty()), stray);
            }
        };
        let mut body = BodyStream::new(BodyReader::new(payload, length, self.state.clone()));
        if length.is_none() {
            let state = self.state.clone();
            body = body.announced(move || state.announced());
        }
        (HttpRequest::new(method, head, body), None)
    }

    /// Waits until actix-http has read what came with the head, if that is the whole body.
    ///
    /// It polls a request for the first time when it has read the head, and again, whether or not it is woken, when it has read what
    /// came with it. Who reads the body before that waits, and is woken, for nothing.
    pub(crate) async fn body_read(&self) {
        let mut is_read = !self.state.has_whole_body();
        poll_fn(|_| if std::mem::replace(&mut is_read, true) { Poll::Ready(()) } else { Poll::Pending }).await;
    }

    /// Takes the body of a request if it was not read to its end.
    pub(crate) fn take_unread(&self, request: &mut HttpRequest) -> Option<Unread> {
        drop(request.body_mut().take());
        self.state.take_unread()
    }

    /// Reads and drops the rest of a body that the application did not read, if it is small. Returns what remains unread; the
    /// connection then closes.
    // Boxed, since it is rare and its state would enlarge that of every request.
    pub(crate) fn discard(&self, unread: Unread, status: StatusCode) -> Pin<Box<dyn Future<Output = Option<Payload>>>> {
        let is_hopeless = self.state.holds_body()
            || self.state.body_failed()
            || status == StatusCode::PAYLOAD_TOO_LARGE
            || unread.begun
            || unread.left.is_some_and(|left| left > DISCARDED_BYTES);
        Box::pin(async move { if is_hopeless { Some(unread.payload) } else { discard(unread.payload).await } })
    }

    /// Ends the exchange and returns the connection state.
    #[cfg(feature = "actix-web")]
    pub(crate) fn finish(self) -> Rc<ConnectionState> {
        self.state.clone()
    }

    /// Returns whether the connection closes after the response.
    pub(crate) fn closes(&self) -> bool {
        self.state.is_closing()
    }
}

impl Drop for Exchange {
    fn drop(&mut self) {
        self.state.end(self.abandons);
    }
}

/// A response of the pipeline, with what decides how it is sent.
pub(crate) struct PipelineResponse {
    pub(crate) response: HttpResponse,
    /// True for a `HEAD` request.
    pub(crate) head_only: bool,
    /// A request body that was not read. It must be kept until the response is sent: actix-http reads on without bound if it is
    /// dropped, and closes the connection if it is not.
    pub(crate) unread: Option<Payload>,
    /// True if the connection closes after the response.
    pub(crate) closes: bool,
}

/// How much of an unread body is dropped so that its connection can be kept, and for how long.
const DISCARDED_BYTES: u64 = 64 * 1024;
const DISCARDED_TIME: Duration = Duration::from_millis(250);

async fn discard(mut payload: Payload) -> Option<Payload> {
    let mut read = 0;
    let reading = async {
        while let Some(Ok(bytes)) = poll_fn(|context| Pin::new(&mut payload).poll_next(context)).await {
            read += u64::try_from(bytes.len()).unwrap_or(u64::MAX);
            if read > DISCARDED_BYTES {
                return false;
            }
        }
        true
    };
    match timeout(DISCARDED_TIME, reading).await {
        Ok(true) => None,
        Ok(false) | Err(_) => Some(payload),
    }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;
    use std::task::{Context, Waker};

    use super::*;
    use crate::message_framing::RequestScanner;

    #[test]
    fn what_came_with_the_head_is_read_first_if_it_is_the_whole_body() {
        let sized = ("Content-Length: 3", Framing::Length(3));
        let chunked = ("Transfer-Encoding: chunked", Framing::Chunked);
        for ((field, framing), body, is_held, waits) in [
            (sized, "abc", false, true),
            (sized, "abcGET / HTTP/1.1\r\n\r\n", false, true),
            (sized, "ab", false, false),
            (sized, "", false, false),
            (sized, "abc", true, false),
            (chunked, "1\r\na\r\n0\r\n\r\n", false, true),
            (chunked, "1\r\na\r\n", false, false),
            (chunked, "x", false, false),
            (("Content-Length: 0", Framing::Absent), "", false, false),
        ] {
            let state = Rc::new(ConnectionState::default());
            let request = format!("POST / HTTP/1.1\r\n{field}\r\n\r\n{body}");
            RequestScanner::default().admit(request.as_bytes(), &state);
            if is_held {
                state.hold_body();
            }
            let exchange = Exchange::begin(state, framing).unwrap();
            let mut body_read = pin!(exchange.body_read());
            let mut context = Context::from_waker(Waker::noop());
            if waits {
                assert!(body_read.as_mut().poll(&mut context).is_pending(), "{request}");
            }
            assert!(body_read.as_mut().poll(&mut context).is_ready(), "{request}");
        }
    }
}
