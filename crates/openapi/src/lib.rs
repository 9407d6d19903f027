//! Generates the OpenAPI [`Document`] of an Api in the versions 3.0, 3.1 and 3.2, and serves it with a documentation
//! page (Swagger UI).
//!
//! The feature `cli` adds a program that writes the document to a file. The feature `okapi` adds a conversion of the
//! document to the types of the crate okapi.
//!
//! Operations are modelled in `restwright-core`. This crate renders their schemas and adds the rest of the document.
//! The document contains only information from the operations and the configuration.

#[cfg(feature = "cli")]
pub mod cli;
mod generate;
#[cfg(feature = "okapi")]
mod okapi;
#[cfg(feature = "cli")]
mod shapes;
mod ui;

pub use generate::versions::{DocumentOptions, OpenApiVersion};
pub use generate::{ByName, Components, Document, Info, PathItem};
#[cfg(feature = "cli")]
pub use shapes::Shapes;
pub use ui::Documentation;
