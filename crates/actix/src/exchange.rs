//! One request and its answer.

use std::pin::Pin;
use std::rc::Rc;
use std::time::Duration;

use actix_http::Payload;
use futures_core::Stream;
use http::{Method, StatusCode};
use restwright_core::Worker;
use restwright_core::http::{BodyStream, HostRequest, HttpRequest, HttpResponse, RequestId};
use tokio::time::timeout;

use crate::body::BodyReader;
use crate::peer::{Peer, Unread};
use crate::request::Framing;

/// Until its drop, the application has the word on a connection.
pub(crate) struct Exchange(Rc<Peer>);

impl Exchange {
    pub(crate) fn begin(peer: Rc<Peer>) -> Self {
        peer.begin();
        Self(peer)
    }

    pub(crate) fn peer(&self) -> &Rc<Peer> {
        &self.0
    }
}

impl Drop for Exchange {
    fn drop(&mut self) {
        self.0.end();
    }
}

/// What a request is answered.
pub(crate) struct Answer {
    pub(crate) response: HttpResponse,
    pub(crate) id: RequestId,
    /// Whether the request was a `HEAD`.
    pub(crate) head_only: bool,
    /// A body that was not read and that nobody will read. It has to be kept until the answer is out: actix-http reads on
    /// without bound when it is dropped, and closes the connection when it is not.
    pub(crate) unread: Option<Payload>,
    /// Whether the connection ends with it.
    pub(crate) closes: bool,
}

/// Hands a request to the pipeline.
pub(crate) async fn answer(
    worker: &Worker,
    exchange: &Exchange,
    method: Method,
    head: Box<dyn HostRequest>,
    payload: Payload,
    framing: Framing,
) -> Answer {
    let head_only = method == Method::HEAD;
    let mut unread = None;
    let body = match framing {
        Framing::Absent => {
            unread = Some(payload).filter(|payload| !matches!(payload, Payload::None));
            BodyStream::empty()
        }
        Framing::Length(length) => read(payload, Some(length), exchange),
        Framing::Chunked => read(payload, None, exchange),
    };
    let mut request = HttpRequest::new(method, head, body);
    let response = worker.answer(&mut request).await;
    let id = request.into_id();
    if let Some(rest) = exchange.peer().take_unread() {
        let hopeless = exchange.peer().holds_body() || response.status() == StatusCode::PAYLOAD_TOO_LARGE;
        unread = if hopeless { Some(rest.payload) } else { discard(rest).await };
    }
    let closes = exchange.peer().is_closing();
    Answer { response, id, head_only, unread, closes }
}

fn read(payload: Payload, length: Option<u64>, exchange: &Exchange) -> BodyStream {
    BodyStream::new(BodyReader::new(payload, length, exchange.peer().clone()))
}

/// How much of a body that nobody asked for is read so that its connection can be kept, and for how long.
const DISCARDED_BYTES: u64 = 64 * 1024;
const DISCARDED_TIME: Duration = Duration::from_millis(250);

/// Reads the rest of a small body that nobody asked for. What remains unread is given back, and its connection closes.
async fn discard(unread: Unread) -> Option<Payload> {
    let Unread { mut payload, left, begun } = unread;
    if begun || left.is_some_and(|left| left > DISCARDED_BYTES) {
        return Some(payload);
    }
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
