//! Pagination by page, by offset and by cursor. Each kind has its own response envelope.
//!
//! The request contains a part, and its method `respond` creates the response. The pairs are [`Page`] with
//! [`PageResponse`], [`Offset`] with [`OffsetResponse`], or `Cursor` with `CursorResponse`. Building the Api fails if
//! request and response do not match.

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
