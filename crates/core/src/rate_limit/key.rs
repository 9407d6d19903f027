//! The keys of buckets.

use std::borrow::Cow;
use std::fmt;
use std::net::IpAddr;

use super::Ipv6Prefix;
use crate::client_address::network_of;
use crate::identity::Identity;

/// The key of a bucket within a limit: an address, a caller, a text, or a constant.
///
/// ```
/// use restwright_core::rate_limit::{KeyKind, RateLimitKey};
///
/// let (one, other) = ("2001:db8::1".parse().unwrap(), "2001:db8::2".parse().unwrap());
/// assert_eq!(RateLimitKey::address(one), RateLimitKey::address(other), "both belong to one subscriber");
///
/// let key = RateLimitKey::address("192.0.2.1".parse().unwrap());
/// assert_eq!((key.kind(), &*key.value()), (KeyKind::Address, "192.0.2.1"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct RateLimitKey(KeyValue);

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum KeyValue {
    Global,
    Address(IpAddr),
    Caller(String),
    Text(String),
}

/// The kind of a [`RateLimitKey`]. Keys of different kinds are different, even if their values are equal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum KeyKind {
    /// The key that all requests share.
    Global,
    /// An address.
    Address,
    /// A caller or credential that was authenticated.
    Caller,
    /// A text, which clients may choose.
    Text,
}

impl RateLimitKey {
    /// Returns the key that all requests share.
    #[must_use]
    pub fn global() -> Self {
        Self(KeyValue::Global)
    }

    /// Returns the key of an IPv4 address, or of the /64 network of an IPv6 address, which one subscriber has (RFC 6177).
    #[must_use]
    pub fn address(address: IpAddr) -> Self {
        Self::network(address, Ipv6Prefix::default().bits())
    }

    /// Returns the key of an IPv4 address, or of the network of an IPv6 address with a prefix of so many bits; 128 and more are the address
    /// itself.
    #[must_use]
    pub fn network(address: IpAddr, ipv6_prefix: u8) -> Self {
        Self(KeyValue::Address(match address.to_canonical() {
            IpAddr::V6(address) => IpAddr::V6(network_of(address, ipv6_prefix)),
            address @ IpAddr::V4(_) => address,
        }))
    }

    /// Returns the key of a caller: the subject together with its issuer, or with the [scheme](Identity::scheme) if there is no
    /// issuer. `None` for a guest.
    #[must_use]
    pub fn identity(identity: &Identity) -> Option<Self> {
        let subject = identity.subject()?;
        let (kind, authority) = match identity.issuer() {
            Some(issuer) => ("issuer", issuer),
            None => ("scheme", identity.scheme().unwrap_or_default()),
        };
        // The length in front makes the text unambiguous.
        Some(Self(KeyValue::Caller(format!("{kind} {}:{authority}{subject}", authority.len()))))
    }

    /// Returns the key of a credential that an authenticator accepted, such as an API key. Stores keep only a hash of it.
    #[must_use]
    pub fn credential(text: impl Into<String>) -> Self {
        Self(KeyValue::Caller(text.into()))
    }

    /// Returns the key of a text. Stores keep only a hash of it, so it may be a secret. Since clients may choose it, a store
    /// bounds how many of its places such keys take.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self(KeyValue::Text(text.into()))
    }

    /// Returns the kind of this key.
    #[must_use]
    pub fn kind(&self) -> KeyKind {
        match &self.0 {
            KeyValue::Global => KeyKind::Global,
            KeyValue::Address(_) => KeyKind::Address,
            KeyValue::Caller(_) => KeyKind::Caller,
            KeyValue::Text(_) => KeyKind::Text,
        }
    }

    /// Returns the value of this key, which is empty for the global key. It may be a secret, so hash it before it leaves the
    /// process.
    #[must_use]
    pub fn value(&self) -> Cow<'_, str> {
        match &self.0 {
            KeyValue::Global => Cow::Borrowed(""),
            KeyValue::Address(address) => Cow::Owned(address.to_string()),
            KeyValue::Caller(text) | KeyValue::Text(text) => Cow::Borrowed(text),
        }
    }
}

/// Writes `all`, `address`, `caller` or `text`, which may stand in the name of a bucket.
impl fmt::Display for KeyKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Global => "all",
            Self::Address => "address",
            Self::Caller => "caller",
            Self::Text => "text",
        })
    }
}
