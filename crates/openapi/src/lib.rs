//! What an Api says about itself to the outside: its OpenAPI 3.1 [`Document`], the pages that show it, and the program
//! that writes it to a file.
//!
//! It reads the description vocabulary of `restwright-core` and knows nothing of the pieces that speak it. It describes
//! and decides nothing: what is not in an operation is not in the document.

pub mod cli;

pub mod document;
mod generate;
mod ui;

pub use document::Document;
pub use ui::Documentation;
