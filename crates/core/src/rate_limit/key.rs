//! Defines the keys that select a bucket of a rate limit.

use std::borrow::Cow;
use std::fmt;
use std::net::IpAddr;

use super::Ipv6Prefix;
use crate::client_address::network_of;
use crate::identity::Identity;

/// The key that selects a bucket of a rate limit. It is a client address, a caller, a string, or one key for all
/// requests.
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

/// The kind of a [`RateLimitKey`]. Keys of different kinds are never equal, even if their values are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum KeyKind {
    /// The key that all requests share.
    Global,
    /// The address or the network of a client.
    Address,
    /// An authenticated caller or credential.
    Caller,
    /// A string that clients may choose.
    Text,
}

impl RateLimitKey {
    /// Returns the key that all requests share.
    #[must_use]
    pub fn global() -> Self {
        Self(KeyValue::Global)
    }

    /// Returns the key for a client address. IPv6 addresses in the same /64 network share a key (RFC 6177).
    #[must_use]
    pub fn address(address: IpAddr) -> Self {
        Self::network(address, Ipv6Prefix::default().bits())
    }

    /// Returns the key for the network of a client address. IPv6 addresses with the same prefix share a key.
    ///
    /// With a prefix length of 128 or more, each IPv6 address has a separate key.
    #[must_use]
    pub fn network(address: IpAddr, ipv6_prefix: u8) -> Self {
        Self(KeyValue::Address(match address.to_canonical() {
            IpAddr::V6(address) => IpAddr::V6(network_of(address, ipv6_prefix)),
            address @ IpAddr::V4(_) => address,
        }))
    }

    /// Returns the key for a caller, or `None` for a guest. The key consists of the subject and its issuer.
    ///
    /// Without an issuer, the [scheme](Identity::scheme) is used instead.
    #[must_use]
    pub fn identity(identity: &Identity) -> Option<Self> {
        let subject = identity.subject()?;
        let (kind, authority) = match identity.issuer() {
            Some(issuer) => ("issuer", issuer),
            None => ("scheme", identity.scheme().unwrap_or_default()),
        };
        // The length of the authority makes the string unambiguous.
        Some(Self(KeyValue::Caller(format!("{kind} {}:{authority}{subject}", authority.len()))))
    }

    /// Returns the key for a valid credential, such as an API key. Stores keep only a hash of the credential.
    #[must_use]
    pub fn credential(text: impl Into<String>) -> Self {
        Self(KeyValue::Caller(text.into()))
    }

    /// Returns the key for a string that clients may choose. Stores limit the number of these keys.
    ///
    /// The string may be a secret, because stores keep only its hash.
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

    /// Returns the value of this key. The value may be a secret, so hash it before you send it to another process.
    ///
    /// The global key has an empty value.
    #[must_use]
    pub fn value(&self) -> Cow<'_, str> {
        match &self.0 {
            KeyValue::Global => Cow::Borrowed(""),
            KeyValue::Address(address) => Cow::Owned(address.to_string()),
            KeyValue::Caller(text) | KeyValue::Text(text) => Cow::Borrowed(text),
        }
    }
}

/// Writes the kind as `all`, `address`, `caller` or `text`, for example as part of a bucket name.
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
