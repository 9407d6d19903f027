//! Defines [`ListedPage`], the response to a list.

use std::any::Any;

use restwright_core::http::{HttpRequest, HttpResponse};
use restwright_core::operation::{Operation, OrReference};
use restwright_core::{BuildContext, BuildErrors, Result};

use super::info::resource_of;
use super::kind::{AnyPage, PagePlan};
use super::plain_text::mark_stored;
use super::shown::Unmasked;

/// A 200 response with one page of entities. The entities are a slice of the resource's type.
pub(super) struct ListedPage {
    pub(super) page: Box<dyn AnyPage>,
    pub(super) listed: Box<dyn Any>,
    pub(super) total: u64,
}

impl Unmasked for ListedPage {
    type Plan = Box<dyn PagePlan>;

    fn plan(context: &mut BuildContext<'_>) -> Result<Self::Plan, BuildErrors> {
        resource_of(context)?.kind.plan_page(context)
    }

    fn describe(plan: &Self::Plan, operation: &mut Operation) {
        plan.describe(operation);
        let responses = operation.responses.iter_mut().filter_map(OrReference::inline_mut);
        mark_stored(responses.flat_map(|response| &mut response.content));
    }

    fn respond(self, plan: &Self::Plan, request: &HttpRequest) -> Result<HttpResponse> {
        plan.respond(self.page, self.listed, self.total, request)
    }
}
