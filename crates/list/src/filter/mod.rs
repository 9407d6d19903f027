//! Filters: which items a client wants.
//!
//! A struct with a [`Filter`] per field derives [`Filters`]; a [`FilterBag`] is the same for fields that are declared at run
//! time. Both declare [`FilterFields`], and both are read by the [`FilterPlan`] that is made of them.

mod bag;
mod conditions;
mod field;
mod fields;
mod filter;
mod filter_constructors;
mod filters;
mod list;
mod name;
mod operand;
mod plan;

pub use bag::FilterBag;
pub use conditions::Conditions;
pub use fields::FilterFields;
pub use filter::{Filter, FilterCondition};
pub use filters::Filters;
pub use operand::MAX_VALUES;
pub use plan::{FilterPlan, MAX_CONDITIONS};
