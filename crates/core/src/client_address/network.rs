//! Defines a range of IP addresses in CIDR notation.

use std::fmt;
use std::net::{IpAddr, Ipv6Addr};
use std::str::FromStr;

/// A range of IP addresses in CIDR notation (RFC 4632, section 3.1), such as `10.0.0.0/8` or `fd00::/8`.
///
/// A single address is a range that contains one address. A range of IPv4-mapped addresses, such as
/// `::ffff:10.0.0.0/104`, is converted to IPv4.
///
/// ```
/// use restwright_core::client_address::Network;
///
/// let network: Network = "10.0.0.0/8".parse().unwrap();
/// assert!(network.contains("10.1.2.3".parse().unwrap()) && !network.contains("11.0.0.1".parse().unwrap()));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Network {
    base: IpAddr,
    prefix: u8,
}

impl Network {
    /// Returns `true` if the range contains an address. An IPv4-mapped IPv6 address is compared as IPv4.
    #[must_use]
    pub fn contains(&self, address: IpAddr) -> bool {
        match (self.base, address.to_canonical()) {
            (IpAddr::V4(base), IpAddr::V4(address)) => v4_mask(self.prefix) & (base.to_bits() ^ address.to_bits()) == 0,
            (IpAddr::V6(base), IpAddr::V6(address)) => v6_mask(self.prefix) & (base.to_bits() ^ address.to_bits()) == 0,
            (IpAddr::V4(_), IpAddr::V6(_)) | (IpAddr::V6(_), IpAddr::V4(_)) => false,
        }
    }
}

/// An error for a string that is neither an address nor a range of addresses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NetworkParseError {
    text: String,
}

impl fmt::Display for NetworkParseError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "`{}` must be an IP address, or a range such as `10.0.0.0/8`", self.text)
    }
}

impl std::error::Error for NetworkParseError {}

impl FromStr for Network {
    type Err = NetworkParseError;

    fn from_str(text: &str) -> Result<Self, NetworkParseError> {
        let parsed = || {
            let (base, prefix) = match text.split_once('/') {
                Some((base, prefix)) => (base, Some(prefix.parse::<u8>().ok()?)),
                None => (text, None),
            };
            let base: IpAddr = base.parse().ok()?;
            let longest = if base.is_ipv4() { 32 } else { 128 };
            let prefix = prefix.unwrap_or(longest);
            match base.to_canonical() {
                // Addresses are compared in canonical form, so a range of mapped addresses is stored as IPv4.
                IpAddr::V4(mapped) if base.is_ipv6() => {
                    let prefix = prefix.checked_sub(MAPPED_PREFIX)?;
                    (prefix <= 32).then_some(Self { base: mapped.into(), prefix })
                }
                _ => (prefix <= longest).then_some(Self { base, prefix }),
            }
        };
        parsed().ok_or_else(|| NetworkParseError { text: text.to_owned() })
    }
}

/// Keeps the first `prefix` bits of an address and sets the other bits to zero.
pub(crate) fn network_of(address: Ipv6Addr, prefix: u8) -> Ipv6Addr {
    Ipv6Addr::from_bits(address.to_bits() & v6_mask(prefix))
}

/// The number of bits before the IPv4 address in an IPv4-mapped address (RFC 4291, section 2.5.5.2).
const MAPPED_PREFIX: u8 = 96;

fn v4_mask(prefix: u8) -> u32 {
    u32::MAX.checked_shl(u32::BITS.saturating_sub(u32::from(prefix))).unwrap_or(0)
}

fn v6_mask(prefix: u8) -> u128 {
    u128::MAX.checked_shl(u128::BITS.saturating_sub(u32::from(prefix))).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_contain_their_addresses() {
        for (network, address, expected) in [
            ("10.0.0.0/8", "10.255.0.1", true),
            ("10.0.0.0/8", "::ffff:10.1.1.1", true),
            ("10.0.0.0/8", "11.0.0.0", false),
            ("10.0.0.7", "10.0.0.7", true),
            ("10.0.0.7", "10.0.0.6", false),
            ("0.0.0.0/0", "255.255.255.255", true),
            ("0.0.0.0/0", "::1", false),
            ("fd00::/8", "fdff::1", true),
            ("fd00::/8", "fe00::1", false),
            ("::/0", "2001:db8::1", true),
            ("::1", "::1", true),
            ("::ffff:10.0.0.0/104", "10.1.2.3", true),
            ("::ffff:10.0.0.0/104", "11.1.2.3", false),
            ("::ffff:10.0.0.7", "10.0.0.7", true),
            ("::ffff:0:0/96", "203.0.113.7", true),
        ] {
            let parsed: Network = network.parse().unwrap();
            assert_eq!(parsed.contains(address.parse().unwrap()), expected, "{address} in {network}");
        }
    }

    #[test]
    fn rejects_strings_that_are_not_ranges() {
        for text in [
            "",
            "10.0.0.0/33",
            "::/129",
            "10.0.0.0/",
            "10.0.0/8",
            "localhost",
            "10.0.0.0/-1",
            "10.0.0.0/8/8",
            "::ffff:10.0.0.0/129",
            "::ffff:0:0/90",
        ] {
            assert!(text.parse::<Network>().is_err(), "{text}");
        }
    }

    #[test]
    fn masks_an_address_to_its_network() {
        let address = "2001:db8:1:2345:3:4:5:6".parse().unwrap();
        for (prefix, expected) in [
            (0, "::"),
            (1, "::"),
            (48, "2001:db8:1::"),
            (56, "2001:db8:1:2300::"),
            (64, "2001:db8:1:2345::"),
            (127, "2001:db8:1:2345:3:4:5:6"),
            (128, "2001:db8:1:2345:3:4:5:6"),
            (255, "2001:db8:1:2345:3:4:5:6"),
        ] {
            assert_eq!(network_of(address, prefix), expected.parse::<Ipv6Addr>().unwrap(), "{prefix}");
        }
    }
}
