//! Defines [`CursorResponse`], the response envelope of cursor pagination.

use restwright_core::http::{HttpRequest, HttpResponse};
use restwright_core::operation::Operation;
use restwright_core::schema::{PropertyCollection, Schema, boolean, string, uint32};
use restwright_core::{BuildContext, BuildErrors, Response, Result};
use serde::Serialize;

use super::Cursor;
use crate::pagination::envelope::{self, EnvelopeOf, EnvelopePlan};
use crate::pagination::{ListSlice, Uncounted};
use crate::sort::SharedSort;

/// The response to a request with a [`Cursor`]. [`Cursor::respond`] creates it.
///
/// The body is `{"data": [..], "pagination": {"limit", "current_cursor", "next_cursor", "previous_cursor",
/// "has_more"}}`.
///
/// The `Link` header contains the first, previous and next page, unless [`LinkHeader`](crate::LinkHeader) is off.
#[derive(Clone, Debug)]
pub struct CursorResponse<T> {
    pub(super) listed: ListSlice<T, Uncounted>,
    pub(super) limit: u32,
    pub(super) current: Option<String>,
    pub(super) next: Option<String>,
    pub(super) previous: Option<String>,
}

impl<T> CursorResponse<T> {
    /// Returns the items of the page, in order.
    #[must_use]
    pub fn items(&self) -> &[T] {
        &self.listed.items
    }

    /// Converts each item, for example to a type with fewer fields. The cursors stay the same.
    #[must_use]
    pub fn map<U>(self, map: impl FnMut(T) -> U) -> CursorResponse<U> {
        let Self { listed, limit, current, next, previous } = self;
        CursorResponse { listed: listed.map(map), limit, current, next, previous }
    }

    /// Returns the cursor of the next page, or `None` on the last page.
    #[must_use]
    pub fn next_cursor(&self) -> Option<&str> {
        self.next.as_deref()
    }

    /// Returns the cursor of the previous page, or `None` on the first page.
    #[must_use]
    pub fn previous_cursor(&self) -> Option<&str> {
        self.previous.as_deref()
    }
}

#[derive(Serialize)]
struct CursorJson<'r> {
    limit: u32,
    current_cursor: Option<&'r str>,
    next_cursor: Option<&'r str>,
    previous_cursor: Option<&'r str>,
    has_more: bool,
}

fn collection() -> PropertyCollection {
    PropertyCollection::new("CursorPagination")
        .description("The position of the items in the list.")
        .property(uint32("limit").minimum(1).description("The maximum number of items in the response."))
        .property(
            string("current_cursor")
                .nullable()
                .description("The cursor of this response. Null at the start of the list."),
        )
        .property(
            string("next_cursor").nullable().description("The cursor of the next items. Null at the end of the list."),
        )
        .property(
            string("previous_cursor")
                .nullable()
                .description("The cursor of the previous items. Null at the start of the list."),
        )
        .property(boolean("has_more").description(
            "True if there is a next page. That page is empty if all its items were deleted in the meantime.",
        ))
}

impl<T: Schema + Serialize + 'static> Response for CursorResponse<T> {
    type Plan = EnvelopePlan;

    fn plan(context: &mut BuildContext<'_>) -> Result<EnvelopePlan, BuildErrors> {
        EnvelopeOf::<Cursor>::check(context, "Cursor", "CursorResponse")?;
        if context.operation_state::<SharedSort>().get().is_none() {
            return Err(BuildErrors::one(
                "the request has a `Cursor`, which requires an order; add a field `sort: SortBag<..>` to it",
            ));
        }
        EnvelopePlan::new::<T>("Cursor", collection(), "`first`, `prev` and `next`", context)
    }

    fn describe(plan: &EnvelopePlan, operation: &mut Operation) {
        plan.describe(operation);
    }

    fn respond(self, plan: &EnvelopePlan, request: &HttpRequest) -> Result<HttpResponse> {
        let limit = self.limit;
        let (next, previous) = (self.next_cursor(), self.previous_cursor());
        let current_cursor = self.current.as_deref();
        let shown = CursorJson {
            limit,
            current_cursor,
            next_cursor: next,
            previous_cursor: previous,
            has_more: next.is_some(),
        };
        let mut response = envelope::write(self.listed.shown()?, &shown)?;
        plan.link(&mut response, request, "cursor", limit, |links| {
            links.add("first", None);
            if let Some(previous) = previous {
                links.add("prev", Some(("cursor", previous)));
            }
            if let Some(next) = next {
                links.add("next", Some(("cursor", next)));
            }
        });
        Ok(response)
    }
}
