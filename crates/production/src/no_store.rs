//! Defines the `Cache-Control` header of responses that must not be cached (`no-store`, RFC 9111, section 5.2.2.5).

use http::HeaderValue;
use restwright_runtime::core::operation::{HeaderObject, SchemaUse};
use restwright_runtime::core::schema::SchemaObject;

pub(crate) const NO_STORE: HeaderValue = HeaderValue::from_static("no-store");

/// Returns the OpenAPI description of a `Cache-Control` header with the value `no-store`.
pub(crate) fn not_stored() -> HeaderObject {
    HeaderObject::new("Cache-Control", SchemaUse::output(SchemaObject::string()))
        .description("No cache may store the response.")
}
