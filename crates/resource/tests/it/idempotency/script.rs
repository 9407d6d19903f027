//! An endpoint whose response the body of a request specifies.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use restwright::Next;
use restwright::http::header::{CONTENT_ENCODING, ETAG, LOCATION};
use restwright::http::{BodyStream, HeaderName, HeaderValue, HttpRequest, HttpResponse, Payload, StatusCode};
use restwright::prelude::*;
use restwright::problem::catalogue;

/// Counts requests and responds as their bodies specify:
///
/// | body | response |
/// |---|---|
/// | `status 201` | 201 with headers and the number of the request |
/// | `empty 204` | 204 without a body |
/// | `problem` | 409, as a problem |
/// | `bytes 1000` | 200 with this number of bytes |
/// | `slow 100` | 200 after this number of milliseconds |
/// | `first 100` | the same for the first request, and immediately for others |
/// | `stream`, `panic` | |
///
/// Any other body is `status 200`.
#[derive(Clone, Default)]
pub(super) struct Script(Arc<AtomicUsize>);

impl Script {
    pub(super) fn effects(&self) -> Arc<AtomicUsize> {
        self.0.clone()
    }
}

impl Middleware for Script {
    async fn handle(&self, request: &mut HttpRequest, _: Next<'_>) -> Result<HttpResponse> {
        let body = request.body().await?;
        let effect = self.0.fetch_add(1, Ordering::SeqCst) + 1;
        let mut words = std::str::from_utf8(&body).unwrap().split(' ');
        let word = words.next().unwrap();
        let number: u16 = words.next().and_then(|number| number.parse().ok()).unwrap_or(200);
        let respond = |status: u16, body: String| {
            let status = StatusCode::from_u16(status).unwrap();
            HttpResponse::with_bytes(status, HeaderValue::from_static("text/plain"), body)
        };
        Ok(match word {
            "empty" => HttpResponse::new(StatusCode::from_u16(number).unwrap()),
            "problem" => return Err(Problem::new(catalogue::CONFLICT).detail("There is one already.")),
            "bytes" => respond(200, "b".repeat(number.into())),
            "slow" | "first" => {
                if word == "slow" || effect == 1 {
                    tokio::time::sleep(Duration::from_millis(number.into())).await;
                }
                respond(200, effect.to_string())
            }
            "stream" => {
                let mut response = HttpResponse::new(StatusCode::OK);
                response.set_payload(Payload::stream(Pieces(BodyStream::from_bytes("piece".into()))));
                response
            }
            "panic" => panic!("a test"),
            _ => respond(if word == "status" { number } else { 200 }, effect.to_string())
                .header(LOCATION, HeaderValue::from_static("/payments/7"))
                .header(ETAG, HeaderValue::from_static("\"7\""))
                .header(CONTENT_ENCODING, HeaderValue::from_static("identity"))
                .header(HeaderName::from_static("x-own"), HeaderValue::from_static("own")),
        })
    }
}

/// A stream of one chunk.
struct Pieces(BodyStream);

impl futures_core::Stream for Pieces {
    type Item = Result<bytes::Bytes, Box<dyn std::error::Error>>;

    fn poll_next(
        mut self: std::pin::Pin<&mut Self>,
        context: &mut std::task::Context<'_>,
    ) -> std::task::Poll<Option<Self::Item>> {
        let next = std::pin::pin!(self.0.next());
        next.poll(context).map(|piece| piece.map(|piece| piece.map_err(|error| format!("{error:?}").into())))
    }
}
