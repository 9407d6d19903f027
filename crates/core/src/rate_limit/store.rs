//! Defines the trait for stores of rate limit buckets.

use std::fmt;
use std::future::Future;
use std::sync::Arc;

use super::{BucketState, Quota, RateLimitKey};
use crate::build_context::{ApiState, BuildContext};
use crate::build_errors::BuildErrors;
use crate::component::{Component, ComponentError};
use crate::configuration::Configuration;
use crate::future::BoxFuture;
use crate::report::Report;

/// A store of rate limit buckets. Set it with [`Configuration::limiter_store`].
///
/// A store is a [`Component`]. An Api with a limit starts, stops and checks its store like its other components. Do not
/// register the store as a component a second time.
///
/// ```
/// use std::collections::HashMap;
/// use std::sync::Mutex;
///
/// use restwright_core::rate_limit::{BucketState, Charge, LimiterStore};
/// use restwright_core::{ApiState, BuildContext, BuildErrors, Component, ComponentClock, ComponentError};
///
/// /// Grows without bound, so it is an example only.
/// #[derive(Default)]
/// struct Simple {
///     clock: ComponentClock,
///     /// The time at which each bucket is full.
///     full_at: Mutex<HashMap<String, u64>>,
/// }
///
/// impl Component for Simple {
///     fn name(&self) -> &str {
///         "simple limits"
///     }
/// }
///
/// impl LimiterStore for Simple {
///     async fn charge(&self, charges: &[Charge<'_>]) -> Result<Vec<BucketState>, ComponentError> {
///         let now = self.clock.elapsed();
///         let mut full_at = self.full_at.lock().unwrap();
///         let mut states = Vec::new();
///         for charge in charges {
///             let name = format!("{}:{}:{}", charge.limit(), charge.key().kind(), charge.key().value());
///             let held = full_at.entry(name).or_default();
///             let until_full = std::time::Duration::from_micros(*held).saturating_sub(now);
///             let charged = until_full + charge.quota().interval() * charge.cost();
///             let admitted = charged <= charge.quota().interval() * charge.quota().limit();
///             if admitted {
///                 *held = (now + charged).as_micros() as u64;
///                 states.push(BucketState::admitted(charge.quota(), charged));
///             } else {
///                 states.push(BucketState::refused(charge.quota(), until_full));
///                 break;
///             }
///         }
///         Ok(states)
///     }
///
///     fn plan(&self, context: &mut BuildContext<'_, ApiState>) -> Result<(), BuildErrors> {
///         self.clock.plan(context)
///     }
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a rate limit store",
    note = "implement `Component` and `LimiterStore` for it, or use `MemoryLimiter` or `RedisLimiter`"
)]
pub trait LimiterStore: Component {
    /// Charges the buckets in order and returns their states. Stops after the first bucket that rejects the request.
    ///
    /// The result includes the state of the bucket that rejected the request.
    ///
    /// A request with cost 0 is admitted. A request that costs more than a full bucket is rejected. Charges before a
    /// rejection remain, unless the documentation of the store says that it refunds them.
    ///
    /// The Api sets no timeout here. A store that calls a server must set a timeout itself.
    ///
    /// # Errors
    /// The buckets could not be charged. [`when_unavailable`](Self::when_unavailable) then decides about the request. A
    /// result that omits a bucket is also an error.
    fn charge(&self, charges: &[Charge<'_>]) -> impl Future<Output = Result<Vec<BucketState>, ComponentError>> + Send;

    /// Returns whether requests are admitted if [`charge`](Self::charge) fails. By default, they are rejected with a
    /// 503.
    fn when_unavailable(&self) -> WhenUnavailable {
        WhenUnavailable::FailClosed
    }

    /// Prepares the store when an Api with a limit is built. Implement this method to check settings and to use the
    /// clock of the Api.
    ///
    /// # Errors
    /// The store cannot be used. Building the Api then fails.
    fn plan(&self, context: &mut BuildContext<'_, ApiState>) -> Result<(), BuildErrors> {
        let _ = context;
        Ok(())
    }
}

/// Defines whether requests are admitted or rejected if the store fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum WhenUnavailable {
    /// The request is admitted and not counted. Its response has no `X-RateLimit` headers.
    FailOpen,
    /// The request is rejected with a 503. The OpenAPI document contains this response.
    FailClosed,
}

/// The bucket that a request is charged to, and the cost of the request. The cost is the number of requests to take
/// from the bucket.
#[derive(Debug, Clone)]
pub struct Charge<'a> {
    limit: &'a str,
    key: RateLimitKey,
    quota: Quota,
    cost: u32,
}

