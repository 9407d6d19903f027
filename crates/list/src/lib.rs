//! Typed filters, sorting and pagination for list endpoints.
//!
//! This crate is for authors of list endpoints and of stores. Each part of a request parses its query parameters and
//! describes them in the OpenAPI document. Controllers, stores and the in-memory function [`apply`] receive typed
//! values: filters as an [`Expression`], the order as a [`SortBag`], and the requested page as a [`Window`].
//!
//! Modules depend only on lower modules. From bottom to top: values and operators, expressions, filters and orders,
//! pagination, and [`apply`].
//!
//! This crate contains no database access and no schema types; `restwright-schema` defines the types of values.
//! [`apply`] is the reference for every store: if the documentation does not define a result, the result of `apply` is
//! correct.

mod added_fields;
mod apply;
pub mod codes;
mod expression;
mod field;
mod filter;
mod fold;
mod hidden_fields;
mod operator;
mod pagination;
mod planned_fields;
mod record;
mod shared_plan;
mod shown;
mod sort;
mod value;

pub use added_fields::{AddedFields, AddedFilters};
pub use apply::apply;
pub use expression::{Comparison, Condition, Exists, Expression, Related, SearchText};
pub use field::{Field, FieldOperand, RecordFields, SameValue};
pub use filter::{
    CheckOperand, Conditions, Filter, FilterBag, FilterCondition, FilterFields, FilterPlan, FilterTree, Filters,
    ReadConditions, check_operand,
};
pub use fold::fold;
pub use hidden_fields::HiddenFields;
pub use operator::Operator;
pub use pagination::{
    Counted, EnvelopePlan, Limits, LinkHeader, ListSlice, Offset, OffsetPlan, OffsetResponse, Page, PagePlan,
    PageResponse, Pagination, Position, Totals, Uncounted, Window,
};
#[cfg(feature = "cursor")]
pub use pagination::{Cursor, CursorBinding, CursorKey, CursorResponse};
pub use planned_fields::{PlannedList, planned_fields};
pub use record::Record;
pub use sort::{Direction, FieldName, Sort, SortBag, SortEntry, SortFields, SortPlan};
#[cfg(feature = "rust_decimal")]
pub use value::with_scale;
pub use value::{FieldValue, MaybeValue, NoValue, Value, ValueType};
