//! Fetches key sets (JWKS) from a URL or a file, and refreshes them.

mod component;
mod declaration;
mod fetch;
mod key_set_state;
mod lifetime;
mod on_demand_refresh;
mod provider;
mod refresh;
mod schedule;

pub use declaration::Jwks;
pub(crate) use on_demand_refresh::{RefreshOutcome, RefreshReason};
pub(crate) use provider::KeyOutage;
pub use provider::{KeyProvider, KeyProviderStatus};
