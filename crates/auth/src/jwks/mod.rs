//! Key sets that are fetched, and kept fresh.

mod component;
mod declaration;
mod fetch;
mod lifetime;
mod loaded;
mod provider;
mod schedule;
mod unknown;

pub use declaration::Jwks;
pub use provider::{KeyProvider, KeyProviderStatus};
pub(crate) use provider::{Missed, Outage, Refreshed};
