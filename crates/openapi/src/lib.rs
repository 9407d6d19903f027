//! Generates the OpenAPI [`Document`] of an Api in the versions 3.0, 3.1 and 3.2, and serves it with a documentation
//! page (Swagger UI).
//!
//! Operations are modelled in `restwright-core`. This crate renders their schemas and adds the rest of the document.
//! The document contains only information from the operations and the configuration.

mod generate;
mod ui;

pub use generate::versions::{DocumentOptions, OpenApiVersion};
pub use generate::{ByName, Components, Document, Info, PathItem};
pub use ui::Documentation;
