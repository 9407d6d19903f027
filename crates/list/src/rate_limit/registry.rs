//! The state that the limits of an Api share while it is built.

use std::sync::Arc;

use restwright_core::operation::Operation;
use restwright_core::rate_limit::{LimiterStore, SharedLimiterStore};
use restwright_core::{BuildErrors, Configuration};

use super::MemoryLimiter;
use super::limit_spec::LimitSpec;

/// The store of an Api's limits, and the limits that were planned.
#[derive(Clone)]
pub(super) struct LimitRegistry {
    store: SharedLimiterStore,
    specs: Vec<RegisteredSpec>,
    /// The errors of earlier operations.
    reported: BuildErrors,
}

/// A declared limit with the first operation that has it.
#[derive(Clone)]
struct RegisteredSpec {
    name: Arc<str>,
    spec: LimitSpec,
    operation: String,
}

impl LimitRegistry {
    /// Returns the registry of an Api. The first call checks the store and registers it as a component; without a store in the
    /// configuration, the limits share one in memory.
    pub(super) fn get(configuration: &mut Configuration, errors: &mut BuildErrors) -> Self {
        if let Some(registry) = configuration.get::<Self>() {
            return registry.clone();
        }
        let store = configuration.get::<SharedLimiterStore>().cloned();
        let store = store.unwrap_or_else(|| SharedLimiterStore::new(MemoryLimiter::new()));
        errors.take(store.check());
        configuration.component(store.clone());
        Self { store, specs: Vec::new(), reported: BuildErrors::new() }
    }

    pub(super) fn store(&self) -> &SharedLimiterStore {
        &self.store
    }

    /// Adds a declared limit. Limits that share a name share their buckets on all routes of an Api, so they must be equal.
    pub(super) fn add(&mut self, name: &Arc<str>, spec: &LimitSpec, operation: &Operation) -> Result<(), BuildErrors> {
        if spec.quota.limit() == 0 {
            return Err(BuildErrors::one(format!(
                "the rate limit `{name}` has a quota of 0 requests, which refuses everybody; admit at least 1, or leave the limit out"
            )));
        }
        let Some(earlier) = self.specs.iter().find(|earlier| earlier.name == *name) else {
            let operation = format!("{} {}", operation.method, operation.path);
            self.specs.push(RegisteredSpec { name: name.clone(), spec: spec.clone(), operation });
            return Ok(());
        };
        if earlier.spec == *spec {
            return Ok(());
        }
        let RegisteredSpec { spec: earlier, operation, .. } = earlier;
        Err(BuildErrors::one(format!(
            "the rate limit `{name}` is {spec} here and {earlier} on {operation}; limits of one name share their buckets, so declare both alike, or give one of them another name"
        )))
    }

    /// Leaves out errors that an earlier operation reported, since a limit of the whole Api is planned for each operation.
    pub(super) fn unreported(&mut self, errors: &BuildErrors) -> BuildErrors {
        let mut unreported = BuildErrors::new();
        for message in errors.messages() {
            if !self.reported.messages().contains(message) {
                unreported.push(message);
                self.reported.push(message);
            }
        }
        unreported
    }

    /// Keeps the registry for the operations that are planned later.
    pub(super) fn keep(self, configuration: &mut Configuration) {
        configuration.insert(self);
    }
}
