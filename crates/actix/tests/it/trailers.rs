//! Header fields that follow a body.

use std::error::Error;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use futures_core::Stream;
use restwright_runtime::Api;
use restwright_runtime::core::http::{HeaderName, HttpRequest, HttpResponse, Payload, StatusCode, Trailer};
use restwright_runtime::core::operation::Operation;
use restwright_runtime::core::{BuildContext, BuildErrors, Configuration, Input, Response, Result};

use crate::api::{get, on};
use crate::server::Server;

/// Two pieces, and their number behind them. A broken body has no second piece.
struct Counted {
    is_broken: bool,
}

struct Pieces {
    next: u32,
    is_broken: bool,
    trailer: Trailer,
}

impl Response for Counted {
    type Plan = ();

    fn plan(_: &mut BuildContext<'_>) -> std::result::Result<(), BuildErrors> {
        Ok(())
    }

    fn describe((): &(), operation: &mut Operation) {
        operation.response(StatusCode::OK);
    }

    fn respond(self, (): &(), _: &HttpRequest) -> Result<HttpResponse> {
        let mut response = HttpResponse::new(StatusCode::OK);
        let trailer = response.trailer(HeaderName::from_static("x-pieces"));
        response.set_payload(Payload::stream(Pieces { next: 0, is_broken: self.is_broken, trailer }));
        Ok(response)
    }
}

impl Stream for Pieces {
    type Item = std::result::Result<Bytes, Box<dyn Error>>;

    fn poll_next(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.next += 1;
        match self.next {
            2 if self.is_broken => Poll::Ready(Some(Err("broken".into()))),
            piece @ 1..=2 => Poll::Ready(Some(Ok(Bytes::from(piece.to_string())))),
            _ => {
                self.trailer.set(2);
                Poll::Ready(None)
            }
        }
    }
}

fn api() -> Api {
    Api::builder(Configuration::new("test", "1.0.0"))
        .controller(on("counted", get("/counted"), async |_: Input| Ok(Counted { is_broken: false })))
        .controller(on("broken", get("/broken"), async |_: Input| Ok(Counted { is_broken: true })))
        .build()
        .unwrap()
}

#[test]
fn a_field_follows_a_chunked_body() {
    let server = Server::serving(api(), |host| host);
    for (request, announced, end) in [
        (
            "GET /counted HTTP/1.1\r\nTE: gzip;q=0.5, Trailers",
            true,
            "\r\n\r\n1\r\n1\r\n1\r\n2\r\n0\r\nx-pieces: 2\r\n\r\n",
        ),
        // The end of a body that breaks off is missing.
        ("GET /broken HTTP/1.1\r\nTE: trailers", true, "\r\n\r\n1\r\n1\r\n"),
        // Some proxies cut off a body with a field behind it.
        ("GET /counted HTTP/1.1", false, "\r\n\r\n1\r\n1\r\n1\r\n2\r\n0\r\n\r\n"),
        ("GET /counted HTTP/1.0\r\nTE: trailers", false, "\r\n\r\n12"),
        ("HEAD /counted HTTP/1.1\r\nTE: trailers", false, "\r\n\r\n"),
    ] {
        let received = server.connect().send(format!("{request}\r\nHost: t\r\nConnection: close\r\n\r\n")).rest();
        assert!(received.ends_with(end), "{request}: {received}");
        assert_eq!(received.contains("trailer: x-pieces\r\n"), announced, "{request}: {received}");
    }
    // The next response begins behind the field.
    let mut client = server.connect();
    client
        .send("GET /counted HTTP/1.1\r\nHost: t\r\nTE: trailers\r\n\r\nGET /nowhere HTTP/1.1\r\nHost: t\r\nConnection: close\r\n\r\n");
    let received = client.rest();
    assert!(received.contains("x-pieces: 2\r\n\r\nHTTP/1.1 404"), "{received}");
}

#[cfg(feature = "actix-web")]
#[test]
fn an_app_of_actix_web_sends_no_field() {
    let mounted = crate::app::Mounted::with(api());
    let response = mounted.connect().send("GET /counted HTTP/1.1\r\nHost: t\r\nTE: trailers\r\n\r\n").response();
    assert_eq!((response.text(), response.header("trailer")), ("12", None));
}
