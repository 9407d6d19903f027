//! Contains [`ClientAddress`], the IP address of the client, as reported by the socket or by trusted proxies.

#[doc(inline)]
pub use restwright_core::client_address::{ClientAddress, Network, NetworkParseError, TrustedProxies};
