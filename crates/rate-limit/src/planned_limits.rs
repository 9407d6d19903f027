//! Defines [`PlannedLimits`], the rate limits of one operation.

use std::ops::Range;
use std::sync::Arc;

use restwright_core::client_address::TrustedProxies;
use restwright_core::http::HttpRequest;
use restwright_core::problem::catalogue;
use restwright_core::rate_limit::{Charge, LimiterStore, RateLimitFields, WhenUnavailable};
use restwright_core::runtime::{Ipv6Prefix, SharedLimiterStore};
use restwright_core::{BuildContext, BuildErrors, Problem, Result, Stage};

use crate::limit_counts::LimitCounts;
use crate::limit_state::{LimitState, TightestLimitIsRead};
use crate::strategy::{LimitedRequest, RateLimitStrategy};
use crate::verdict::Verdict;

/// The rate limits of one operation, in the order in which they are charged. The first limit of a stage also charges
/// the later limits of that stage. A store outside the process is then called once per stage.
pub(super) struct PlannedLimits {
    store: SharedLimiterStore,
    proxies: Option<TrustedProxies>,
    ipv6_prefix: Ipv6Prefix,
    fields: RateLimitFields,
    /// `true` if the controller reads the state of the tightest limit.
    is_read: bool,
    limits: Vec<PlannedLimit>,
}

pub(super) struct PlannedLimit {
    name: Arc<str>,
    /// `true` if the limit is charged after authorisation.
    late: bool,
    strategy: Arc<dyn RateLimitStrategy>,
    counts: Arc<LimitCounts>,
}

impl PlannedLimits {
    /// Adds a rate limit to an operation.
    pub(super) fn add(
        limit: PlannedLimit,
        context: &mut BuildContext<'_>,
        store: SharedLimiterStore,
        ipv6_prefix: Ipv6Prefix,
    ) -> Result<(), BuildErrors> {
        let proxies = context.configuration().get().cloned();
        let fields = context.configuration().get().copied().unwrap_or_default();
        let is_read = context.operation_state::<TightestLimitIsRead>().0;
        let refuses = store.when_unavailable() == WhenUnavailable::FailClosed;
        let kept = context.kept::<Option<Self>>();
        let planned =
            kept.get_or_insert_with(|| Self { store, proxies, ipv6_prefix, fields, is_read, limits: Vec::new() });
        if planned.limits.iter().any(|known| known.name == limit.name) {
            return Err(BuildErrors::one(format!(
                "the rate limit `{}` is on this route twice; rename or remove one of them",
                limit.name
            )));
        }
        planned.limits.push(limit);
        if refuses {
            context.operation().add_problem(catalogue::UNAVAILABLE);
        }
        Ok(())
    }

    /// Returns the rate limits of the operation that the request was routed to.
    pub(super) fn from_request(request: &HttpRequest) -> Option<&Self> {
        request.route()?.kept::<Option<Self>>()?.as_ref()
    }

    /// Returns the range of limits to charge together when a request reaches the limit `name`. It contains this limit
    /// and the later limits of its stage. It is empty if an earlier limit already charged it. Returns `None` if the
    /// limit was not planned.
    ///
    /// A middleware may skip its inner limit, so earlier limits may not have run.
    pub(super) fn due(&self, name: &str, charged: usize) -> Option<Range<usize>> {
        let position = self.limits.iter().position(|limit| *limit.name == *name)?;
        if position < charged {
            return Some(position..position);
        }
        let from = self.limits.get(position..)?;
        let late = from.first()?.late;
        Some(position..position + from.iter().take_while(|limit| limit.late == late).count())
    }

    /// Returns `true` if requests must store their `LimitProgress`. This is the case if the operation has several limits, or
    /// if its controller reads the state.
    pub(super) fn keep_progress(&self) -> bool {
        self.is_read || self.limits.len() > 1
    }

    /// Charges a range of rate limits in order, up to the first limit that rejects the request.
    pub(super) async fn charge(
        &self,
        due: Range<usize>,
        before: Option<LimitState>,
        request: &HttpRequest,
    ) -> Result<Verdict> {
        let caller = LimitedRequest::new(request, self.proxies.as_ref(), self.ipv6_prefix);
        let limits = self.limits.get(due).unwrap_or_default();
        let charges: Vec<_> = limits.iter().filter_map(|limit| limit.charge(&caller)).collect();
        let charged = || charges.iter().filter_map(|charge| limits.iter().find(|limit| *limit.name == *charge.limit()));
        let states = match (charges.is_empty(), self.store.when_unavailable()) {
            (true, _) => Vec::new(),
            (false, when_unavailable) => match (self.store.charge(&charges).await, when_unavailable) {
                (Ok(states), _) => states,
                (Err(error), when_unavailable) => {
                    charged().for_each(|limit| limit.counts.failed());
                    if when_unavailable == WhenUnavailable::FailClosed {
                        return Err(Problem::unavailable(format!("the rate limits were not charged: {error}")));
                    }
                    Vec::new()
                }
            },
        };
        charged().zip(&states).for_each(|(limit, state)| limit.counts.charged(state.is_admitted()));
        Ok(Verdict::new(self.fields, before, &charges, &states))
    }
}

impl PlannedLimit {
    pub(super) fn new(
        name: Arc<str>,
        stage: Stage,
        strategy: Arc<dyn RateLimitStrategy>,
        counts: Arc<LimitCounts>,
    ) -> Self {
        Self { name, late: stage > Stage::AddressLimit, strategy, counts }
    }

    fn charge(&self, caller: &LimitedRequest<'_>) -> Option<Charge<'_>> {
        let key = self.strategy.key(caller)?;
        Some(Charge::new(&self.name, key, self.strategy.quota(caller), self.strategy.cost(caller)))
    }
}
