//! Offsets: how many items to leave out, and `limit`.

use restwright_core::http::{HttpRequest, HttpResponse};
use restwright_core::operation::{Operation, ParameterLocation};
use restwright_core::part::ParameterPlan;
use restwright_core::problem::{Location, RequestViolations};
use restwright_core::schema::{PropertyCollection, Schema, Violation, boolean, typed, uint32, uint64};
use restwright_core::{BuildContext, BuildErrors, Part, RequestHead, Response, Result};
use serde::Serialize;

use super::envelope::{self, Imposed};
use super::link::{self, Links};
use super::{Counted, EnvelopePlan, Limits, ListSlice, Pagination, Totals, Window};
use crate::codes;

/// How many items a client leaves out, and how many it wants at most ([`Limits`]). Answered with an [`OffsetResponse`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Offset {
    offset: u64,
    limit: u32,
}

impl Offset {
    /// At most so many items after the first `offset`; `None` when no request can have it, as a limit of 0, or more items than
    /// 64 signed bits count.
    ///
    /// ```
    /// use restwright_list::Offset;
    ///
    /// assert_eq!(Offset::new(40, 20).map(|offset| offset.limit()), Some(20));
    /// assert_eq!(Offset::new(40, 0), None);
    /// ```
    #[must_use]
    pub const fn new(offset: u64, limit: u32) -> Option<Self> {
        // Stores count with 64 signed bits.
        match offset.checked_add(limit as u64) {
            Some(end) if limit > 0 && end <= i64::MAX as u64 => Some(Self { offset, limit }),
            _ => None,
        }
    }

    /// How many items come before.
    #[must_use]
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// How many items are wanted at most.
    #[must_use]
    pub fn limit(&self) -> u32 {
        self.limit
    }

    /// The answer.
    #[must_use]
    pub fn respond<T, C: Totals>(&self, listed: ListSlice<T, C>) -> OffsetResponse<T, C> {
        OffsetResponse { offset: *self, listed }
    }
}

impl Pagination for Offset {
    fn window(&self) -> Window<'_> {
        Window::Skip { offset: self.offset, read: u64::from(self.limit) + 1 }
    }
}

/// How an [`Offset`] is read.
#[derive(Debug)]
pub struct OffsetPlan {
    offset: ParameterPlan<u64>,
    limit: ParameterPlan<u32>,
}

impl Part for Offset {
    type Plan = OffsetPlan;

    fn plan(planner: &mut BuildContext<'_>) -> Result<OffsetPlan, BuildErrors> {
        let mut errors = BuildErrors::new();
        let offset = typed::<u64>(planner.registry(), "offset").maximum(i64::MAX).default_value(0);
        let offset = offset.description("How many items come before the answer.");
        let offset = errors.take(planner.parameter(ParameterLocation::Query, offset));
        let limit = errors.take(Limits::of(planner).and_then(|limits| limits.parameter(planner)));
        Imposed::<Self>::on(planner, "OffsetResponse<..>");
        errors.finish(offset.zip(limit).map(|(offset, limit)| OffsetPlan { offset, limit }))
    }

    fn describe(plan: &OffsetPlan, operation: &mut Operation) {
        plan.offset.describe(operation);
        plan.limit.describe(operation);
    }

    fn read(plan: &OffsetPlan, head: &RequestHead<'_>, violations: &mut RequestViolations) -> Option<Self> {
        let offset = plan.offset.read(head, violations);
        let limit = plan.limit.read(head, violations);
        let (offset, limit) = (offset?, limit?);
        let offset = Self::new(offset, limit);
        if offset.is_none() {
            let violation = Violation::new("/offset", codes::OUT_OF_RANGE, "lies beyond what can be counted");
            violations.push(Location::Query, violation);
        }
        offset
    }
}

/// Items after an offset: `{"data": [..], "pagination": {"offset", "limit", "total", "has_more"}}`; an
/// [`Uncounted`](super::Uncounted) answer without `total`. Made by [`Offset::respond`].
///
/// `Link` leads to the first, previous, next and last items.
#[derive(Clone, Debug)]
pub struct OffsetResponse<T, C = Counted> {
    offset: Offset,
    listed: ListSlice<T, C>,
}

impl<T, C> OffsetResponse<T, C> {
    /// The offset.
    #[must_use]
    pub fn offset(&self) -> Offset {
        self.offset
    }

    /// The items, and how many there are.
    #[must_use]
    pub fn listed(&self) -> &ListSlice<T, C> {
        &self.listed
    }
}

#[derive(Serialize)]
struct Shown {
    offset: u64,
    limit: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    total: Option<u64>,
    has_more: bool,
}

fn collection(counted: bool) -> PropertyCollection {
    let name = if counted { "OffsetPagination" } else { "UncountedOffsetPagination" };
    let offset = PropertyCollection::new(name)
        .description("Which part of the list this is.")
        .property(uint64("offset").description("How many items come before."))
        .property(uint32("limit").minimum(1).description("How many items an answer has at most."));
    let offset =
        if counted { offset.property(uint64("total").description("How many items there are.")) } else { offset };
    offset.property(boolean("has_more").description("Whether items come after."))
}

impl<T: Schema + Serialize + 'static, C: Totals> Response for OffsetResponse<T, C> {
    type Plan = EnvelopePlan;

    fn plan(planner: &mut BuildContext<'_>) -> Result<EnvelopePlan, BuildErrors> {
        Imposed::<Offset>::check(planner, "Offset", "OffsetResponse")?;
        let suffix = if C::COUNTED { "Offset" } else { "UncountedOffset" };
        let header = link::header("`first`, `prev`, `next`, and `last` where items are counted");
        Ok(EnvelopePlan::new::<T>(suffix, collection(C::COUNTED), header, planner))
    }

    fn describe(plan: &EnvelopePlan, operation: &mut Operation) {
        plan.describe(operation);
    }

    fn respond(self, _: &EnvelopePlan, request: &HttpRequest) -> Result<HttpResponse> {
        let Offset { offset, limit } = self.offset;
        let step = u64::from(limit);
        let total = self.listed.totals.total();
        let has_more = self.listed.has_next();
        let shown = Shown { offset, limit, total, has_more };
        let mut response = envelope::write(self.listed.shown()?, &shown)?;
        let mut links = Links::keeping(request, "offset", limit);
        let mut add = |relation, offset: u64| links.add(relation, Some(("offset", &offset.to_string())));
        // The last multiple of the limit before the end, counted from where this answer starts.
        let last = |total: u64| match total.saturating_sub(offset % step) {
            0 => 0,
            rest => offset % step + (rest - 1) / step * step,
        };
        add("first", 0);
        if offset > 0 {
            let previous = offset.saturating_sub(step);
            add("prev", total.map_or(previous, |total| previous.min(last(total))));
        }
        if has_more {
            add("next", offset + step);
        }
        if let Some(total) = total {
            add("last", last(total));
        }
        links.write(&mut response);
        Ok(response)
    }
}
