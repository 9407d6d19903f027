//! Creates the Redis keys of rate limit buckets.

use restwright_core::rate_limit::{KeyKind, RateLimitKey};
use sha2::{Digest, Sha256};

/// Returns the Redis key of a rate limit bucket. Values other than addresses may be secret or long, so the Redis key
/// contains half of their SHA-256 hash.
pub(super) fn bucket_name(prefix: &str, limit: &str, key: &RateLimitKey) -> String {
    match key.kind() {
        kind @ KeyKind::Global => format!("{prefix}:{limit}:{kind}"),
        kind @ KeyKind::Address => format!("{prefix}:{limit}:{kind}:{}", key.value()),
        kind => format!("{prefix}:{limit}:{kind}:{}", digest(&key.value())),
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
        for (key, expected) in [
            (RateLimitKey::global(), "shop:clients:all"),
            (ann, "shop:clients:caller:6391b426cea381197a4cfb901e49be35"),
            (address, "shop:clients:address:2001:db8:1:2::"),
            (RateLimitKey::text("abc"), "shop:clients:text:ba7816bf8f01cfea414140de5dae2223"),
        ] {
            assert_eq!(bucket_name("shop", "clients", &key), expected);
        }
    }
}
