//! One application value: built once, read by the server, the documents and the test client.

mod api;
mod builder;
mod entry;
mod explain;
mod plans;
mod readers;

pub use api::{Api, StartFailure};
pub use builder::ApiBuilder;

pub(crate) use entry::Entry;
