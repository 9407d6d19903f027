//! Parses and checks a JSON Web Key (RFC 7517, section 4).
//!
//! jsonwebtoken parses the keys into [`Jwk`]. The JSON is checked first, because `Jwk` drops private and repeated
//! members and accepts coordinates of any length.

use std::fmt;

use jsonwebtoken::DecodingKey;
use jsonwebtoken::jwk::{Jwk, KeyOperations, PublicKeyUse};
use serde::de::{IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

use super::key::VerificationKey;
use super::{algorithm, elliptic};

/// The members of a JSON Web Key that the parser reads. All other members are ignored, including `x5u` and `x5c`.
const MEMBERS: [&str; 9] = ["kty", "use", "key_ops", "kid", "crv", "n", "e", "x", "y"];

/// The members that only private keys contain (RFC 7518, sections 6.2.2 and 6.3.2; RFC 8037, section 2).
const PRIVATE_MEMBERS: [&str; 7] = ["d", "p", "q", "dp", "dq", "qi", "oth"];

/// An element of the array `keys` in a JSON Web Key Set, which is an object or an invalid value.
#[derive(Deserialize)]
#[serde(untagged)]
pub(super) enum KeyEntry {
    Object(KeyMembers),
    Other(IgnoredAny),
}

/// The members of a JSON Web Key, and the name of the first member that occurs twice.
pub(super) struct KeyMembers {
    members: Map<String, Value>,
    repeated: Option<String>,
}

impl KeyEntry {
    /// Returns the members `kid` and `alg`. The type of the key replaces a missing `alg`.
    pub(super) fn names(&self) -> (Option<String>, Option<String>) {
        let Self::Object(KeyMembers { members, .. }) = self else { return (None, None) };
        let text = |name: &str| members.get(name).and_then(Value::as_str).map(str::to_owned);
        (text("kid"), text("alg").or_else(|| text("kty")))
    }
}

/// Converts an element of a key set to a key. Returns the reason if the element is unusable.
pub(super) fn read(entry: KeyEntry) -> Result<VerificationKey, String> {
    let KeyEntry::Object(KeyMembers { mut members, repeated }) = entry else {
        return Err("it is not an object".to_owned());
    };
    if let Some(name) = repeated {
        return Err(format!("its member {name:?} is repeated"));
    }
    // A `null` member counts as missing. RFC 7518 requires strings, and some serializers write `null` for missing
    // members.
    if PRIVATE_MEMBERS.iter().any(|name| members.get(*name).is_some_and(|value| !value.is_null())) {
        return Err("it is a private key, with which anyone who reads this set can sign tokens".to_owned());
    }
    check_kind(&members)?;
    let algorithm = match members.get("alg") {
        None | Some(Value::Null) => None,
        Some(name) => {
            let algorithm = name.as_str().and_then(algorithm::named);
            Some(algorithm.ok_or_else(|| format!("its `alg` {name} is not supported"))?)
        }
    };
    members.retain(|name, _| MEMBERS.contains(&name.as_str()));
    let jwk = Jwk::deserialize(Value::Object(members)).map_err(|error| error.to_string())?;
    if jwk.common.public_key_use.as_ref().is_some_and(|usage| *usage != PublicKeyUse::Signature) {
        return Err("its `use` is not `sig`".to_owned());
    }
    if jwk.common.key_operations.as_ref().is_some_and(|operations| !operations.contains(&KeyOperations::Verify)) {
        return Err("its `key_ops` do not include `verify`".to_owned());
    }
    let decoding = DecodingKey::from_jwk(&jwk).map_err(|_not_base64url| "one of its members is not base64url")?;
    let mut key = VerificationKey::from_decoding_key(&decoding)?;
    if let Some(algorithm) = algorithm {
        key = key.only(algorithm)?;
    }
    key.id = jwk.common.key_id;
    Ok(key)
}

/// Checks that the type and curve of a key are supported, and that its required members are present.
fn check_kind(members: &Map<String, Value>) -> Result<(), String> {
    let text = |name: &str| members.get(name).and_then(Value::as_str);
    let (kind, curve) = (text("kty").unwrap_or_default(), text("crv").unwrap_or_default());
    let coordinates = elliptic::coordinate_length(curve);
    let required: &[&str] = match (kind, curve) {
        ("RSA", _) => &["n", "e"],
        ("EC", _) if coordinates.is_some() => &["x", "y"],
        ("OKP", "Ed25519") => &["x"],
        // A shared secret in a public key set would not be secret, so `oct` keys are rejected.
        _ => return Err(format!("its `kty` {kind:?} with the curve {curve:?} is not supported")),
    };
    for name in required {
        let member = text(name).ok_or_else(|| format!("it has no `{name}`"))?;
        // In base64url, four characters encode three bytes.
        if let ("EC", Some(length)) = (kind, coordinates)
            && member.len() != (length * 4).div_ceil(3)
        {
            return Err(format!("each coordinate of a point on {curve} must have {length} bytes"));
        }
    }
    Ok(())
}

impl<'de> Deserialize<'de> for KeyMembers {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct MembersVisitor;

        impl<'de> Visitor<'de> for MembersVisitor {
            type Value = KeyMembers;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<KeyMembers, A::Error> {
                let (mut members, mut repeated) = (Map::new(), None);
                while let Some((name, value)) = map.next_entry::<String, Value>()? {
                    if members.insert(name.clone(), value).is_some() {
                        repeated.get_or_insert(name);
                    }
                }
                Ok(KeyMembers { members, repeated })
            }
        }

        deserializer.deserialize_map(MembersVisitor)
    }
}

#[cfg(test)]
mod tests {
    use base64::Engine;
    use base64::engine::general_purpose::URL_SAFE_NO_PAD;
    use jsonwebtoken::Algorithm;

    use super::*;

    #[test]
    fn the_example_of_rfc_8037_is_verified() {
        let jwk = r#"{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}"#;
        let key = read(serde_json::from_str(jwk).unwrap()).unwrap();
        let message = b"eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc";
        let signature = "hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg";
        let signature = URL_SAFE_NO_PAD.decode(signature).unwrap();
        assert!(key.verifies(Algorithm::EdDSA, message, &signature));
        assert!(!key.verifies(Algorithm::EdDSA, b"another message", &signature));
    }
}
