//! Pagination in three strategies, each with its envelope: by page, by offset, by cursor.
//!
//! A request has one of them as a part, and answers with the response that belongs to it: [`Page`] with [`PageResponse`],
//! [`Offset`] with [`OffsetResponse`], `Cursor` with `CursorResponse`. Only the part makes the response, and an Api whose request
//! and response do not fit is not built.

mod context;
#[cfg(feature = "cursor")]
mod cursor;
mod envelope;
mod limits;
mod link;
mod list_slice;
mod offset;
mod page;
mod position;
mod totals;
mod window;

pub(crate) use context::Context;
#[cfg(feature = "cursor")]
pub use cursor::{Cursor, CursorKey, CursorPlan, CursorResponse};
pub use envelope::EnvelopePlan;
pub use limits::Limits;
pub use list_slice::ListSlice;
pub use offset::{Offset, OffsetPlan, OffsetResponse};
pub use page::{Page, PagePlan, PageResponse};
pub use position::Position;
pub use totals::{Counted, Totals, Uncounted};
pub use window::{Pagination, Window};
