//! Defines [`Paginates`], a kind of pagination as a trait object.

use std::any::Any;
use std::marker::PhantomData;

use restwright_core::http::{HttpRequest, HttpResponse};
use restwright_core::operation::Operation;
use restwright_core::problem::RequestViolations;
use restwright_core::{BuildContext, BuildErrors, Part, RequestHead, Response, Result};
use restwright_list::{Counted, ListSlice, Offset, OffsetResponse, Page, PageResponse, Pagination, Uncounted, Window};
#[cfg(feature = "cursor")]
use restwright_list::{Cursor, CursorResponse};

use super::any_entity::typed;
use super::item::Item;
use crate::endpoints::ResourcePagination;

impl ResourcePagination {
    /// Returns the code that reads and writes pages.
    pub(in crate::endpoints) fn paginates(self) -> &'static dyn Paginates {
        match self {
            Self::Page => &Paginated::<(Page, Counted)>(PhantomData),
            Self::PageWithoutTotal => &Paginated::<(Page, Uncounted)>(PhantomData),
            Self::Offset => &Paginated::<(Offset, Counted)>(PhantomData),
            Self::OffsetWithoutTotal => &Paginated::<(Offset, Uncounted)>(PhantomData),
            #[cfg(feature = "cursor")]
            Self::Cursor => &Paginated::<(Cursor, Uncounted)>(PhantomData),
        }
    }

    /// Returns `true` if a cursor with the values of the order selects the page.
    pub(in crate::endpoints) fn has_cursors(self) -> bool {
        #[cfg(feature = "cursor")]
        return self == Self::Cursor;
        #[cfg(not(feature = "cursor"))]
        false
    }
}

/// A part of a request that selects a page, with the type of the total in its response.
trait Paged: 'static {
    type Page: Pagination + Part + 'static;
    type Response: Response;

    /// `true` if the response contains the total number of entities.
    const IS_COUNTED: bool;

    /// Creates the response. `total` is the number of all entities, or 0 if the response contains no total.
    fn respond(page: &Self::Page, listed: ListSlice<Item, Uncounted>, total: u64) -> Self::Response;
}

impl Paged for (Page, Counted) {
    type Page = Page;
    type Response = PageResponse<Item>;

    const IS_COUNTED: bool = true;

    fn respond(page: &Page, listed: ListSlice<Item, Uncounted>, total: u64) -> PageResponse<Item> {
        page.respond(listed.counted(total))
    }
}

impl Paged for (Page, Uncounted) {
    type Page = Page;
    type Response = PageResponse<Item, Uncounted>;

    const IS_COUNTED: bool = false;

    fn respond(page: &Page, listed: ListSlice<Item, Uncounted>, _: u64) -> PageResponse<Item, Uncounted> {
        page.respond(listed)
    }
}

impl Paged for (Offset, Counted) {
    type Page = Offset;
    type Response = OffsetResponse<Item>;

    const IS_COUNTED: bool = true;

    fn respond(page: &Offset, listed: ListSlice<Item, Uncounted>, total: u64) -> OffsetResponse<Item> {
        page.respond(listed.counted(total))
    }
}

impl Paged for (Offset, Uncounted) {
    type Page = Offset;
    type Response = OffsetResponse<Item, Uncounted>;

    const IS_COUNTED: bool = false;

    fn respond(page: &Offset, listed: ListSlice<Item, Uncounted>, _: u64) -> OffsetResponse<Item, Uncounted> {
        page.respond(listed)
    }
}

#[cfg(feature = "cursor")]
impl Paged for (Cursor, Uncounted) {
    type Page = Cursor;
    type Response = CursorResponse<Item>;

    const IS_COUNTED: bool = false;

    fn respond(page: &Cursor, listed: ListSlice<Item, Uncounted>, _: u64) -> CursorResponse<Item> {
        page.respond(listed)
    }
}

/// A kind of pagination, as a trait object.
pub(in crate::endpoints) trait Paginates: Send + Sync {
    /// Prepares the endpoint to read the requested page. Runs while the Api is built.
    fn plan_request(&self, context: &mut BuildContext<'_>) -> Result<Box<dyn ReadsPage>, BuildErrors>;

    /// Prepares the endpoint to write the response to a list. The run-time schema of [`Item`] is set. Runs while the Api is built.
    fn plan_response(&self, context: &mut BuildContext<'_>) -> Result<Box<dyn WritesPage>, BuildErrors>;
}

/// Reads the page that a request selects.
pub(in crate::endpoints) trait ReadsPage: Send + Sync {
    fn describe(&self, operation: &mut Operation);

    fn read(&self, head: &RequestHead<'_>, violations: &mut RequestViolations) -> Option<Box<dyn AnyPage>>;
}

/// Writes the response to a list.
pub(in crate::endpoints) trait WritesPage: Send + Sync {
    fn describe(&self, operation: &mut Operation);

    fn respond(
        &self,
        page: Box<dyn AnyPage>,
        listed: ListSlice<Item, Uncounted>,
        total: u64,
        request: &HttpRequest,
    ) -> Result<HttpResponse>;
}

/// The page that a request selects, as a trait object.
pub(in crate::endpoints) trait AnyPage: Any {
    fn window(&self) -> Window<'_>;

    fn is_counted(&self) -> bool;

    /// Returns the fields whose values a cursor contains.
    fn cursor_fields(&self) -> Vec<&str>;
}

struct Paginated<K>(PhantomData<fn() -> K>);

impl<K: Paged> Paginates for Paginated<K> {
    fn plan_request(&self, context: &mut BuildContext<'_>) -> Result<Box<dyn ReadsPage>, BuildErrors> {
        Ok(Box::new(PageReader::<K>(K::Page::plan(context)?)))
    }

    fn plan_response(&self, context: &mut BuildContext<'_>) -> Result<Box<dyn WritesPage>, BuildErrors> {
        Ok(Box::new(PageWriter::<K>(K::Response::plan(context)?)))
    }
}

struct PageReader<K: Paged>(<K::Page as Part>::Plan);

impl<K: Paged> ReadsPage for PageReader<K> {
    fn describe(&self, operation: &mut Operation) {
        K::Page::describe(&self.0, operation);
    }

    fn read(&self, head: &RequestHead<'_>, violations: &mut RequestViolations) -> Option<Box<dyn AnyPage>> {
        Some(Box::new(SelectedPage::<K>(K::Page::read(&self.0, head, violations)?)))
    }
}

struct PageWriter<K: Paged>(<K::Response as Response>::Plan);

impl<K: Paged> WritesPage for PageWriter<K> {
    fn describe(&self, operation: &mut Operation) {
        K::Response::describe(&self.0, operation);
    }

    fn respond(
        &self,
        page: Box<dyn AnyPage>,
        listed: ListSlice<Item, Uncounted>,
        total: u64,
        request: &HttpRequest,
    ) -> Result<HttpResponse> {
        K::respond(&typed::<SelectedPage<K>>(page)?.0, listed, total).respond(&self.0, request)
    }
}

struct SelectedPage<K: Paged>(K::Page);

impl<K: Paged> AnyPage for SelectedPage<K> {
    fn window(&self) -> Window<'_> {
        self.0.window()
    }

    fn is_counted(&self) -> bool {
        K::IS_COUNTED
    }

    fn cursor_fields(&self) -> Vec<&str> {
        self.0.cursor_fields()
    }
}
