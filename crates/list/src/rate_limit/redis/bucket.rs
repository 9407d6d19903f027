//! The names of buckets.

use sha2::{Digest, Sha256};

use crate::rate_limit::RateLimitKey;
use crate::rate_limit::key::Repr;

/// The name of a bucket on the server. A text may be a secret, or long: half of its SHA-256 stands for it.
pub(super) fn name(prefix: &str, limit: &str, key: &RateLimitKey) -> String {
    match &key.0 {
        Repr::Whole => format!("{prefix}:{limit}:all"),
        Repr::Address(address) => format!("{prefix}:{limit}:address:{address}"),
        Repr::Text(text) => {
            let digest = Sha256::digest(text.as_bytes());
            let half = digest.iter().take(16).fold(String::new(), |hex, byte| hex + &format!("{byte:02x}"));
            format!("{prefix}:{limit}:text:{half}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_not_shown() {
        let address = RateLimitKey::address("2001:db8:1:2:3::4".parse().unwrap());
        assert_eq!(name("shop", "clients", &RateLimitKey::whole()), "shop:clients:all");
        assert_eq!(name("shop", "clients", &address), "shop:clients:address:2001:db8:1:2::");
        assert_eq!(
            name("shop", "clients", &RateLimitKey::text("abc")),
            "shop:clients:text:ba7816bf8f01cfea414140de5dae2223"
        );
    }
}
