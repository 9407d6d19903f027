//! What an Api says about itself, as data in and documents out.

mod document;
mod everything;
mod failures;
mod shapes;
mod support;
