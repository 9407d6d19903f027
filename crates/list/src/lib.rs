//! Lists: typed filters, sorting and pagination in three strategies, as parts of a request.
//!
//! For authors of endpoints that list items, and of stores that read them. A part reads its parameters and describes them; the
//! controller gets resolved, typed values. They form a small syntax tree ([`Expression`]), an order ([`SortBag`]) and a [`Window`],
//! which a controller, a store and the in-memory evaluator [`apply`] read alike.
//!
//! Values and operators lie below expressions, these below filters and orders, these below pagination, and [`apply`] is on top: no
//! module uses one above it.
//!
//! There is no database here, and no schema: values are typed by the schemas of `restwright-schema`. The evaluator is the
//! reference for every store: where the documentation leaves a question open, the items that it returns are right.

mod apply;
pub mod codes;
mod expression;
mod field;
pub mod filter;
mod fold;
mod operator;
pub mod pagination;
mod planned_fields;
mod record;
mod shared_plan;
mod shown;
mod sort;
mod value;

pub use apply::apply;
pub use expression::{Comparison, Condition, Expression, SearchText};
pub use field::{Field, FieldOperand, RecordFields};
pub use filter::{Filter, FilterBag, FilterCondition, FilterFields, FilterPlan, Filters};
pub use fold::fold;
pub use operator::Operator;
pub use pagination::{
    Counted, Limits, LinkHeader, ListSlice, Offset, OffsetResponse, Page, PageResponse, Pagination, Position, Totals,
    Uncounted, Window,
};
#[cfg(feature = "cursor")]
pub use pagination::{Cursor, CursorBinding, CursorKey, CursorResponse};
pub use planned_fields::{PlannedList, planned_fields};
pub use record::Record;
pub use sort::{Direction, FieldName, Sort, SortBag, SortEntry, SortFields, SortPlan};
pub use value::{FieldValue, MaybeValue, NoValue, Value, ValueType};
