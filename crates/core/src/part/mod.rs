//! Contains request parts, which are types that are read from the head of a request. Each part describes itself in the
//! OpenAPI document.

mod api_values;
pub(crate) mod declared;
mod identity;
mod parameter;
mod parameter_value;
pub(crate) mod request_head;

pub(crate) use declared::Part;
pub use parameter::ParameterPlan;
pub use parameter_value::ParameterValue;
pub(crate) use request_head::{HiddenParameters, RequestHead, SharedValues};
