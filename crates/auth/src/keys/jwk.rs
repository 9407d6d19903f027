//! A key as JSON (RFC 7517, section 4).

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;

use super::{Algorithm, Key, edwards, elliptic, rsa};

/// The members that are understood; others are ignored, `x5u` and `x5c` among them.
#[derive(Deserialize)]
struct Jwk {
    kty: String,
    #[serde(rename = "use")]
    usage: Option<String>,
    key_ops: Option<Vec<String>>,
    alg: Option<String>,
    kid: Option<String>,
    crv: Option<String>,
    n: Option<String>,
    e: Option<String>,
    x: Option<String>,
    y: Option<String>,
    d: Option<IgnoredAny>,
}

/// Reads a key with which signatures may be checked, or says why this is none.
pub(super) fn read(value: Value) -> Result<Key, String> {
    let jwk: Jwk = serde_json::from_value(value).map_err(|error| error.to_string())?;
    if jwk.usage.as_ref().is_some_and(|usage| usage != "sig") {
        return Err("its `use` is not `sig`".to_owned());
    }
    if jwk.key_ops.as_ref().is_some_and(|operations| !operations.iter().any(|operation| operation == "verify")) {
        return Err("its `key_ops` have no `verify`".to_owned());
    }
    if jwk.d.is_some() {
        return Err("it is a private key, and with it anybody who may read this set signs tokens".to_owned());
    }
    let mut key = of_kind(&jwk)?;
    if let Some(name) = &jwk.alg {
        let algorithm = Algorithm::named(name).ok_or_else(|| format!("its `alg` {name:?} is not used"))?;
        key = key.only(algorithm)?;
    }
    key.id = jwk.kid;
    Ok(key)
}

fn of_kind(jwk: &Jwk) -> Result<Key, String> {
    let (kind, curve) = (jwk.kty.as_str(), jwk.crv.as_deref().unwrap_or_default());
    let key = match (kind, curve) {
        ("RSA", _) => Some(rsa::from_components(&bytes("n", jwk.n.as_deref())?, &bytes("e", jwk.e.as_deref())?)),
        ("EC", _) => elliptic::from_coordinates(curve, &bytes("x", jwk.x.as_deref())?, &bytes("y", jwk.y.as_deref())?),
        ("OKP", "Ed25519") => Some(edwards::from_point(&bytes("x", jwk.x.as_deref())?)),
        // A secret in a set that anybody may read is none.
        _ => None,
    };
    key.unwrap_or_else(|| Err(format!("a key of the kind {kind:?} with the curve {curve:?} is not used")))
}

fn bytes(name: &str, text: Option<&str>) -> Result<Vec<u8>, String> {
    let text = text.ok_or_else(|| format!("it has no `{name}`"))?;
    URL_SAFE_NO_PAD.decode(text).map_err(|_not_base64url| format!("its `{name}` is not base64url"))
}
