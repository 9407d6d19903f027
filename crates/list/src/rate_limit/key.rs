//! Whose bucket.

use std::net::IpAddr;

use restwright_core::auth::Identity;

use crate::address::customer;

/// What tells one bucket of a limit from another: an address, a caller, a text, or nothing.
///
/// ```
/// use restwright_list::rate_limit::RateLimitKey;
///
/// let (one, other) = ("2001:db8::1".parse().unwrap(), "2001:db8::2".parse().unwrap());
/// assert_eq!(RateLimitKey::address(one), RateLimitKey::address(other), "one customer");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct RateLimitKey(pub(super) Repr);

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Repr {
    Whole,
    Address(IpAddr),
    Caller(String),
    Text(String),
}

impl RateLimitKey {
    /// One bucket for everybody.
    #[must_use]
    pub fn whole() -> Self {
        Self(Repr::Whole)
    }

    /// A bucket for each IPv4 address, and for each /64 of IPv6, which is what one customer has (RFC 6177).
    #[must_use]
    pub fn address(address: IpAddr) -> Self {
        Self(Repr::Address(match address.to_canonical() {
            IpAddr::V6(address) => IpAddr::V6(customer(address)),
            address @ IpAddr::V4(_) => address,
        }))
    }

    /// A bucket for each caller: the subject together with its issuer, or with the [scheme](Identity::scheme) where there is
    /// none. `None` for a guest.
    #[must_use]
    pub fn identity(identity: &Identity) -> Option<Self> {
        let subject = identity.subject()?;
        let (kind, voucher) = match identity.issuer() {
            Some(issuer) => ("issuer", issuer),
            None => ("scheme", identity.scheme().unwrap_or_default()),
        };
        // With the length in front, two pairs are never one text.
        Some(Self(Repr::Caller(format!("{kind} {}:{voucher}{subject}", voucher.len()))))
    }

    /// A bucket for each credential that was accepted, which nobody makes up.
    pub(super) fn credential(text: String) -> Self {
        Self(Repr::Caller(text))
    }

    /// A bucket for each text. Only a hash of it is kept, so that it may be a secret. Since clients may choose it, texts have
    /// [no more than their share](crate::rate_limit::MemoryLimiter::max_keys) of the places in memory.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self(Repr::Text(text.into()))
    }
}
