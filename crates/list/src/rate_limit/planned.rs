//! The limits of one operation, as its Api has planned them.

use std::sync::Arc;

use restwright_core::http::HttpRequest;
use restwright_core::operation::Operation;
use restwright_core::{Configuration, Result, Stage, StartErrors};

use super::memory::LimitId;
use super::standing::Standing;
use super::store::Kept;
use super::strategy::Caller;
use super::{Quota, RateLimitKey, RateLimitStore, RateLimitStrategy};
use crate::address::TrustedProxies;

/// The limits that an operation has, in the order in which they are charged. The first of a stage charges all of that
/// stage, so that a store outside is asked once.
#[derive(Clone)]
pub(super) struct PlannedLimits {
    store: RateLimitStore,
    proxies: Option<TrustedProxies>,
    limits: Vec<PlannedLimit>,
}

#[derive(Clone)]
pub(super) struct PlannedLimit {
    pub(super) name: Arc<str>,
    id: LimitId,
    stage: Stage,
    strategy: Arc<dyn RateLimitStrategy>,
}

/// What a request takes from one bucket.
pub(super) struct Charge<'l> {
    pub(super) limit: &'l PlannedLimit,
    pub(super) key: RateLimitKey,
    pub(super) cost: u32,
    pub(super) quota: Quota,
}

/// What came of charging the limits of a stage.
pub(super) struct Verdict {
    /// How the caller stands with the tightest.
    pub(super) standing: Standing,
    /// The limit that refused, and what the request costs there.
    pub(super) refused_by: Option<(Arc<str>, u32)>,
}

impl PlannedLimits {
    /// Adds a limit to those of an operation.
    pub(super) fn add(
        limit: PlannedLimit,
        operation: &mut Operation,
        configuration: &mut Configuration,
    ) -> Result<(), StartErrors> {
        let mut planned = match operation.attachments.get::<Self>() {
            Some(planned) => planned.clone(),
            None => {
                Self { store: store(configuration), proxies: TrustedProxies::of(configuration)?, limits: Vec::new() }
            }
        };
        if planned.position(&limit.name).is_some() {
            return Err(StartErrors::one(format!(
                "the rate limit `{}` stands on this route twice; give one of them another name",
                limit.name
            )));
        }
        planned.store.check()?;
        planned.store.describe(operation);
        planned.limits.push(limit);
        operation.attachments.insert(planned);
        Ok(())
    }

    pub(super) fn of(request: &HttpRequest) -> Option<&Self> {
        request.route()?.operation().attachments.get()
    }

    /// The limits that the limit of this name charges: all of its stage when it is the first of them, else none. `None` when
    /// it is not among the limits.
    pub(super) fn led_by(&self, name: &str) -> Option<&[PlannedLimit]> {
        let position = self.position(name)?;
        let (before, from) = self.limits.split_at_checked(position)?;
        let stage = from.first()?.stage;
        if before.last().is_some_and(|earlier| earlier.stage == stage) {
            return Some(&[]);
        }
        let length = from.iter().take_while(|limit| limit.stage == stage).count();
        from.get(..length)
    }

    /// Charges limits in their order; the first refusal ends it. `None` when none of them counts the request, or when the
    /// store is away and that is to be no obstacle.
    pub(super) async fn charge(&self, limits: &[PlannedLimit], request: &HttpRequest) -> Result<Option<Verdict>> {
        let caller = Caller::new(request, self.proxies.as_ref());
        let charges = limits.iter().filter_map(|limit| limit.charge(&caller));
        match &self.store.0 {
            Kept::Memory(store) => {
                let now = store.now();
                Ok(verdict(charges.map(|charge| {
                    let standing = store.charge(charge.limit.id, &charge.key, charge.quota, charge.cost, now);
                    (charge.limit, charge.cost, standing)
                })))
            }
            #[cfg(feature = "redis")]
            Kept::Redis(store) => {
                let charges: Vec<_> = charges.collect();
                let standings = Box::pin(store.charge(&charges)).await?;
                let outcomes =
                    |standings| charges.iter().zip(standings).map(|(one, standing)| (one.limit, one.cost, standing));
                Ok(standings.and_then(|standings: Vec<_>| verdict(outcomes(standings))))
            }
        }
    }

    fn position(&self, name: &str) -> Option<usize> {
        self.limits.iter().position(|limit| *limit.name == *name)
    }
}

impl PlannedLimit {
    pub(super) fn new(name: Arc<str>, stage: Stage, strategy: Arc<dyn RateLimitStrategy>) -> Self {
        Self { id: LimitId::new(&name), name, stage, strategy }
    }

    fn charge(&self, caller: &Caller<'_>) -> Option<Charge<'_>> {
        let key = self.strategy.key(caller)?;
        let (cost, quota) = (self.strategy.cost(caller), self.strategy.quota(caller));
        Some(Charge { limit: self, key, cost, quota })
    }
}

/// The tightest of the outcomes, up to the first refusal.
fn verdict<'l>(outcomes: impl Iterator<Item = (&'l PlannedLimit, u32, Standing)>) -> Option<Verdict> {
    let mut tightest: Option<Standing> = None;
    for (limit, cost, standing) in outcomes {
        if standing.is_refused() {
            return Some(Verdict { standing, refused_by: Some((limit.name.clone(), cost)) });
        }
        tightest = Some(tightest.map_or(standing, |earlier| earlier.tightest(standing)));
    }
    tightest.map(|standing| Verdict { standing, refused_by: None })
}

/// The store of the configuration; without one the limits of an Api share one in memory.
fn store(configuration: &mut Configuration) -> RateLimitStore {
    if configuration.get::<RateLimitStore>().is_none() {
        configuration.insert(RateLimitStore::default());
    }
    configuration.get::<RateLimitStore>().cloned().unwrap_or_default()
}
