//! Defines [`ListedPage`], the response to a list.

use restwright_core::http::{HeaderName, HeaderValue, HttpRequest, HttpResponse, Method, StatusCode};
use restwright_core::operation::{HeaderObject, Operation, OrReference, SchemaUse};
use restwright_core::schema::SchemaObject;
use restwright_core::{BuildContext, BuildErrors, Result};

use super::shown::Unmasked;
use crate::endpoints::declare::report_once::report_once;
use crate::endpoints::declare::settings::resource_of;
use crate::endpoints::erased::item::{Item, ListedEntities, items};
use crate::endpoints::erased::kind::Shape;
use crate::endpoints::erased::member_changes::MemberChanges;
use crate::endpoints::erased::paginates::{AnyPage, WritesPage};
use crate::endpoints::read::plain_text::mark_stored;

/// The header that lists the media types of a `QUERY` (RFC 10008, section 3).
pub(in crate::endpoints) const ACCEPT_QUERY: HeaderName = HeaderName::from_static("accept-query");

/// The value of `Accept-Query`.
pub(in crate::endpoints) const QUERY_MEDIA_TYPES: HeaderValue = HeaderValue::from_static("\"application/json\"");

/// A 200 response with one page of entities.
pub(in crate::endpoints) struct ListedPage {
    pub(in crate::endpoints) page: Box<dyn AnyPage>,
    pub(in crate::endpoints) listed: ListedEntities,
    pub(in crate::endpoints) total: u64,
}

impl Unmasked for ListedPage {
    /// The plan of the page, and `true` if the path of the response supports `QUERY`.
    type Plan = (Box<dyn WritesPage>, bool);

    fn plan(context: &mut BuildContext<'_>) -> Result<Self::Plan, BuildErrors> {
        let (kind, pagination) = {
            let resource = resource_of(context)?;
            (resource.kind, resource.pagination)
        };
        let (item, _) = kind.schema(Shape::Item, context.registry());
        if item.is_nullable() {
            context.api_errors().push(format!(
                "the items of the list of `{}` can be null; use a type for `Resource::Item` that is not an `Option`",
                kind.type_name()
            ));
        }
        context.registry().set_run_time_schema::<Item>(item.schema_type().clone());
        let page = pagination.paginates().plan_response(context);
        let page = report_once(page, context)?;
        Ok((page, context.operation().method != Method::POST))
    }

    fn describe((plan, supports_query): &Self::Plan, operation: &mut Operation) {
        plan.describe(operation);
        if *supports_query {
            let header = HeaderObject::new("Accept-Query", SchemaUse::output(SchemaObject::string()));
            let header = header.description("The media types of the body of a `QUERY` request (RFC 10008).");
            operation.response(StatusCode::OK).add_header(header);
        }
        let responses = operation.responses.iter_mut().filter_map(OrReference::inline_mut);
        mark_stored(responses.flat_map(|response| &mut response.content));
    }

    fn respond(
        self,
        (plan, supports_query): &Self::Plan,
        request: &HttpRequest,
        changes: Option<MemberChanges>,
    ) -> Result<HttpResponse> {
        let items = items(self.listed, &self.page.cursor_fields(), changes.as_ref())?;
        let mut response = plan.respond(self.page, items, self.total, request)?;
        if *supports_query {
            response.insert_header(ACCEPT_QUERY, QUERY_MEDIA_TYPES);
        }
        Ok(response)
    }
}
