//! The documents of an Api: its OpenAPI [`Document`] in the versions 3.0, 3.1 and 3.2, the page that shows it and, behind the feature
//! `cli`, the program that writes it to a file. Behind the feature `okapi`, it is also a value of the crate okapi.
//!
//! The model of operations belongs to `restwright-core`. This crate renders its schemas and adds the rest of the document. It
//! describes and decides nothing: what is not in an operation is not in the document.

#[cfg(feature = "cli")]
pub mod cli;
mod generate;
#[cfg(feature = "okapi")]
mod okapi;
#[cfg(feature = "cli")]
mod shapes;
mod ui;
mod versions;

pub use generate::{ByName, Components, Document, Info, PathItem};
#[cfg(feature = "cli")]
pub use shapes::Shapes;
pub use ui::Documentation;
pub use versions::{DocumentOptions, OpenApiVersion};
