//! Parses and checks the JOSE header of a token.

use std::borrow::Cow;

use serde::de::IgnoredAny;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

/// The members of a token's header that the authenticator reads (RFC 7515, section 4.1). Keys and key URLs (`jwk`,
/// `jku`, `x5c`, `x5u`) are ignored.
#[derive(Deserialize)]
pub(super) struct TokenHeader<'a> {
    #[serde(borrow)]
    pub(super) alg: Cow<'a, str>,
    #[serde(borrow, default)]
    pub(super) kid: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub(super) typ: Option<Cow<'a, str>>,
    /// True if the header contains `crit`. No critical extension is supported.
    #[serde(rename = "crit", default, deserialize_with = "is_there")]
    has_critical: bool,
    /// True if the header contains `b64` with another value than `true` (RFC 7797, section 3).
    #[serde(rename = "b64", default, deserialize_with = "is_not_true")]
    has_unencoded_payload: bool,
}

impl TokenHeader<'_> {
    pub(super) fn check(&self, access_tokens_only: bool) -> Result<(), &'static str> {
        if self.has_critical {
            return Err("the header has critical extensions, which are not supported");
        }
        // RFC 7797, section 7: the payload of a JSON Web Token is always encoded.
        if self.has_unencoded_payload {
            return Err("the header has a `b64` that is not `true`");
        }
        if !has_type(self.typ.as_deref(), access_tokens_only) {
            return Err("the `typ` does not denote an access token");
        }
        Ok(())
    }
}

/// Deserializes any value of the header member `crit` to `true`, even `null`. RFC 7515, section 4.1.11, allows only a
/// list of names.
fn is_there<'de, D: Deserializer<'de>>(value: D) -> Result<bool, D::Error> {
    IgnoredAny::deserialize(value).map(|_ignored| true)
}

/// Deserializes any value of the header member `b64` except `true` to `true`.
fn is_not_true<'de, D: Deserializer<'de>>(value: D) -> Result<bool, D::Error> {
    Value::deserialize(value).map(|value| value != Value::Bool(true))
}

/// Returns `true` if a token with this `typ` is accepted (RFC 8725, section 3.11; RFC 9068, section 4). The prefix
/// `application/` is optional (RFC 7515, section 4.1.9).
fn has_type(typ: Option<&str>, access_tokens_only: bool) -> bool {
    let Some(typ) = typ else { return !access_tokens_only };
    let typ = match typ.get(..12) {
        Some(prefix) if prefix.eq_ignore_ascii_case("application/") => typ.get(12..).unwrap_or_default(),
        _ => typ,
    };
    typ.eq_ignore_ascii_case("at+jwt") || !access_tokens_only && typ.eq_ignore_ascii_case("JWT")
}
