//! Defines [`ResourcePagination`], the kinds of pagination that lists of resources support.

use restwright_core::schema::Schema;
use restwright_core::{Part, Response};
#[cfg(feature = "cursor")]
use restwright_list::{Cursor, CursorResponse};
use restwright_list::{
    ListSlice, Offset, OffsetResponse, Page, PageResponse, Pagination, Record, Uncounted, WithoutTotal,
};
use serde::Serialize;

/// A kind of pagination that lists of resources support. It is [`Page`], [`Offset`], either of them [`WithoutTotal`], or `Cursor` with the
/// feature `cursor`.
pub trait ResourcePagination: Pagination + Part + 'static {
    /// `true` if the response contains the total number of items.
    const COUNTED: bool;

    /// `true` if a cursor with the values of the order selects the page.
    const HAS_CURSORS: bool = false;

    /// The type of the list response with items of the type `T`.
    type Response<T: Schema + Serialize + 'static>: Response;

    /// Creates the list response. `total` is the number of matching items, or 0 if the response contains no total.
    fn respond<T: Record + Schema + Serialize + 'static>(
        &self,
        listed: ListSlice<T, Uncounted>,
        total: u64,
    ) -> Self::Response<T>;
}

impl ResourcePagination for Page {
    const COUNTED: bool = true;

    type Response<T: Schema + Serialize + 'static> = PageResponse<T>;

    fn respond<T: Record + Schema + Serialize + 'static>(
        &self,
        listed: ListSlice<T, Uncounted>,
        total: u64,
    ) -> PageResponse<T> {
        Self::respond(self, listed.counted(total))
    }
}

impl ResourcePagination for Offset {
    const COUNTED: bool = true;

    type Response<T: Schema + Serialize + 'static> = OffsetResponse<T>;

    fn respond<T: Record + Schema + Serialize + 'static>(
        &self,
        listed: ListSlice<T, Uncounted>,
        total: u64,
    ) -> OffsetResponse<T> {
        Self::respond(self, listed.counted(total))
    }
}

impl ResourcePagination for WithoutTotal<Page> {
    const COUNTED: bool = false;

    type Response<T: Schema + Serialize + 'static> = PageResponse<T, Uncounted>;

    fn respond<T: Record + Schema + Serialize + 'static>(
        &self,
        listed: ListSlice<T, Uncounted>,
        _: u64,
    ) -> PageResponse<T, Uncounted> {
        self.0.respond(listed)
    }
}

impl ResourcePagination for WithoutTotal<Offset> {
    const COUNTED: bool = false;

    type Response<T: Schema + Serialize + 'static> = OffsetResponse<T, Uncounted>;

    fn respond<T: Record + Schema + Serialize + 'static>(
        &self,
        listed: ListSlice<T, Uncounted>,
        _: u64,
    ) -> OffsetResponse<T, Uncounted> {
        self.0.respond(listed)
    }
}

/// Cursor pagination, whose responses contain no total.
#[cfg(feature = "cursor")]
impl ResourcePagination for Cursor {
    const COUNTED: bool = false;
    const HAS_CURSORS: bool = true;

    type Response<T: Schema + Serialize + 'static> = CursorResponse<T>;

    fn respond<T: Record + Schema + Serialize + 'static>(
        &self,
        listed: ListSlice<T, Uncounted>,
        _: u64,
    ) -> CursorResponse<T> {
        Self::respond(self, listed)
    }
}
