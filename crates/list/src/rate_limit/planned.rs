//! The limits of one operation, as its Api has planned them.

use std::ops::Range;
use std::pin::Pin;
use std::sync::Arc;

use restwright_core::http::HttpRequest;
use restwright_core::operation::Operation;
use restwright_core::{BuildErrors, Result, Stage};

use super::bucket_state::BucketState;
use super::memory::LimitId;
use super::settings::Settings;
use super::store::Kept;
use super::strategy::Caller;
use super::verdict::Verdict;
use super::{Quota, RateLimitKey, RateLimitStrategy};

/// The limits that an operation has, in the order in which they are charged. The first to which a request comes, before
/// authentication and behind it, charges those that follow there too, so that a store outside is asked once.
#[derive(Clone)]
pub(super) struct PlannedLimits {
    settings: Settings,
    limits: Vec<PlannedLimit>,
}

#[derive(Clone)]
pub(super) struct PlannedLimit {
    pub(super) name: Arc<str>,
    id: LimitId,
    /// Whether it is charged when the caller is known and allowed.
    late: bool,
    strategy: Arc<dyn RateLimitStrategy>,
}

/// What a request takes from one bucket.
pub(super) struct Charge<'l> {
    pub(super) limit: &'l PlannedLimit,
    pub(super) key: RateLimitKey,
    pub(super) cost: u32,
    pub(super) quota: Quota,
}

/// In memory the verdict is there at once, and costs no future.
pub(super) enum Charging<'r> {
    Done(Verdict),
    #[cfg_attr(not(feature = "redis"), expect(dead_code, reason = "no other store is built"))]
    Asking(Pin<Box<dyn Future<Output = Result<Verdict>> + 'r>>),
}

impl PlannedLimits {
    /// Adds a limit to those of an operation.
    pub(super) fn add(limit: PlannedLimit, operation: &mut Operation, settings: Settings) -> Result<(), BuildErrors> {
        let planned = operation.attachments.get::<Self>().cloned();
        let mut planned = planned.unwrap_or_else(|| Self { settings, limits: Vec::new() });
        if planned.limits.iter().any(|known| known.name == limit.name) {
            return Err(BuildErrors::one(format!(
                "the rate limit `{}` stands on this route twice; give one of them another name",
                limit.name
            )));
        }
        planned.settings.store.problem().into_iter().for_each(|kind| operation.add_problem(kind));
        planned.limits.push(limit);
        operation.attachments.insert(planned);
        Ok(())
    }

    pub(super) fn of(request: &HttpRequest) -> Option<&Self> {
        request.route()?.operation().attachments.get()
    }

    /// The positions of the limits that are due when a request comes to the limit of this id: itself and those that follow on
    /// its side of authentication, or none when it was charged by one before. `None` when it is not among the limits.
    ///
    /// One before need not have run: a middleware around it may have let the request pass.
    pub(super) fn due(&self, id: LimitId, charged: usize) -> Option<Range<usize>> {
        let position = self.limits.iter().position(|limit| limit.id == id)?;
        if position < charged {
            return Some(position..position);
        }
        let from = self.limits.get(position..)?;
        let late = from.first()?.late;
        Some(position..position + from.iter().take_while(|limit| limit.late == late).count())
    }

    /// Whether a request may come to more limits than one.
    pub(super) fn are_several(&self) -> bool {
        self.limits.len() > 1
    }

    /// Charges limits in their order; the first refusal ends it. Nothing counts the request when the store is away and that is
    /// to be no obstacle.
    pub(super) fn charge<'r>(
        &'r self,
        due: Range<usize>,
        before: Option<BucketState>,
        request: &'r HttpRequest,
    ) -> Charging<'r> {
        let caller = Caller::new(request, self.settings.proxies.as_ref());
        let limits = self.limits.get(due).unwrap_or_default();
        let charges = limits.iter().filter_map(|limit| limit.charge(&caller));
        match &self.settings.store.0 {
            Kept::Memory(store) => {
                let now = store.now();
                Charging::Done(Verdict::new(
                    before,
                    charges.map(|charge| {
                        let standing = store.charge(charge.limit.id, &charge.key, charge.quota, charge.cost, now);
                        (charge, standing)
                    }),
                ))
            }
            #[cfg(feature = "redis")]
            Kept::Redis(store) => {
                let charges: Vec<_> = charges.collect();
                Charging::Asking(Box::pin(async move {
                    let standings = store.charge(&charges).await?.unwrap_or_default();
                    Ok(Verdict::new(before, charges.into_iter().zip(standings)))
                }))
            }
        }
    }
}

impl PlannedLimit {
    pub(super) fn new(name: Arc<str>, id: LimitId, stage: Stage, strategy: Arc<dyn RateLimitStrategy>) -> Self {
        Self { name, id, late: stage > Stage::AddressLimit, strategy }
    }

    fn charge(&self, caller: &Caller<'_>) -> Option<Charge<'_>> {
        let key = self.strategy.key(caller)?;
        let (cost, quota) = (self.strategy.cost(caller), self.strategy.quota(caller));
        Some(Charge { limit: self, key, cost, quota })
    }
}
