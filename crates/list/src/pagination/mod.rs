//! Pagination in three kinds, each with its own envelope: by page, by offset and by cursor.
//!
//! A request has one of them as a part, and the response is its envelope: [`Page`] with [`PageResponse`], [`Offset`]
//! with [`OffsetResponse`], `Cursor` with `CursorResponse`. Only the part creates the response. Building the Api fails
//! if request and response do not match.

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

#[cfg(feature = "cursor")]
pub use cursor::{Cursor, CursorBinding, CursorKey, CursorResponse};
pub use envelope::EnvelopePlan;
pub use limits::Limits;
pub use link::LinkHeader;
pub use list_slice::ListSlice;
pub use offset::{Offset, OffsetPlan, OffsetResponse};
pub use page::{Page, PagePlan, PageResponse};
pub use position::Position;
pub use totals::{Counted, Totals, Uncounted};
pub use window::{Pagination, Window};
