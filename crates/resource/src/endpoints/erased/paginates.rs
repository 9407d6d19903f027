//! Defines [`Paginates`], a kind of pagination as a trait object.

use std::any::Any;
use std::marker::PhantomData;

use restwright_core::http::{HttpRequest, HttpResponse};
use restwright_core::operation::Operation;
use restwright_core::problem::RequestViolations;
use restwright_core::{BuildContext, BuildErrors, RequestHead, Response, Result};
use restwright_list::{ListSlice, Pagination, Uncounted, Window};

use super::any_entity::typed;
use super::item::Item;
use crate::endpoints::ResourcePagination;

/// A kind of pagination, as a trait object. It is compiled once for each kind, and not once for each resource.
pub(in crate::endpoints) trait Paginates: Send + Sync {
    /// Returns `true` if the list has cursors.
    fn has_cursors(&self) -> bool;

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

/// Implements [`Paginates`] for the pagination `P`.
pub(super) struct Paginated<P>(PhantomData<fn() -> P>);

impl<P: ResourcePagination> Paginated<P> {
    pub(super) const PAGINATION: &'static dyn Paginates = &Self(PhantomData);
}

impl<P: ResourcePagination> Paginates for Paginated<P> {
    fn has_cursors(&self) -> bool {
        P::HAS_CURSORS
    }

    fn plan_request(&self, context: &mut BuildContext<'_>) -> Result<Box<dyn ReadsPage>, BuildErrors> {
        Ok(Box::new(PageReader::<P>(P::plan(context)?)))
    }

    fn plan_response(&self, context: &mut BuildContext<'_>) -> Result<Box<dyn WritesPage>, BuildErrors> {
        Ok(Box::new(PageWriter::<P>(P::Response::<Item>::plan(context)?)))
    }
}

struct PageReader<P: ResourcePagination>(P::Plan);

impl<P: ResourcePagination> ReadsPage for PageReader<P> {
    fn describe(&self, operation: &mut Operation) {
        P::describe(&self.0, operation);
    }

    fn read(&self, head: &RequestHead<'_>, violations: &mut RequestViolations) -> Option<Box<dyn AnyPage>> {
        Some(Box::new(P::read(&self.0, head, violations)?))
    }
}

struct PageWriter<P: ResourcePagination>(<P::Response<Item> as Response>::Plan);

impl<P: ResourcePagination> WritesPage for PageWriter<P> {
    fn describe(&self, operation: &mut Operation) {
        P::Response::<Item>::describe(&self.0, operation);
    }

    fn respond(
        &self,
        page: Box<dyn AnyPage>,
        listed: ListSlice<Item, Uncounted>,
        total: u64,
        request: &HttpRequest,
    ) -> Result<HttpResponse> {
        typed::<P>(page)?.respond(listed, total).respond(&self.0, request)
    }
}

impl<P: ResourcePagination> AnyPage for P {
    fn window(&self) -> Window<'_> {
        Pagination::window(self)
    }

    fn is_counted(&self) -> bool {
        P::COUNTED
    }

    fn cursor_fields(&self) -> Vec<&str> {
        Pagination::cursor_fields(self)
    }
}
