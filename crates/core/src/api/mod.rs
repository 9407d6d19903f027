//! One application value: built once, read by the server, the documents and the test client.

mod api;
mod builder;
mod entry;
mod explain;
mod parameter_conflicts;
mod plans;

pub use api::{Api, ComponentFailure};
pub use builder::ApiBuilder;

pub(crate) use entry::Entry;
