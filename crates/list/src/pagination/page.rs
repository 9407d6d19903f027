//! Pagination by page number, with the parameters `page` and `limit`. The first page is 1.

use restwright_core::http::{HttpRequest, HttpResponse};
use restwright_core::operation::{Operation, ParameterLocation};
use restwright_core::part::ParameterPlan;
use restwright_core::problem::{RequestViolations, ViolationLocation};
use restwright_core::schema::{Code, PropertyCollection, Schema, Violation, boolean, typed, uint32, uint64};
use restwright_core::{BuildContext, BuildErrors, Part, RequestHead, Response, Result};
use serde::Serialize;

use super::envelope::{self, EnvelopeOf};
use super::{Counted, EnvelopePlan, Limits, ListSlice, Pagination, Totals, Window};

/// The query parameters `page` (the page number) and `limit` (the maximum number of items per page). [`Limits`] sets
/// the maximum `limit` and the maximum offset of the page. The response is a [`PageResponse`].
///
/// ```
/// use restwright_list::{ListSlice, Page, PageResponse};
///
/// fn list(page: Page, names: &'static [String]) -> PageResponse<&'static String> {
///     let items = names.iter().skip(page.offset() as usize);
///     page.respond(ListSlice::new(&page, items).counted(names.len() as u64))
/// }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Page {
    number: u64,
    limit: u32,
}

impl Page {
    /// Creates the page with this number, starting at 1, and at most `limit` items. Returns `None` if `number` or
    /// `limit` is 0, or if `number * limit` exceeds a signed 64-bit integer.
    ///
    /// ```
    /// use restwright_list::Page;
    ///
    /// assert_eq!(Page::new(3, 20).map(|page| page.offset()), Some(40));
    /// assert_eq!(Page::new(0, 20), None);
    /// ```
    #[must_use]
    pub const fn new(number: u64, limit: u32) -> Option<Self> {
        // Stores use signed 64-bit integers.
        match number.checked_mul(limit as u64) {
            Some(end) if end > 0 && end <= i64::MAX as u64 => Some(Self { number, limit }),
            _ => None,
        }
    }

    /// Returns the number of the page, starting at 1.
    #[must_use]
    pub fn number(&self) -> u64 {
        self.number
    }

    /// Returns the maximum number of items on the page.
    #[must_use]
    pub fn limit(&self) -> u32 {
        self.limit
    }

    /// Returns the number of items before the page. A store skips these items.
    #[must_use]
    pub fn offset(&self) -> u64 {
        (self.number - 1) * u64::from(self.limit)
    }

    /// Creates the response for a page of items.
    #[must_use]
    pub fn respond<T, C: Totals>(&self, listed: ListSlice<T, C>) -> PageResponse<T, C> {
        PageResponse { page: *self, listed }
    }
}

impl Pagination for Page {
    fn window(&self) -> Window<'_> {
        Window::skip(self.offset(), self.limit)
    }
}

/// Parses the query parameters `page` and `limit` for a [`Page`]. It is created when the Api is built.
#[derive(Debug)]
pub struct PagePlan {
    number: ParameterPlan<u64>,
    limit: ParameterPlan<u32>,
    max_offset: u64,
}

impl Part for Page {
    type Plan = PagePlan;

    fn plan(context: &mut BuildContext<'_>) -> Result<PagePlan, BuildErrors> {
        let mut errors = BuildErrors::new();
        let limits = errors.take(Limits::of_route(context)).unwrap_or_default();
        // The documented maximum is the last page with a limit of 1. Each request is checked again with its own limit.
        let last = limits.largest_offset().saturating_add(1);
        let number = typed::<u64>(context.registry(), "page").minimum(1).maximum(last).default_value(1);
        let number = errors.take(
            context.parameter(ParameterLocation::Query, number.description("The number of the page, starting at 1.")),
        );
        let limit = errors.take(limits.parameter(context));
        EnvelopeOf::<Self>::impose(context, "PageResponse<..>");
        let max_offset = limits.largest_offset();
        errors.finish(number.zip(limit).map(|(number, limit)| PagePlan { number, limit, max_offset }))
    }

    fn describe(plan: &PagePlan, operation: &mut Operation) {
        operation.is_list = true;
        plan.number.describe(operation);
        plan.limit.describe(operation);
    }

