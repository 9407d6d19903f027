//! The address from which a client calls, also through proxies.

mod client_address;
mod forwarded;
mod network;
mod trusted_proxies;

pub use client_address::ClientAddress;
#[cfg(feature = "rate-limit")]
pub(crate) use network::customer;
pub use network::{Network, NotANetwork};
pub use trusted_proxies::TrustedProxies;
