//! A part with a custom plan that imposes its envelope on the response.

use std::marker::PhantomData;

use restwright_core::body::write_json;
use restwright_core::http::{HttpRequest, HttpResponse, StatusCode};
use restwright_core::operation::{MediaTypeObject, Operation, ParameterLocation, SchemaUse};
use restwright_core::part::ParameterPlan;
use restwright_core::problem::RequestViolations;
use restwright_core::schema::{Property, PropertyCollection, Schema, array, boolean, object, typed, uint32, uint64};
use restwright_core::{BuildContext, BuildErrors, Part, RequestHead, Response, Result};
use serde::Serialize;
use serde_json::json;

/// The requested page: `page` from 1, `limit` from 1 to 50.
pub(crate) struct Page {
    number: u32,
    limit: u32,
}

pub(crate) struct PagePlan {
    number: ParameterPlan<Option<u32>>,
    limit: ParameterPlan<Option<u32>>,
}

/// The members next to `data`.
struct Envelope(Property);

impl Part for Page {
    type Plan = PagePlan;

    fn plan(context: &mut BuildContext<'_>) -> Result<PagePlan, BuildErrors> {
        let mut errors = BuildErrors::new();
        let number = typed::<Option<u32>>(context.registry(), "page").minimum(1).default_value(1);
        let limit = typed::<Option<u32>>(context.registry(), "limit").minimum(1).maximum(50).default_value(20);
        let number = errors.take(context.parameter(ParameterLocation::Query, number));
        let limit = errors.take(context.parameter(ParameterLocation::Query, limit));
        let envelope = Envelope(object(
            "pagination",
            PropertyCollection::new("PagePagination")
                .property(uint32("page"))
                .property(uint32("page_size"))
                .property(uint64("total"))
                .property(boolean("has_more")),
        ));
        context.impose(envelope, "ListSlice<..>");
        errors.finish(number.zip(limit).map(|(number, limit)| PagePlan { number, limit }))
    }

    fn describe(plan: &PagePlan, operation: &mut Operation) {
        plan.number.describe(operation);
        plan.limit.describe(operation);
    }

    fn read(plan: &PagePlan, head: &RequestHead<'_>, violations: &mut RequestViolations) -> Option<Self> {
        let number = plan.number.read(head, violations);
        let limit = plan.limit.read(head, violations);
        Some(Self { number: number?.unwrap_or(1), limit: limit?.unwrap_or(20) })
    }
}

impl Page {
    /// Returns the response with this page of all items.
    pub(crate) fn of<T: Clone>(&self, all: &[T]) -> ListSlice<T> {
        let skipped = (self.number as usize - 1) * self.limit as usize;
        let items = all.iter().skip(skipped).take(self.limit as usize).cloned().collect();
        ListSlice { items, number: self.number, limit: self.limit, total: all.len() }
    }
}

/// A page of items in its envelope; created only by [`Page::of`].
pub(crate) struct ListSlice<T> {
    items: Vec<T>,
    number: u32,
    limit: u32,
    total: usize,
}

pub(crate) struct ListedPlan<T>(SchemaUse, PhantomData<fn() -> T>);

impl<T: Schema + Serialize + 'static> Response for ListSlice<T> {
    type Plan = ListedPlan<T>;

    fn plan(context: &mut BuildContext<'_>) -> Result<ListedPlan<T>, BuildErrors> {
        let item = T::schema_type(context.registry());
        let name = format!("{}Page", item.label());
        let Some(Envelope(pagination)) = context.imposed::<Envelope>() else {
            return Err(BuildErrors::one("the response is a page; add a field `page: Page` to the request"));
        };
        let envelope = PropertyCollection::new(name).property(array("data", item)).property(pagination.clone());
        Ok(ListedPlan(SchemaUse::output(envelope), PhantomData))
    }

    fn describe(plan: &ListedPlan<T>, operation: &mut Operation) {
        operation.response(StatusCode::OK).content.push(MediaTypeObject::json(plan.0.clone()));
    }

    fn respond(self, _: &ListedPlan<T>, _: &HttpRequest) -> Result<HttpResponse> {
        let has_more = (self.number as usize) * (self.limit as usize) < self.total;
        let pagination =
            json!({"page": self.number, "page_size": self.limit, "total": self.total, "has_more": has_more});
        let mut response = HttpResponse::new(StatusCode::OK);
        write_json(&json!({"data": self.items, "pagination": pagination}), &mut response)?;
        Ok(response)
    }
}
