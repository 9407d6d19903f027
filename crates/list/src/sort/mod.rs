//! Sorting: in which order a client wants the items.
//!
//! An enum with a variant per field derives [`Sort`]; [`FieldName`] is the same for fields that are declared at run time. Either
//! way a request has a [`SortBag`], which is always filled.

mod bag;
mod direction;
mod fields;
mod plan;
mod sort;

pub use bag::{SortBag, SortEntry};
pub use direction::Direction;
pub use fields::SortFields;
#[cfg(feature = "cursor")]
pub(crate) use plan::Numbered;
pub use plan::SortPlan;
pub use sort::{FieldName, Sort};
