//! Pagination by offset, with the parameters `offset` and `limit`.

use restwright_core::http::{HttpRequest, HttpResponse};
use restwright_core::operation::{Operation, ParameterLocation};
use restwright_core::part::ParameterPlan;
use restwright_core::problem::RequestViolations;
use restwright_core::schema::{PropertyCollection, Schema, boolean, typed, uint32, uint64};
use restwright_core::{BuildContext, BuildErrors, Part, RequestHead, Response, Result};
use serde::Serialize;

use super::envelope::{self, EnvelopeOf};
use super::{Counted, EnvelopePlan, Limits, ListSlice, Pagination, Totals, Window};

/// The query parameters `offset` (the number of items to skip) and `limit` (the maximum number of items to return).
/// [`Limits`] sets the maximum of both. The response is an [`OffsetResponse`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Offset {
    offset: u64,
    limit: u32,
}

impl Offset {
    /// Creates an offset that skips `offset` items and returns at most `limit` items. Returns `None` if `limit` is 0,
    /// or if their sum exceeds a signed 64-bit integer.
    ///
    /// ```
    /// use restwright_list::Offset;
    ///
    /// assert_eq!(Offset::new(40, 20).map(|offset| offset.limit()), Some(20));
    /// assert_eq!(Offset::new(40, 0), None);
    /// ```
    #[must_use]
    pub const fn new(offset: u64, limit: u32) -> Option<Self> {
        // Stores use signed 64-bit integers.
        match offset.checked_add(limit as u64) {
            Some(end) if limit > 0 && end <= i64::MAX as u64 => Some(Self { offset, limit }),
            _ => None,
        }
    }

    /// Returns the number of items to skip.
    #[must_use]
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// Returns the maximum number of items to return.
    #[must_use]
    pub fn limit(&self) -> u32 {
        self.limit
    }

    /// Creates the response for a page of items.
    #[must_use]
    pub fn respond<T, C: Totals>(&self, listed: ListSlice<T, C>) -> OffsetResponse<T, C> {
        OffsetResponse { offset: *self, listed }
    }
}

impl Pagination for Offset {
    fn window(&self) -> Window<'_> {
        Window::skip(self.offset, self.limit)
    }
}

/// Parses the query parameters `offset` and `limit` for an [`Offset`]. It is created when the Api is built.
#[derive(Debug)]
pub struct OffsetPlan {
    offset: ParameterPlan<u64>,
    limit: ParameterPlan<u32>,
}

impl Part for Offset {
    type Plan = OffsetPlan;

    fn plan(context: &mut BuildContext<'_>) -> Result<OffsetPlan, BuildErrors> {
        let mut errors = BuildErrors::new();
        let limits = errors.take(Limits::of_route(context)).unwrap_or_default();
        let offset = typed::<u64>(context.registry(), "offset").maximum(limits.largest_offset()).default_value(0);
        let offset = offset.description("The number of items to skip.");
        let offset = errors.take(context.parameter(ParameterLocation::Query, offset));
        let limit = errors.take(limits.parameter(context));
        EnvelopeOf::<Self>::impose(context, "OffsetResponse<..>");
        errors.finish(offset.zip(limit).map(|(offset, limit)| OffsetPlan { offset, limit }))
    }

    fn describe(plan: &OffsetPlan, operation: &mut Operation) {
        operation.is_list = true;
        plan.offset.describe(operation);
        plan.limit.describe(operation);
    }

    fn read(plan: &OffsetPlan, head: &RequestHead<'_>, violations: &mut RequestViolations) -> Option<Self> {
        let offset = plan.offset.read(head, violations);
        let limit = plan.limit.read(head, violations);
        Some(Self { offset: offset?, limit: limit? })
    }
}

/// The response to a request with an [`Offset`]. [`Offset::respond`] creates it.
///
/// The body is `{"data": [..], "pagination": {"offset", "limit", "total", "has_more"}}`. An
/// [`Uncounted`](super::Uncounted) response has no `total`.
///
/// The `Link` header contains the first, previous, next and last page, unless [`LinkHeader`](super::LinkHeader) is off.
/// The last page has no link if it is beyond the maximum offset.
#[derive(Clone, Debug)]
pub struct OffsetResponse<T, C = Counted> {
    offset: Offset,
    listed: ListSlice<T, C>,
}

impl<T, C> OffsetResponse<T, C> {
    /// Returns the offset and limit of the response.
    #[must_use]
    pub fn offset(&self) -> Offset {
        self.offset
    }

    /// Returns the items and the total.
    #[must_use]
    pub fn listed(&self) -> &ListSlice<T, C> {
        &self.listed
    }
}

#[derive(Serialize)]
struct OffsetJson {
    offset: u64,
    limit: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    total: Option<u64>,
    has_more: bool,
}

fn collection(counted: bool) -> PropertyCollection {
    let name = if counted { "OffsetPagination" } else { "UncountedOffsetPagination" };
    let offset = PropertyCollection::new(name)
        .description("The position of the items in the list.")
        .property(uint64("offset").description("The number of items that were skipped."))
        .property(uint32("limit").minimum(1).description("The maximum number of items in the response."));
    let offset = if counted { offset.property(uint64("total").description("The number of items.")) } else { offset };
    offset.property(boolean("has_more").description("True if more items follow."))
}

impl<T: Schema + Serialize + 'static, C: Totals> Response for OffsetResponse<T, C> {
    type Plan = EnvelopePlan;

    fn plan(context: &mut BuildContext<'_>) -> Result<EnvelopePlan, BuildErrors> {
        EnvelopeOf::<Offset>::check(context, "Offset", "OffsetResponse")?;
        let suffix = if C::COUNTED { "Offset" } else { "UncountedOffset" };
        let relations = "`first`, `prev`, `next`, and `last` if items are counted";
        EnvelopePlan::new::<T>(suffix, collection(C::COUNTED), relations, context)
    }

    fn describe(plan: &EnvelopePlan, operation: &mut Operation) {
        plan.describe(operation);
    }

    fn respond(self, plan: &EnvelopePlan, request: &HttpRequest) -> Result<HttpResponse> {
        let Offset { offset, limit } = self.offset;
        let step = u64::from(limit);
        let total = self.listed.totals.total();
        let has_more = self.listed.has_next();
        let shown = OffsetJson { offset, limit, total, has_more };
        let mut response = envelope::write(self.listed.shown()?, &shown)?;
        // The largest offset before the total that is a whole number of steps from this offset.
        let last = |total: u64| match total.saturating_sub(offset % step) {
            0 => 0,
            rest => offset % step + (rest - 1) / step * step,
        };
        plan.link(&mut response, request, "offset", limit, |links| {
            let mut add = |relation, offset: u64| links.add(relation, Some(("offset", &offset.to_string())));
            add("first", 0);
            if offset > 0 {
                let previous = offset.saturating_sub(step);
                add("prev", total.map_or(previous, |total| previous.min(last(total))));
            }
            if has_more {
                add("next", offset + step);
            }
            if let Some(total) = total {
                let last = last(total);
                if last <= plan.largest_offset() {
                    add("last", last);
                }
            }
        });
        Ok(response)
    }
}
