//! `Expect: 100-continue`: a client waits for permission before it sends its body (RFC 9110, section 10.1.1).

use std::future::{Future, poll_fn, ready};
use std::pin::Pin;
use std::rc::Rc;
use std::task::Poll;

use actix_http::body::BoxBody;
use actix_http::{HttpMessage, Payload, Request, Response, StatusCode};
use restwright_runtime::Worker;

use crate::connection_state::ConnectionState;
use crate::response::Body;
use crate::worker::handle;

/// Handles a request until it needs its body. If the application reads the body, or may read it while the response streams, the
/// client gets `100 Continue`, and the handling continues.
pub(crate) async fn expect(worker: Rc<Worker>, mut request: Request) -> Result<Request, Response<BoxBody>> {
    let Some(state) = request.conn_data::<Rc<ConnectionState>>().cloned() else { return Ok(request) };
    let bodied = !matches!(request.payload(), Payload::None);
    state.hold_body();
    let mut pending: PendingResponse = Box::pin(async move {
        let Ok(response) = handle(worker, request).await;
        response
    });
    let early = poll_fn(|context| match pending.as_mut().poll(context) {
        Poll::Ready(response) => Poll::Ready(Some(response)),
        Poll::Pending if state.is_body_requested() => Poll::Ready(None),
        Poll::Pending => Poll::Pending,
    });
    match early.await {
        Some(response) if !bodied || response.body().leaves_request_unread() => {
            Err(response.map_body(|_, body| BoxBody::new(body)))
        }
        Some(response) => Ok(Paused { state, response: Box::pin(ready(response)) }.into_request()),
        None => Ok(Paused { state, response: pending }.into_request()),
    }
}

pub(crate) type PendingResponse = Pin<Box<dyn Future<Output = Response<Body>>>>;

/// A request that waits for its body.
pub(crate) struct Paused {
    state: Rc<ConnectionState>,
    response: PendingResponse,
}

impl Paused {
    /// Returns the request that actix-http passes on after `100 Continue`; it stands for the paused one.
    fn into_request(self) -> Request {
        let request = Request::new();
        request.extensions_mut().insert(self);
        request
    }

    /// Continues the handling.
    pub(crate) fn resume(request: &Request) -> PendingResponse {
        match request.extensions_mut().remove::<Self>() {
            Some(Self { state, response }) => {
                state.release_body();
                response
            }
            // Not reached: every other request has its connection state.
            None => Box::pin(ready(Response::with_body(StatusCode::INTERNAL_SERVER_ERROR, Body::none()))),
        }
    }
}
