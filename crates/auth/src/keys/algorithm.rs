//! The algorithms of signatures.

/// An algorithm of signatures (RFC 7518, section 3.1; RFC 8037, section 3.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
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
    pub const ALL: &[Self] = &[
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

    /// Whether its keys are secrets, with which tokens can be made too.
    pub(crate) fn takes_secret(self) -> bool {
        matches!(self, Self::HS256 | Self::HS384 | Self::HS512)
    }

    /// The algorithm of this name; names are case-sensitive.
    pub(crate) fn named(name: &str) -> Option<Self> {
        // RFC 9864 gives EdDSA on this curve, the only one here, a name of its own.
        let name = if name == "Ed25519" { "EdDSA" } else { name };
        Self::ALL.iter().copied().find(|algorithm| algorithm.name() == name)
    }
}
