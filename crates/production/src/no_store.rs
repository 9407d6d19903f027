//! Responses that are out of date at once, and that no cache may store (RFC 9111, section 5.2.2.5).

use http::HeaderValue;
use restwright_runtime::core::operation::{HeaderObject, SchemaUse};
use restwright_runtime::core::schema::SchemaObject;

pub(crate) const NO_STORE: HeaderValue = HeaderValue::from_static("no-store");

/// Returns the description of `Cache-Control`.
pub(crate) fn not_stored() -> HeaderObject {
    HeaderObject::new("Cache-Control", SchemaUse::output(SchemaObject::string())).description("No cache may store it.")
}
