//! Contains the types for bodies of requests and responses, such as JSON, raw bytes and streams.

mod format;
pub(crate) mod json;
mod raw;
mod read;
mod stream;
mod write;

pub use format::{
    BodyFormat, FormattedBody, MOST_FIELDS, UrlEncoded, describe_json_fields, file, form_to_json, too_many_fields,
};
pub use json::{JsonPlan, json_bytes, write_json};
pub use raw::RawBody;
pub use read::ReadBody;
pub use stream::{StreamedBody, StreamingBody};
pub use write::WriteBody;

// The types of a streamed body.
pub use bytes::Bytes;
pub use futures_core::Stream;
