//! Key sets that are fetched, and kept fresh.

mod component;
mod declaration;
mod fetch;
mod keeper;
mod lifetime;
mod loaded;
mod lookup;
mod provider;
mod schedule;
mod unknown;

pub use declaration::Jwks;
pub(crate) use lookup::{Missed, Refreshed};
pub(crate) use provider::Outage;
pub use provider::{KeyProvider, KeyProviderStatus};
