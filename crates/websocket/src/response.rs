//! Defines [`WebSocketResponse`], the 101 response of a WebSocket.

use http::header::{SEC_WEBSOCKET_ACCEPT, UPGRADE};
use http::{HeaderValue, StatusCode};
use restwright_core::http::{HttpRequest, HttpResponse, Payload, Upgrade};
use restwright_core::operation::{HeaderObject, Operation, SchemaUse};
use restwright_core::schema::SchemaObject;
use restwright_core::{BuildContext, BuildErrors, Response, Result};

use crate::handshake::WEBSOCKET;

/// The response that accepts a WebSocket connection, with the status 101. [`WebSocketUpgrade::accept`](crate::WebSocketUpgrade::accept) creates it.
#[derive(Debug)]
pub struct WebSocketResponse {
    accept: HeaderValue,
    upgrade: Upgrade,
}

impl WebSocketResponse {
    pub(crate) fn new(accept: HeaderValue, upgrade: Upgrade) -> Self {
        Self { accept, upgrade }
    }
}

impl Response for WebSocketResponse {
    type Plan = ();

    fn plan(_: &mut BuildContext<'_>) -> Result<(), BuildErrors> {
        Ok(())
    }

    fn describe((): &(), operation: &mut Operation) {
        let response = operation.response(StatusCode::SWITCHING_PROTOCOLS);
        response.description.get_or_insert_with(|| "The connection continues as a WebSocket.".to_owned());
        for (name, description) in [
            ("Upgrade", "`websocket`."),
            ("Sec-WebSocket-Accept", "The digest of the key of the request (RFC 6455, section 4.2.2)."),
        ] {
            let header = HeaderObject::new(name, SchemaUse::output(SchemaObject::string()));
            response.add_header(header.description(description));
        }
    }

    fn respond(self, (): &(), _: &HttpRequest) -> Result<HttpResponse> {
        let mut response = HttpResponse::new(StatusCode::SWITCHING_PROTOCOLS);
        response.insert_header(UPGRADE, HeaderValue::from_static(WEBSOCKET));
        response.insert_header(SEC_WEBSOCKET_ACCEPT, self.accept);
        response.set_payload(Payload::Upgrade(self.upgrade));
        Ok(response)
    }
}
