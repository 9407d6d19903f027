//! Verifies the signatures of tokens.

use jsonwebtoken::Algorithm;

use super::issuer::{Issuer, IssuerKeys};
use super::token::DecodedToken;
use super::token_error::{TokenError, quoted};
use crate::jwks::{RefreshOutcome, RefreshReason};
use crate::keys::{KeyCandidates, KeySet};

/// Verifies the signature of a token with the issuer's current keys. If this fails, fetches newer keys and tries again.
/// Returns the number of the key set that verified the signature.
pub(super) async fn check_signature(
    issuer: &Issuer,
    id: Option<&str>,
    algorithm: Algorithm,
    token: &DecodedToken<'_>,
) -> Result<u64, TokenError> {
    let provider = match &issuer.keys {
        Some(IssuerKeys::Fixed(set)) => {
            return check_with(set, id, algorithm, token).map_err(|error| error.to_token_error());
        }
        Some(IssuerKeys::Fetched(provider)) => provider,
        None => return Err("the issuer has no keys".into()),
    };
    loop {
        let current = provider.current()?;
        let error = match check_with(current.set(), id, algorithm, token) {
            Ok(set) => return Ok(set),
            Err(error) => error,
        };
        let reason = match error {
            VerifyError::UnknownId(_) => RefreshReason::Id,
            VerifyError::Wrong(_) => RefreshReason::Signature,
        };
        match provider.refresh_for(reason, current.set().number()).await? {
            RefreshOutcome::Changed => {}
            RefreshOutcome::Final => return Err(error.to_token_error()),
        }
    }
}

/// The reason why a key set does not verify the signature of a token. A newer set may verify it.
enum VerifyError<'a> {
    UnknownId(&'a str),
    Wrong(&'static str),
}

impl VerifyError<'_> {
    fn to_token_error(&self) -> TokenError {
        match self {
            Self::UnknownId(id) => format!("the issuer has no key {}", quoted(id)).into(),
            Self::Wrong(reason) => (*reason).into(),
        }
    }
}

/// Verifies the signature of a token with one key set. Returns the number of the key set.
fn check_with<'a>(
    set: &KeySet,
    id: Option<&'a str>,
    algorithm: Algorithm,
    token: &DecodedToken<'_>,
) -> Result<u64, VerifyError<'a>> {
    match set.find(id, algorithm) {
        KeyCandidates::Keys(keys) => {
            let verified = keys.iter().any(|key| key.verifies(algorithm, token.message, &token.signature));
            if verified { Ok(set.number()) } else { Err(VerifyError::Wrong("the signature is invalid")) }
        }
        KeyCandidates::UnknownId => {
            let id = id.unwrap_or_default();
            set.log_left_out(id);
            Err(VerifyError::UnknownId(id))
        }
        KeyCandidates::None(reason) => Err(VerifyError::Wrong(reason)),
    }
}
