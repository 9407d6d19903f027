//! The parts of a request: whatever reads a piece of its head also describes it.

mod head;
mod parameter;
mod part;
mod planner;

pub use head::Head;
pub use parameter::ParameterPlan;
pub(crate) use parameter::pointer_to;
pub use part::Part;
pub use planner::Planner;
