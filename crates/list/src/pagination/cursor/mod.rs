//! Cursors: `cursor` and `limit`; keyset pagination.
//!
//! A cursor is a place in the list: the values of the sort fields of an item, its identifier among them. Items that come and go
//! elsewhere move nothing, so that a walk over all pages shows each item that stays exactly once.

mod binding;
mod codec;
mod cursor;
mod key;
mod response;
mod token;

pub use cursor::{Cursor, CursorPlan};
pub use key::CursorKey;
pub use response::CursorResponse;
