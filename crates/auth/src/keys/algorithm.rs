//! The algorithms of signatures.

use jsonwebtoken::Algorithm as Implemented;

/// An algorithm of signatures (RFC 7518, section 3.1; RFC 8037, section 3.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are those of the registry")]
pub enum Algorithm {
    RS256,
    RS384,
    RS512,
    PS256,
    PS384,
    PS512,
    ES256,
    ES384,
    EdDSA,
    HS256,
    HS384,
    HS512,
}

impl Algorithm {
    /// Every algorithm; `none` is not among them.
    pub const ALL: [Self; 12] = [
        Self::RS256,
        Self::RS384,
        Self::RS512,
        Self::PS256,
        Self::PS384,
        Self::PS512,
        Self::ES256,
        Self::ES384,
        Self::EdDSA,
        Self::HS256,
        Self::HS384,
        Self::HS512,
    ];

    /// Those of RSA keys.
    pub(super) const RSA: [Self; 6] = [Self::RS256, Self::RS384, Self::RS512, Self::PS256, Self::PS384, Self::PS512];

    /// The name in a token's `alg`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::RS256 => "RS256",
            Self::RS384 => "RS384",
            Self::RS512 => "RS512",
            Self::PS256 => "PS256",
            Self::PS384 => "PS384",
            Self::PS512 => "PS512",
            Self::ES256 => "ES256",
            Self::ES384 => "ES384",
            Self::EdDSA => "EdDSA",
            Self::HS256 => "HS256",
            Self::HS384 => "HS384",
            Self::HS512 => "HS512",
        }
    }

    /// The algorithm of this name; names are case-sensitive.
    pub(crate) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|algorithm| algorithm.name() == name)
    }

    pub(super) fn implementation(self) -> Implemented {
        match self {
            Self::RS256 => Implemented::RS256,
            Self::RS384 => Implemented::RS384,
            Self::RS512 => Implemented::RS512,
            Self::PS256 => Implemented::PS256,
            Self::PS384 => Implemented::PS384,
            Self::PS512 => Implemented::PS512,
            Self::ES256 => Implemented::ES256,
            Self::ES384 => Implemented::ES384,
            Self::EdDSA => Implemented::EdDSA,
            Self::HS256 => Implemented::HS256,
            Self::HS384 => Implemented::HS384,
            Self::HS512 => Implemented::HS512,
        }
    }
}
