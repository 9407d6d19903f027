//! The shape of an endpoint's output.

mod header;
mod response;

pub use header::HeaderPlan;
pub use response::Response;