    fn read(plan: &PagePlan, head: &RequestHead<'_>, violations: &mut RequestViolations) -> Option<Self> {
        let number = plan.number.read(head, violations);
        let limit = plan.limit.read(head, violations);
        let (number, limit) = (number?, limit?);
        let last = last_page(plan.max_offset, limit);
        if number > last {
            let message = format!("must be at most {last} with a `limit` of {limit}");
            let violation = Violation::new("/page", Code::MAXIMUM, message).param("maximum", last);
            violations.push(ViolationLocation::Query, violation);
            return None;
        }
        Some(Self { number, limit })
    }
}

/// Returns the number of the last page whose offset does not exceed `max_offset`.
fn last_page(max_offset: u64, limit: u32) -> u64 {
    (max_offset / u64::from(limit.max(1))).saturating_add(1)
}

/// The response to a request with a [`Page`]. [`Page::respond`] creates it.
///
/// The body is `{"data": [..], "pagination": {"page", "page_size", "total", "total_pages", "has_more"}}`. An
/// [`Uncounted`](super::Uncounted) response has no `total` and `total_pages`.
///
/// The `Link` header contains the first, previous, next and last page, unless [`LinkHeader`](super::LinkHeader) is off.
/// The last page has no link if it is beyond the maximum offset.
#[derive(Clone, Debug)]
pub struct PageResponse<T, C = Counted> {
    page: Page,
    listed: ListSlice<T, C>,
}

impl<T, C> PageResponse<T, C> {
    /// Returns the page number and limit of the response.
    #[must_use]
    pub fn page(&self) -> Page {
        self.page
    }

    /// Returns the items and the total.
    #[must_use]
    pub fn listed(&self) -> &ListSlice<T, C> {
        &self.listed
    }
}

#[derive(Serialize)]
struct PageJson {
    page: u64,
    page_size: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    total: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    total_pages: Option<u64>,
    has_more: bool,
}

fn collection(counted: bool) -> PropertyCollection {
    let page = typed_page(if counted { "PagePagination" } else { "UncountedPagePagination" });
    let page = if counted {
        page.property(uint64("total").description("The number of items."))
            .property(uint64("total_pages").description("The number of pages."))
    } else {
        page
    };
    page.property(boolean("has_more").description("True if there is a next page."))
}

fn typed_page(name: &'static str) -> PropertyCollection {
    PropertyCollection::new(name)
        .description("The position of the page in the list.")
        .property(uint64("page").minimum(1).description("The number of the page, starting at 1."))
        .property(uint32("page_size").minimum(1).description("The maximum number of items on a page."))
}

impl<T: Schema + Serialize + 'static, C: Totals> Response for PageResponse<T, C> {
    type Plan = EnvelopePlan;

    fn plan(context: &mut BuildContext<'_>) -> Result<EnvelopePlan, BuildErrors> {
        EnvelopeOf::<Page>::check(context, "Page", "PageResponse")?;
        let suffix = if C::COUNTED { "Page" } else { "UncountedPage" };
        let relations = "`first`, `prev`, `next`, and `last` if items are counted";
        EnvelopePlan::new::<T>(suffix, collection(C::COUNTED), relations, context)
    }

    fn describe(plan: &EnvelopePlan, operation: &mut Operation) {
        plan.describe(operation);
    }

    fn respond(self, plan: &EnvelopePlan, request: &HttpRequest) -> Result<HttpResponse> {
        let Page { number, limit } = self.page;
        let total = self.listed.totals.total();
        let total_pages = total.map(|total| total.div_ceil(limit.into()));
        let has_more = self.listed.has_next();
        let shown = PageJson { page: number, page_size: limit, total, total_pages, has_more };
        let mut response = envelope::write(self.listed.shown()?, &shown)?;
        plan.link(&mut response, request, "page", limit, |links| {
            let mut add = |relation, page: u64| links.add(relation, Some(("page", &page.to_string())));
            add("first", 1);
            if number > 1 {
                add("prev", total_pages.map_or(number - 1, |last| last.clamp(1, number - 1)));
            }
            if has_more {
                add("next", number + 1);
            }
            if let Some(last) = total_pages {
                let last = last.max(1);
                if last <= last_page(plan.largest_offset(), limit) {
                    add("last", last);
                }
            }
        });
        Ok(response)
    }
}
