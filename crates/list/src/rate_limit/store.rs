//! Where buckets are kept.

use std::sync::Arc;

#[cfg(feature = "redis")]
use restwright_core::Configuration;
use restwright_core::StartErrors;
use restwright_core::problem::ProblemKind;

use super::MemoryStore;
#[cfg(feature = "redis")]
use super::RedisStore;

/// Where the limits of an Api keep their buckets, a setting of the [`Configuration`](restwright_core::Configuration): a
/// [`MemoryStore`], or with the feature `redis` a [`RedisStore`]. Limits of one name share their buckets.
#[derive(Debug, Clone)]
pub struct RateLimitStore(pub(super) Kept);

#[derive(Debug, Clone)]
pub(super) enum Kept {
    Memory(Arc<MemoryStore>),
    #[cfg(feature = "redis")]
    Redis(RedisStore),
}

impl RateLimitStore {
    /// Whether it can be used.
    pub(super) fn check(&self) -> Result<(), StartErrors> {
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

impl Default for RateLimitStore {
    fn default() -> Self {
        MemoryStore::new().into()
    }
}

impl From<MemoryStore> for RateLimitStore {
    fn from(store: MemoryStore) -> Self {
        Self(Kept::Memory(Arc::new(store)))
    }
}

impl From<Arc<MemoryStore>> for RateLimitStore {
    fn from(store: Arc<MemoryStore>) -> Self {
        Self(Kept::Memory(store))
    }
}

#[cfg(feature = "redis")]
impl From<RedisStore> for RateLimitStore {
    fn from(store: RedisStore) -> Self {
        Self(Kept::Redis(store))
    }
}
