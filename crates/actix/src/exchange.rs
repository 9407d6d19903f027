//! One request and its response.

use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
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
        while let Some(Ok(bytes)) = std::future::poll_fn(|context| Pin::new(&mut payload).poll_next(context)).await {
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
