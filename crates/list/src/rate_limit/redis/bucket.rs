//! The names of buckets.

use sha2::{Digest, Sha256};

use crate::rate_limit::RateLimitKey;
use crate::rate_limit::key::Repr;

/// The name of a bucket on the server. A text may be a secret, or long: half of its SHA-256 stands for it.
pub(super) fn name(prefix: &str, limit: &str, key: &RateLimitKey) -> String {
    match &key.0 {
        Repr::Whole => format!("{prefix}:{limit}:all"),
        Repr::Address(address) => format!("{prefix}:{limit}:address:{address}"),
        Repr::Caller(text) => format!("{prefix}:{limit}:caller:{}", digest(text)),
        Repr::Text(text) => format!("{prefix}:{limit}:text:{}", digest(text)),
    }
}

fn digest(text: &str) -> String {
    let digest = Sha256::digest(text.as_bytes());
    digest.iter().take(16).fold(String::new(), |hex, byte| hex + &format!("{byte:02x}"))
}

#[cfg(test)]
mod tests {
    use restwright_core::auth::Identity;

    use super::*;

    #[test]
    fn texts_are_not_shown() {
        let address = RateLimitKey::address("2001:db8:1:2:3::4".parse().unwrap());
        let ann = RateLimitKey::identity(&Identity::builder("ann").issuer("idp").build()).unwrap();
        assert_eq!(name("shop", "clients", &RateLimitKey::whole()), "shop:clients:all");
        assert_eq!(name("shop", "clients", &ann), "shop:clients:caller:6391b426cea381197a4cfb901e49be35");
        assert_eq!(name("shop", "clients", &address), "shop:clients:address:2001:db8:1:2::");
        assert_eq!(
            name("shop", "clients", &RateLimitKey::text("abc")),
            "shop:clients:text:ba7816bf8f01cfea414140de5dae2223"
        );
    }
}
