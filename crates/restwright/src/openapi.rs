//! Contains the OpenAPI document of an Api and the page that shows it.

#[doc(inline)]
pub use restwright_openapi::{Document, DocumentOptions, Documentation, OpenApiVersion};
