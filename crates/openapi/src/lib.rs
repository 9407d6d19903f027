//! The documents of an Api: its OpenAPI 3.1 [`Document`], the page that shows it and, behind the feature `cli`, the
//! program that writes it to a file.
//!
//! The model of operations is that of `restwright-core`; this crate renders its schemas and adds what stands around. It
//! describes and decides nothing: what is not in an operation is not in the document.

#[cfg(feature = "cli")]
pub mod cli;
mod generate;
#[cfg(feature = "cli")]
mod shapes;
mod ui;

pub use generate::{ByName, Components, Document, Info, PathItem};
#[cfg(feature = "cli")]
pub use shapes::Shapes;
pub use ui::Documentation;
