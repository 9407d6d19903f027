//! The parts of a request: whatever reads a piece of its head also describes it.

mod build_context;
mod parameter;
mod parameter_value;
mod part;
mod request_head;

pub use build_context::BuildContext;
pub use parameter::ParameterPlan;
pub use parameter_value::ParameterValue;
pub use part::Part;
pub use request_head::RequestHead;
