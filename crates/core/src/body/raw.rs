//! Defines [`RawBody`], which stores a body of any media type in memory.

use bytes::Bytes;
use http::HeaderValue;
use http::header::CONTENT_TYPE;

use super::{ReadBody, WriteBody};
use crate::build_context::BuildContext;
use crate::build_errors::BuildErrors;
use crate::http::{HttpResponse, IncomingBody, Payload};
use crate::operation::{MediaTypeObject, Operation, RequestBodyObject, ResponseObject};
use crate::part::RequestHead;
use crate::problem::{RequestViolations, Result, catalogue};

/// A body of any media type, as bytes in memory. The body limit of the route applies to request bodies. The media type
/// of a response body is `application/octet-stream`, unless the response sets `Content-Type`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RawBody(pub Bytes);

impl ReadBody for RawBody {
    type Plan = ();

    fn plan(_: &mut BuildContext<'_>) -> Result<(), BuildErrors> {
        Ok(())
    }

    fn describe((): &(), operation: &mut Operation) {
        describe_bytes(operation);
    }

    async fn read(
        (): &(),
        _: &RequestHead<'_>,
        body: &mut IncomingBody,
        _: &mut RequestViolations,
    ) -> Result<Option<Self>> {
        Ok(Some(Self(body.bytes().await?)))
    }
}

impl WriteBody for RawBody {
    type Plan = ();

    fn plan(_: &mut BuildContext<'_>) -> Result<(), BuildErrors> {
        Ok(())
    }

    fn describe((): &(), response: &mut ResponseObject) {
        response.content.push(MediaTypeObject::new(OCTETS));
    }

    fn write(self, (): &(), response: &mut HttpResponse) -> Result<()> {
        write_octets(response, Payload::Bytes(self.0));
        Ok(())
    }
}

/// The default media type of raw bytes.
pub(super) const OCTETS: &str = "application/octet-stream";

/// Sets the body of a response. If the response has no media type, sets it to `application/octet-stream`.
pub(super) fn write_octets(response: &mut HttpResponse, payload: Payload) {
    response.headers_mut().entry(CONTENT_TYPE).or_insert(HeaderValue::from_static(OCTETS));
    response.set_payload(payload);
}

/// Adds a request body of any media type to the OpenAPI operation.
pub(super) fn describe_bytes(operation: &mut Operation) {
    operation.request_body =
        Some(RequestBodyObject { description: None, required: false, content: vec![MediaTypeObject::new("*/*")] });
    for kind in [catalogue::INCOMPLETE_BODY, catalogue::BODY_TIMEOUT, catalogue::BODY_TOO_LARGE] {
        operation.add_problem(kind);
    }
}
