//! What the limits of an Api have in common.

use restwright_core::{BuildErrors, Configuration};

use super::LimiterStore;
use crate::address::TrustedProxies;

/// The settings by which limits go, from the first limit of an Api on.
#[derive(Clone)]
pub(super) struct Settings {
    pub(super) store: LimiterStore,
    pub(super) proxies: Option<TrustedProxies>,
}

impl Settings {
    /// Those of the configuration, with their mistakes told the first time; without a store the limits of an Api share one in
    /// memory.
    pub(super) fn of(configuration: &mut Configuration, errors: &mut BuildErrors) -> Self {
        if let Some(known) = configuration.get::<Self>() {
            return known.clone();
        }
        let store = configuration.get::<LimiterStore>().cloned().unwrap_or_default();
        errors.take(store.check());
        #[cfg(feature = "redis")]
        store.register(configuration);
        let proxies = errors.take(TrustedProxies::of(configuration)).flatten();
        let settings = Self { store, proxies };
        configuration.insert(settings.clone());
        settings
    }
}
