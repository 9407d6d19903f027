//! Contains the types for bodies of requests and responses, such as raw bytes and streams.

#[doc(inline)]
pub use restwright_core::body::{Bytes, RawBody, ReadBody, Stream, StreamedBody, StreamingBody, UrlEncoded, WriteBody};
