//! Defines [`LimitRegistry`], the state that rate limits share while an Api is built.

use std::sync::Arc;

use restwright_core::rate_limit::LimiterStore;
use restwright_core::runtime::SharedLimiterStore;
use restwright_core::{BuildContext, BuildErrors};

use crate::limit_counts::{AllCounts, LimitCounts, ReportedStore};
use crate::limit_spec::LimitSpec;
use crate::memory::MemoryLimiter;

/// The limiter store and the rate limits of an Api, collected while the Api is built.
#[derive(Default)]
pub(super) struct LimitRegistry {
    store: Option<SharedLimiterStore>,
    counts: AllCounts,
    specs: Vec<RegisteredSpec>,
    /// The build errors that earlier operations have already reported.
    reported: BuildErrors,
}

/// The settings of a rate limit, with the first operation that declares the limit.
struct RegisteredSpec {
    name: Arc<str>,
    spec: LimitSpec,
    operation: String,
}

impl LimitRegistry {
    /// Returns the limiter store that all rate limits of the Api share. The first call checks the store and registers
    /// it as a component. Without a store in the configuration, all limits share a [`MemoryLimiter`].
    pub(super) fn store(context: &mut BuildContext<'_>, errors: &mut BuildErrors) -> SharedLimiterStore {
        if let Some(store) = &context.build_state::<Self>().store {
            return store.clone();
        }
        let store = context.configuration().get::<SharedLimiterStore>().cloned();
        let store = store.unwrap_or_else(|| SharedLimiterStore::new(MemoryLimiter::new()));
        errors.take(store.plan(&mut context.api()));
        let counts = context.build_state::<Self>().counts.clone();
        context.component(ReportedStore { store: store.clone(), counts });
        context.build_state::<Self>().store = Some(store.clone());
        store
    }

    /// Returns the request counts of the rate limits with the name `name`.
    pub(super) fn counts(context: &mut BuildContext<'_>, name: &Arc<str>) -> Arc<LimitCounts> {
        context.build_state::<Self>().counts.of_limit(name)
    }

    /// Registers the settings of a rate limit. Limits with the same name share their buckets on all routes, so their
    /// settings must be equal.
    pub(super) fn add(context: &mut BuildContext<'_>, name: &Arc<str>, spec: &LimitSpec) -> Result<(), BuildErrors> {
        if spec.quota.limit() == 0 {
            return Err(BuildErrors::one(format!(
                "the rate limit `{name}` has a quota of 0 requests, so it rejects everyone; allow at least 1, or remove the limit"
            )));
        }
        let operation = context.operation();
        let operation = format!("{} {}", operation.method, operation.path);
        let specs = &mut context.build_state::<Self>().specs;
        let Some(earlier) = specs.iter().find(|earlier| earlier.name == *name) else {
            specs.push(RegisteredSpec { name: name.clone(), spec: spec.clone(), operation });
            return Ok(());
        };
        if earlier.spec == *spec {
            return Ok(());
        }
        let RegisteredSpec { spec: earlier, operation, .. } = earlier;
        Err(BuildErrors::one(format!(
            "the rate limit `{name}` is {spec} here, but {earlier} on {operation}; limits with the same name share their buckets, so make both equal, or rename one of them"
        )))
    }

    /// Returns the build errors that no earlier operation has reported. A limit on the whole Api is planned once per
    /// operation.
    pub(super) fn unreported(context: &mut BuildContext<'_>, errors: &BuildErrors) -> BuildErrors {
        let reported = &mut context.build_state::<Self>().reported;
        let mut unreported = BuildErrors::new();
        for error in errors.errors() {
            if !reported.errors().contains(error) {
                unreported.push(error.clone());
                reported.push(error.clone());
            }
        }
        unreported
    }
}