impl<'a> Charge<'a> {
    /// Creates a charge of `cost` requests to a bucket. The name of the limit and the key identify the bucket.
    #[must_use]
    pub fn new(limit: &'a str, key: RateLimitKey, quota: Quota, cost: u32) -> Self {
        Self { limit, key, quota, cost }
    }

    /// Returns the name of the limit. Limits with the same name share their buckets.
    #[must_use]
    pub fn limit(&self) -> &'a str {
        self.limit
    }

    /// Returns the key that distinguishes the bucket from other buckets of the same limit.
    #[must_use]
    pub fn key(&self) -> &RateLimitKey {
        &self.key
    }

    /// Returns the quota of the bucket.
    #[must_use]
    pub fn quota(&self) -> Quota {
        self.quota
    }

    /// Returns the cost, which is the number of requests to take from the bucket.
    #[must_use]
    pub fn cost(&self) -> u32 {
        self.cost
    }
}

impl Configuration {
    /// Sets the store for rate limit buckets. By default, the limits of an Api share an in-memory store.
    #[must_use]
    pub fn limiter_store(self, store: impl LimiterStore) -> Self {
        self.with(SharedLimiterStore::new(store))
    }
}

impl<S: LimiterStore> LimiterStore for Arc<S> {
    async fn charge(&self, charges: &[Charge<'_>]) -> Result<Vec<BucketState>, ComponentError> {
        (**self).charge(charges).await
    }

    fn when_unavailable(&self) -> WhenUnavailable {
        (**self).when_unavailable()
    }

    fn plan(&self, context: &mut BuildContext<'_, ApiState>) -> Result<(), BuildErrors> {
        (**self).plan(context)
    }
}

/// A shared, type-erased [`LimiterStore`].
#[derive(Clone)]
pub struct SharedLimiterStore(Arc<dyn ErasedLimiterStore>);

impl SharedLimiterStore {
    /// Creates a shared store from a [`LimiterStore`].
    #[must_use]
    pub fn new(store: impl LimiterStore) -> Self {
        Self(Arc::new(store))
    }
}

impl Component for SharedLimiterStore {
    fn name(&self) -> &str {
        self.0.name()
    }

    async fn start(&self) -> Result<(), ComponentError> {
        self.0.start().await
    }

    async fn ready(&self) -> Result<(), ComponentError> {
        self.0.ready().await
    }

    async fn stop(&self) {
        self.0.stop().await;
    }

    fn report(&self, report: &mut Report) {
        self.0.report(report);
    }
}

impl LimiterStore for SharedLimiterStore {
    async fn charge(&self, charges: &[Charge<'_>]) -> Result<Vec<BucketState>, ComponentError> {
        let states = self.0.charge(charges).await?;
        let complete = match states.last() {
            Some(last) if !last.is_admitted() => states.len() <= charges.len(),
            _ => states.len() == charges.len(),
        };
        if complete { Ok(states) } else { Err(format!("`{}` left out a bucket", self.0.name()).into()) }
    }

    fn when_unavailable(&self) -> WhenUnavailable {
        self.0.when_unavailable()
    }

    fn plan(&self, context: &mut BuildContext<'_, ApiState>) -> Result<(), BuildErrors> {
        self.0.plan(context)
    }
}

impl fmt::Debug for SharedLimiterStore {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("SharedLimiterStore").field(&self.0.name()).finish()
    }
}

trait ErasedLimiterStore: crate::component::ErasedComponent {
    fn charge<'a>(&'a self, charges: &'a [Charge<'a>]) -> BoxFuture<'a, Result<Vec<BucketState>, ComponentError>>;
    fn when_unavailable(&self) -> WhenUnavailable;
    fn plan(&self, context: &mut BuildContext<'_, ApiState>) -> Result<(), BuildErrors>;
}

impl<S: LimiterStore> ErasedLimiterStore for S {
    fn charge<'a>(&'a self, charges: &'a [Charge<'a>]) -> BoxFuture<'a, Result<Vec<BucketState>, ComponentError>> {
        Box::pin(LimiterStore::charge(self, charges))
    }

    fn when_unavailable(&self) -> WhenUnavailable {
        LimiterStore::when_unavailable(self)
    }

    fn plan(&self, context: &mut BuildContext<'_, ApiState>) -> Result<(), BuildErrors> {
        LimiterStore::plan(self, context)
    }
}
