//! Lists the supported signature algorithms.

use jsonwebtoken::Algorithm;

/// Every supported signature algorithm. `none` is not supported.
pub(crate) const ALL: [Algorithm; 12] = [
    Algorithm::RS256,
    Algorithm::RS384,
    Algorithm::RS512,
    Algorithm::PS256,
    Algorithm::PS384,
    Algorithm::PS512,
    Algorithm::ES256,
    Algorithm::ES384,
    Algorithm::EdDSA,
    Algorithm::HS256,
    Algorithm::HS384,
    Algorithm::HS512,
];

/// Returns the signature algorithm with the `alg` value `name`, or `None` if it is not supported. Names are
/// case-sensitive.
pub(crate) fn named(name: &str) -> Option<Algorithm> {
    // RFC 9864 names EdDSA on this curve `Ed25519`. No other curve is supported here.
    if name == "Ed25519" { Some(Algorithm::EdDSA) } else { name.parse().ok() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_registry() {
        for algorithm in ALL {
            assert_eq!(named(&format!("{algorithm:?}")), Some(algorithm));
        }
        for name in ["none", "NONE", "rs256", "ES512", "ES256K", "Ed448", "RSA-OAEP", ""] {
            assert_eq!(named(name), None, "{name}");
        }
    }
}
