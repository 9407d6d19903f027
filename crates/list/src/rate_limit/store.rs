//! Where buckets are kept.

use std::sync::Arc;

use restwright_core::BuildErrors;
#[cfg(feature = "redis")]
use restwright_core::Configuration;
use restwright_core::problem::ProblemKind;

use super::MemoryLimiter;
#[cfg(feature = "redis")]
use super::RedisLimiter;

/// Where the limits of an Api keep their buckets, a setting of the [`Configuration`](restwright_core::Configuration): a
/// [`MemoryLimiter`], or with the feature `redis` a [`RedisLimiter`]. Limits of one name share their buckets.
#[derive(Debug, Clone)]
pub struct LimiterStore(pub(super) Kept);

#[derive(Debug, Clone)]
pub(super) enum Kept {
    Memory(Arc<MemoryLimiter>),
    #[cfg(feature = "redis")]
    Redis(RedisLimiter),
}

impl LimiterStore {
    /// Whether it can be used.
    pub(super) fn check(&self) -> Result<(), BuildErrors> {
        match &self.0 {
            Kept::Memory(_) => Ok(()),
            #[cfg(feature = "redis")]
            Kept::Redis(store) => store.check(),
        }
    }

    /// Lets the host run what it needs.
    #[cfg(feature = "redis")]
    pub(super) fn register(&self, configuration: &mut Configuration) {
        if let Kept::Redis(store) = &self.0 {
            configuration.component(store.component());
        }
    }

    /// What an operation may answer because of this store.
    pub(super) fn problem(&self) -> Option<ProblemKind> {
        match &self.0 {
            Kept::Memory(_) => None,
            #[cfg(feature = "redis")]
            Kept::Redis(store) => store.problem(),
        }
    }
}

impl Default for LimiterStore {
    fn default() -> Self {
        MemoryLimiter::new().into()
    }
}

impl From<MemoryLimiter> for LimiterStore {
    fn from(store: MemoryLimiter) -> Self {
        Self(Kept::Memory(Arc::new(store)))
    }
}

impl From<Arc<MemoryLimiter>> for LimiterStore {
    fn from(store: Arc<MemoryLimiter>) -> Self {
        Self(Kept::Memory(store))
    }
}

#[cfg(feature = "redis")]
impl From<RedisLimiter> for LimiterStore {
    fn from(store: RedisLimiter) -> Self {
        Self(Kept::Redis(store))
    }
}
