//! Contains filters, sorting and pagination.

#[cfg(feature = "rust_decimal")]
#[doc(inline)]
pub use restwright_list::with_scale;
#[doc(inline)]
pub use restwright_list::{
    Comparison, Condition, Counted, Direction, Exists, Expression, Field, FieldName, FieldValue, Filter, FilterBag,
    FilterFields, Filters, Limits, LinkHeader, ListSlice, Offset, OffsetResponse, Operator, Page, PageResponse,
    Pagination, Position, Record, RecordFields, SearchText, Sort, SortBag, SortEntry, SortFields, Uncounted, Value,
    ValueType, Window, apply, codes, fold,
};
#[cfg(feature = "cursor")]
#[doc(inline)]
pub use restwright_list::{Cursor, CursorKey, CursorResponse};
