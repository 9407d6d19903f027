//! Defines [`Verdict`], the result of charging limits, and [`LimitProgress`], which counts the limits charged so far.

use restwright_core::http::HttpRequest;
use restwright_core::problem::catalogue;
use restwright_core::rate_limit::{BucketState, Charge, RateLimitFields};
use restwright_core::{Problem, Result};

use crate::headers::{self, seconds};
use crate::limit_state::LimitState;

/// The progress of a request through the rate limits of its operation. It is stored only if the operation has several
/// limits, or if its controller reads the state.
#[derive(Clone, Default)]
pub(super) struct LimitProgress {
    /// The number of limits that have been charged so far.
    pub(super) charged: usize,
    /// The state of the tightest limit that counted the request.
    pub(super) tightest: Option<LimitState>,
}

/// The result of charging several limits together.
pub(super) struct Verdict {
    fields: RateLimitFields,
    /// The limit state that the response headers report, or `None` if no limit counted the request.
    state: Option<LimitState>,
    refusal: Option<Problem>,
}

impl LimitProgress {
    pub(super) fn from_request(request: &HttpRequest) -> Self {
        request.extensions().get().cloned().unwrap_or_default()
    }
}

impl Verdict {
    /// Selects the limit whose state the response headers report. It is the first limit that rejects the request, or
    /// else the tightest limit, including `before`.
    pub(super) fn new(
        fields: RateLimitFields,
        before: Option<LimitState>,
        charges: &[Charge<'_>],
        states: &[BucketState],
    ) -> Self {
        let mut tightest: Option<(&Charge<'_>, BucketState)> = None;
        for (charge, state) in charges.iter().zip(states) {
            if !state.is_admitted() {
                let refusal = Some(refusal(charge, state));
                return Self { fields, state: Some(LimitState::new(charge, *state)), refusal };
            }
            if tightest.is_none_or(|(_, earlier)| earlier.tightest(*state) != earlier) {
                tightest = Some((charge, *state));
            }
        }
        let found = tightest.map(|(charge, state)| LimitState::new(charge, state));
        let state = match (before, found) {
            (Some(before), Some(found)) => Some(before.tightest(found)),
            (before, found) => before.or(found),
        };
        Self { fields, state, refusal: None }
    }

    /// Sets the rate limit headers of the response. If `charged` is set, stores the progress of the request.
    ///
    /// # Errors
    /// Fails with 429 if a limit rejects the request.
    pub(super) fn report(self, request: &mut HttpRequest, charged: Option<usize>) -> Result<()> {
        let Self { fields, state, refusal } = self;
        if let Some(state) = &state {
            headers::set(fields, request, state);
        }
        if let Some(charged) = charged {
            request.extensions_mut().insert(LimitProgress { charged, tightest: state });
        }
        refusal.map_or(Ok(()), Err)
    }
}

fn refusal(charge: &Charge<'_>, state: &BucketState) -> Problem {
    let problem = Problem::new(catalogue::RATE_LIMITED);
    match state.wait(charge.quota(), charge.cost()) {
        Some(wait) => problem
            .detail(format!("The limit `{}` is exceeded.", charge.limit()))
            .detail_key("rate_limited.wait")
            .detail_param("limit", charge.limit())
            .retry_after(seconds(wait).max(1)),
        // `Retry-After` is missing, because a later request would also be rejected.
        None => problem
            .detail(format!(
                "This request costs {}, but the limit `{}` allows at most {}.",
                charge.cost(),
                charge.limit(),
                state.limit()
            ))
            .detail_key("rate_limited.cost")
            .detail_param("limit", charge.limit())
            .detail_param("cost", charge.cost())
            .detail_param("most", state.limit()),
    }
}
