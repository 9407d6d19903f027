//! Bodies: how one is read into a value, and how a value is written as one.

mod json;
pub(crate) mod media_type;
mod raw;
mod read;
mod stream;
mod write;

pub use json::{JsonPlan, write_json};
pub use raw::RawBody;
pub use read::ReadBody;
pub use stream::{StreamedBody, StreamingBody};
pub use write::WriteBody;

// What a streamed body is made of.
pub use bytes::Bytes;
pub use futures_core::Stream;
