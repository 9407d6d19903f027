//! Whether an issuer signed a token.

use super::issuer::{Issuer, Keys};
use super::refusal::{Refusal, quoted};
use super::token::Token;
use crate::Algorithm;
use crate::jwks::{Missed, Refreshed};
use crate::keys::{Found, KeySet};

/// Checks the signature with the keys that the issuer has now, or after one more fetch, and returns the number of their set.
pub(super) async fn check_signature(
    issuer: &Issuer,
    id: Option<&str>,
    algorithm: Algorithm,
    token: &Token<'_>,
) -> Result<u64, Refusal> {
    let provider = match &issuer.keys {
        Some(Keys::Fixed(set)) => return check_with(set, id, algorithm, token).map_err(|miss| miss.refusal()),
        Some(Keys::Kept(provider)) => provider,
        None => return Err("the issuer has no keys".into()),
    };
    loop {
        let current = provider.current()?;
        let miss = match check_with(current.set(), id, algorithm, token) {
            Ok(set) => return Ok(set),
            Err(miss) => miss,
        };
        let missed = match miss {
            Miss::UnknownId(id) => Missed::Id(id),
            Miss::Refused(_) => Missed::Signature,
        };
        match provider.look_for(missed, current.set().number()).await? {
            Refreshed::Look => {}
            Refreshed::Settled => return Err(miss.refusal()),
        }
    }
}

/// Why a set does not vouch for a token; a newer one may.
enum Miss<'a> {
    UnknownId(&'a str),
    Refused(&'static str),
}

impl Miss<'_> {
    fn refusal(&self) -> Refusal {
        match self {
            Self::UnknownId(id) => format!("the issuer has no key {}", quoted(id)).into(),
            Self::Refused(reason) => (*reason).into(),
        }
    }
}

/// The number of the set when the signature is by one of its keys.
fn check_with<'a>(set: &KeySet, id: Option<&'a str>, algorithm: Algorithm, token: &Token<'_>) -> Result<u64, Miss<'a>> {
    match set.find(id, algorithm) {
        Found::Keys(keys) => {
            let verified = keys.iter().any(|key| key.verifies(algorithm, token.message, &token.signature));
            if verified { Ok(set.number()) } else { Err(Miss::Refused("the signature is wrong")) }
        }
        Found::UnknownId => Err(Miss::UnknownId(id.unwrap_or_default())),
        Found::Nothing(reason) => Err(Miss::Refused(reason)),
    }
}
