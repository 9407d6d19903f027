//! The shape of an endpoint's input.

mod reader;
mod request;

pub use reader::Reader;
pub use request::Request;
