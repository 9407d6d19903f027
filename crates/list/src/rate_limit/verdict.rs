//! What came of charging limits.

use std::sync::Arc;

use restwright_core::http::HttpRequest;
use restwright_core::problem::catalogue;
use restwright_core::{Problem, Result};

use super::bucket_state::{BucketState, seconds};
use super::planned::Charge;
use super::{Quota, headers};

/// How far the limits of a request have come; it travels with one that has several.
#[derive(Clone, Copy, Default)]
pub(super) struct Progress {
    /// How many of them were charged.
    pub(super) charged: usize,
    /// How the caller stands with the tightest that counted the request.
    pub(super) tightest: Option<BucketState>,
}

/// What a request got from limits that were charged together.
#[derive(Default)]
pub(super) struct Verdict {
    /// What the answer says; `None` when no limit counted the request.
    standing: Option<BucketState>,
    refusal: Option<Refusal>,
}

/// What a limit had no room for.
struct Refusal {
    limit: Arc<str>,
    cost: u32,
    quota: Quota,
    standing: BucketState,
}

impl Progress {
    pub(super) fn of(request: &HttpRequest) -> Self {
        request.extensions().get().copied().unwrap_or_default()
    }
}

impl Verdict {
    /// The tightest of the limits, those before included, or the first that refused.
    pub(super) fn new<'l>(
        before: Option<BucketState>,
        outcomes: impl Iterator<Item = (Charge<'l>, BucketState)>,
    ) -> Self {
        let mut tightest = before;
        for (charge, standing) in outcomes {
            if !standing.admitted {
                let Charge { limit, cost, quota, .. } = charge;
                let refusal = Refusal { limit: limit.name.clone(), cost, quota, standing };
                return Self { standing: Some(standing), refusal: Some(refusal) };
            }
            tightest = Some(tightest.map_or(standing, |earlier| earlier.tightest(standing)));
        }
        Self { standing: tightest, refusal: None }
    }

    /// Tells the client, and the limits behind when there are some. 429 when a limit refused.
    pub(super) fn report(self, request: &mut HttpRequest, charged: Option<usize>) -> Result<()> {
        let Self { standing, refusal } = self;
        if let Some(charged) = charged {
            request.extensions_mut().insert(Progress { charged, tightest: standing });
        }
        if let Some(standing) = &standing {
            headers::set(request, standing);
        }
        refusal.map_or(Ok(()), |refusal| Err(refusal.into_problem()))
    }
}

impl Refusal {
    fn into_problem(self) -> Problem {
        let Self { limit, cost, quota, standing } = self;
        let problem = Problem::new(catalogue::RATE_LIMITED);
        match standing.wait(quota, cost) {
            Some(wait) => problem
                .detail(format!("The limit `{limit}` admits no more requests for now."))
                .retry_after(seconds(wait).max(1)),
            // Without `Retry-After`, since it would be refused then too.
            None => problem.detail(format!(
                "This request counts as {cost}, and the limit `{limit}` admits {} at once.",
                standing.limit
            )),
        }
    }
}
