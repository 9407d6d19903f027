//! Contains the types for HTTP requests and responses, which are independent of the HTTP server.

#[doc(inline)]
pub use restwright_core::http::{
    Extensions, HeaderMap, HeaderName, HeaderValue, HttpRequest, HttpResponse, Method, Payload, Query, RequestId,
    StatusCode, header,
};
