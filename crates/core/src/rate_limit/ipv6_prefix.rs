//! Defines the IPv6 prefix length for rate limits.

use crate::build_errors::BuildErrors;
use crate::configuration::Configuration;

/// The IPv6 prefix length for rate limits. Addresses with the same prefix share a bucket.
///
/// The default is 64, because a subscriber has at least a /64 network (RFC 6177).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ipv6Prefix(u8);

impl Ipv6Prefix {
    /// Returns the prefix length that the configuration sets. Fails if the length is not from 1 to 128.
    pub fn from_configuration(configuration: &Configuration) -> Result<Self, BuildErrors> {
        match configuration.get::<Self>().copied().unwrap_or_default() {
            prefix @ Self(1..=128) => Ok(prefix),
            Self(bits) => Err(BuildErrors::one(format!(
                "`.ipv6_prefix({bits})` of the configuration is not a valid prefix length; write 1 to 128 bits, such as 56 or 64"
            ))),
        }
    }

    /// Returns the length of the prefix in bits.
    #[must_use]
    pub fn bits(self) -> u8 {
        self.0
    }
}

impl Default for Ipv6Prefix {
    fn default() -> Self {
        Self(64)
    }
}

impl Configuration {
    /// Sets the IPv6 prefix length for rate limits, from 1 to 128 bits. Addresses with the same prefix share a bucket.
    ///
    /// The default is 64, because a subscriber has at least a /64 network (RFC 6177).
    ///
    /// Many providers assign prefixes of 56 or 48 bits. With the default, one of these subscribers has 256 or 65,536
    /// buckets. With a shorter prefix, more neighbours share a bucket.
    ///
    /// ```
    /// use restwright_core::Configuration;
    ///
    /// let configuration = Configuration::new("shop", "1.0.0").ipv6_prefix(56);
    /// ```
    #[must_use]
    pub fn ipv6_prefix(self, bits: u8) -> Self {
        self.with(Ipv6Prefix(bits))
    }
}
