//! Lists: typed filters, sorting and pagination in three strategies, as parts of a request.
//!
//! For whoever writes an endpoint that answers a list, and for whoever stores what it lists. A part reads what a client asks
//! for and describes it; the controller finds resolved, typed values. They form a small syntax tree ([`Expression`]), an
//! order ([`SortBag`]) and a [`Window`], which a controller, a store and the in-memory evaluator [`apply`] read alike.
//!
//! Beside them are limits on how often a client may call: `rate_limit`, behind the feature `rate-limit`.
//!
//! There is no database here, and no shape: values are typed by the shapes of `restwright-schema`. The evaluator is the
//! reference for every store: where another reading would be possible, what it answers is right.

mod apply;
pub mod codes;
mod expression;
mod field_value;
pub mod filter;
mod fold;
mod operator;
pub mod pagination;
#[cfg(feature = "rate-limit")]
pub mod rate_limit;
mod record;
mod shown;
mod sort;
mod value;

pub use apply::apply;
pub use expression::{Comparison, Condition, Expression, SearchText};
pub use field_value::FieldValue;
pub use filter::{Filter, FilterBag, FilterCondition, FilterFields, FilterPlan, Filters};
pub use fold::fold;
pub use operator::Operator;
pub use pagination::{
    Counted, Limits, ListSlice, Offset, OffsetResponse, Page, PageResponse, Pagination, Position, Totals, Uncounted,
    Window,
};
#[cfg(feature = "cursor")]
pub use pagination::{Cursor, CursorKey, CursorResponse};
pub use record::Record;
pub use sort::{Direction, FieldName, Sort, SortBag, SortEntry, SortFields, SortPlan};
pub use value::{Value, ValueType};
