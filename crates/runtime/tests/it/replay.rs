//! A middleware that reads the buffered body and replays a stored response: an idempotency key.

use std::collections::HashMap;
use std::sync::Mutex;

use bytes::Bytes;
use restwright_core::http::{HeaderMap, HeaderName, HeaderValue, HttpRequest, HttpResponse, Payload, StatusCode};
use restwright_core::operation::{HeaderObject, Operation, ParameterLocation, ParameterObject, SchemaUse};
use restwright_core::problem::ProblemKind;
use restwright_core::schema::SchemaObject;
use restwright_core::{Middleware, Next, Problem, Result};

const KEY: HeaderName = HeaderName::from_static("idempotency-key");
const REPLAYED: HeaderName = HeaderName::from_static("idempotency-replayed");
const REUSED: ProblemKind =
    ProblemKind::new(StatusCode::CONFLICT, "idempotency_key_reused", "The key was used for another request");

#[derive(Default)]
pub(crate) struct Idempotency {
    responses: Mutex<HashMap<String, Stored>>,
}

#[derive(Clone)]
struct Stored {
    request_body: Bytes,
    status: StatusCode,
    headers: HeaderMap,
    body: Bytes,
}

impl Middleware for Idempotency {
    fn describe(&self, operation: &mut Operation) {
        let mut key = ParameterObject::new(
            ParameterLocation::Header,
            "Idempotency-Key",
            SchemaUse::input(SchemaObject::string().max_length(64)),
        );
        key.required = false;
        operation.parameters.push(key);
        operation.add_problem(REUSED);
        operation.add_common_header(
            HeaderObject::new("Idempotency-Replayed", SchemaUse::output(SchemaObject::boolean())).optional(),
        );
    }

    async fn handle(&self, request: &mut HttpRequest, next: Next<'_>) -> Result<HttpResponse> {
        let Some(key) = request.header(&KEY).map(str::to_owned) else { return Ok(next.run(request).await) };
        let request_body = request.body().await?;
        let stored = self.responses.lock().unwrap().get(&key).cloned();
        if let Some(stored) = stored {
            if stored.request_body != request_body {
                return Err(Problem::new(REUSED));
            }
            let mut response = HttpResponse::new(stored.status);
            *response.headers_mut() = stored.headers;
            response.set_payload(Payload::Bytes(stored.body));
            return Ok(response.header(REPLAYED, HeaderValue::from_static("true")));
        }
        let response = next.run(request).await;
        if let Some(body) = response.payload().as_bytes() {
            let body = Bytes::copy_from_slice(body);
            let stored = Stored { request_body, status: response.status(), headers: response.headers().clone(), body };
            self.responses.lock().unwrap().insert(key, stored);
        }
        Ok(response)
    }
}
