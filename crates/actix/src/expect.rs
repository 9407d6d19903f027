//! `Expect: 100-continue`: a client asks before it sends its body (RFC 9110, section 10.1.1).

use std::future::{Future, poll_fn, ready};
use std::pin::Pin;
use std::rc::Rc;
use std::task::Poll;

use actix_http::body::BoxBody;
use actix_http::{HttpMessage, Payload, Request, Response, StatusCode};
use restwright_core::Worker;

use crate::connection_state::ConnectionState;
use crate::response::Body;
use crate::worker::handle;

/// Answers a request as far as it can be answered without its body. When the body is asked for, or may be while the
/// answer streams, the client is told to send it, and the answer goes on.
pub(crate) async fn expect(worker: Rc<Worker>, mut request: Request) -> Result<Request, Response<BoxBody>> {
    let Some(peer) = request.conn_data::<Rc<ConnectionState>>().cloned() else { return Ok(request) };
    let bodied = !matches!(request.payload(), Payload::None);
    peer.hold_body();
    let mut answering: Answering = Box::pin(async move {
        let Ok(response) = handle(worker, request).await;
        response
    });
    let early = poll_fn(|context| match answering.as_mut().poll(context) {
        Poll::Ready(response) => Poll::Ready(Some(response)),
        Poll::Pending if peer.is_body_wanted() => Poll::Ready(None),
        Poll::Pending => Poll::Pending,
    });
    match early.await {
        Some(response) if !bodied || response.body().leaves_request_unread() => {
            Err(response.map_body(|_, body| BoxBody::new(body)))
        }
        Some(response) => Ok(Paused { peer, answering: Box::pin(ready(response)) }.into_request()),
        None => Ok(Paused { peer, answering }.into_request()),
    }
}

pub(crate) type Answering = Pin<Box<dyn Future<Output = Response<Body>>>>;

/// An answer that waits for the body of its request.
pub(crate) struct Paused {
    peer: Rc<ConnectionState>,
    answering: Answering,
}

impl Paused {
    /// The request that actix-http hands on once it has told the client to go on; it stands for the paused one.
    fn into_request(self) -> Request {
        let request = Request::new();
        request.extensions_mut().insert(self);
        request
    }

    /// Goes on with the answer.
    pub(crate) fn resume(request: &Request) -> Answering {
        match request.extensions_mut().remove::<Self>() {
            Some(Self { peer, answering }) => {
                peer.release_body();
                answering
            }
            // Every other request has its connection.
            None => Box::pin(ready(Response::with_body(StatusCode::INTERNAL_SERVER_ERROR, Body::none()))),
        }
    }
}
