//! Keys that the tests make, and tokens signed with them.

use std::sync::LazyLock;

use aws_lc_rs::encoding::{AsDer, PublicKeyX509Der};
use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::rsa::KeySize;
use aws_lc_rs::signature::{self, EcdsaKeyPair, Ed25519KeyPair, KeyPair, RsaKeyPair};
use aws_lc_rs::{digest, hmac};
use serde_json::{Value, json};

/// The time at which every test begins.
pub(crate) const NOW: i64 = 1_700_000_000;
pub(crate) const ISSUER: &str = "https://login.example.com";
pub(crate) const AUDIENCE: &str = "pets";

/// A pair of keys, or a secret.
pub(crate) enum Pair {
    Rsa(RsaKeyPair),
    Elliptic(EcdsaKeyPair),
    Edwards(Ed25519KeyPair),
    Secret(Vec<u8>),
}

pub(crate) static RSA: LazyLock<Pair> = LazyLock::new(rsa);
pub(crate) static OTHER_RSA: LazyLock<Pair> = LazyLock::new(rsa);
pub(crate) static P256: LazyLock<Pair> = LazyLock::new(p256);
pub(crate) static OTHER_P256: LazyLock<Pair> = LazyLock::new(p256);
pub(crate) static P384: LazyLock<Pair> =
    LazyLock::new(|| Pair::Elliptic(EcdsaKeyPair::generate(&signature::ECDSA_P384_SHA384_FIXED_SIGNING).unwrap()));
pub(crate) static ED: LazyLock<Pair> = LazyLock::new(|| Pair::Edwards(Ed25519KeyPair::generate().unwrap()));

fn rsa() -> Pair {
    Pair::Rsa(RsaKeyPair::generate(KeySize::Rsa2048).unwrap())
}

fn p256() -> Pair {
    Pair::Elliptic(EcdsaKeyPair::generate(&signature::ECDSA_P256_SHA256_FIXED_SIGNING).unwrap())
}

impl Pair {
    pub(crate) fn sign(&self, algorithm: &str, message: &[u8]) -> Vec<u8> {
        match self {
            Self::Rsa(pair) => {
                let encoding: &dyn signature::RsaEncoding = match algorithm {
                    "RS384" => &signature::RSA_PKCS1_SHA384,
                    "RS512" => &signature::RSA_PKCS1_SHA512,
                    "PS256" => &signature::RSA_PSS_SHA256,
                    "PS384" => &signature::RSA_PSS_SHA384,
                    "PS512" => &signature::RSA_PSS_SHA512,
                    _ => &signature::RSA_PKCS1_SHA256,
                };
                let mut signature = vec![0; pair.public_modulus_len()];
                pair.sign(encoding, &SystemRandom::new(), message, &mut signature).unwrap();
                signature
            }
            Self::Elliptic(pair) => pair.sign(&SystemRandom::new(), message).unwrap().as_ref().to_vec(),
            Self::Edwards(pair) => pair.sign(message).as_ref().to_vec(),
            Self::Secret(secret) => {
                let algorithm = match algorithm {
                    "HS384" => hmac::HMAC_SHA384,
                    "HS512" => hmac::HMAC_SHA512,
                    _ => hmac::HMAC_SHA256,
                };
                hmac::sign(&hmac::Key::new(algorithm, secret), message).as_ref().to_vec()
            }
        }
    }

    /// The public key as JSON, with more members.
    pub(crate) fn jwk(&self, id: &str, more: Value) -> Value {
        let mut jwk = match self {
            Self::Rsa(pair) => {
                let (n, e) = (pair.public_key().modulus(), pair.public_key().exponent());
                json!({
                    "kty": "RSA",
                    "n": encode(n.big_endian_without_leading_zero()),
                    "e": encode(e.big_endian_without_leading_zero()),
                })
            }
            Self::Elliptic(pair) => {
                let (x, y) = pair.public_key().as_ref()[1..].split_at(pair.public_key().as_ref().len() / 2);
                let curve = if x.len() == 48 { "P-384" } else { "P-256" };
                json!({ "kty": "EC", "crv": curve, "x": encode(x), "y": encode(y) })
            }
            Self::Edwards(pair) => json!({ "kty": "OKP", "crv": "Ed25519", "x": encode(pair.public_key().as_ref()) }),
            Self::Secret(secret) => json!({ "kty": "oct", "k": encode(secret) }),
        };
        jwk["kid"] = id.into();
        jwk.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        jwk
    }

    /// The public key in PEM (RFC 7468, section 13).
    pub(crate) fn pem(&self) -> String {
        let der = match self {
            Self::Rsa(pair) => AsDer::<PublicKeyX509Der<'_>>::as_der(pair.public_key()).unwrap().as_ref().to_vec(),
            Self::Elliptic(pair) => AsDer::<PublicKeyX509Der<'_>>::as_der(pair.public_key()).unwrap().as_ref().to_vec(),
            Self::Edwards(pair) => AsDer::<PublicKeyX509Der<'_>>::as_der(pair.public_key()).unwrap().as_ref().to_vec(),
            Self::Secret(_) => unreachable!("a secret has no public key"),
        };
        pem("PUBLIC KEY", &der)
    }

    /// A token with this header and these claims.
    pub(crate) fn token(&self, header: &Value, claims: &Value) -> String {
        self.token_of(&header.to_string(), &claims.to_string(), header["alg"].as_str().unwrap_or_default())
    }

    pub(crate) fn token_of(&self, header: &str, claims: &str, algorithm: &str) -> String {
        let message = format!("{}.{}", encode(header), encode(claims));
        let signature = self.sign(algorithm, message.as_bytes());
        format!("{message}.{}", encode(signature))
    }
}

/// The vertical coordinates of the points on Ed25519 of which eight are nothing (as in libsodium): 0, 1, two of order 8, and -1,
/// 0 and 1 beyond the end of the field.
pub(crate) const SMALL_ORDER: &[[u8; 32]] = &{
    const fn near(rest: u8, lowest: u8) -> [u8; 32] {
        let mut number = [rest; 32];
        number[0] = lowest;
        number[31] = rest & 0x7f;
        number
    }
    [
        near(0, 0),
        near(0, 1),
        *b"\x26\xe8\x95\x8f\xc2\xb2\x27\xb0\x45\xc3\xf4\x89\xf2\xef\x98\xf0\xd5\xdf\xac\x05\xd3\xc6\x33\x39\xb1\x38\x02\x88\x6d\x53\xfc\x05",
        *b"\xc7\x17\x6a\x70\x3d\x4d\xd8\x4f\xba\x3c\x0b\x76\x0d\x10\x67\x0f\x2a\x20\x53\xfa\x2c\x39\xcc\xc6\x4e\xc7\xfd\x77\x92\xac\x03\x7a",
        near(0xff, 0xec),
        near(0xff, 0xed),
        near(0xff, 0xee),
    ]
};

/// Text of this kind (RFC 7468).
pub(crate) fn pem(label: &str, der: &[u8]) -> String {
    let text = encode(der).replace('-', "+").replace('_', "/");
    let padding = "=".repeat((4 - text.len() % 4) % 4);
    format!("-----BEGIN {label}-----\n{text}{padding}\n-----END {label}-----\n")
}

/// A key set.
pub(crate) fn set(keys: &[Value]) -> String {
    json!({ "keys": keys }).to_string()
}

pub(crate) fn claims() -> Value {
    json!({ "iss": ISSUER, "aud": AUDIENCE, "sub": "ann", "exp": NOW + 3600, "iat": NOW - 10, "scope": "pets:read" })
}

/// The claims with some of them changed; null takes one away.
pub(crate) fn claims_with(changes: &Value) -> Value {
    let mut claims = claims();
    for (name, value) in changes.as_object().unwrap() {
        if value.is_null() {
            claims.as_object_mut().unwrap().remove(name);
        } else {
            claims[name] = value.clone();
        }
    }
    claims
}

pub(crate) fn sha256(text: &str) -> Vec<u8> {
    digest::digest(&digest::SHA256, text.as_bytes()).as_ref().to_vec()
}

/// base64url without padding (RFC 7515, section 2).
pub(crate) fn encode(bytes: impl AsRef<[u8]>) -> String {
    const ALPHABET: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let mut text = String::new();
    for three in bytes.as_ref().chunks(3) {
        let bits = three.iter().fold(0_u32, |bits, byte| bits << 8 | u32::from(*byte)) << (8 * (3 - three.len()));
        for position in 0..=three.len() {
            text.push(char::from(ALPHABET[(bits >> (18 - 6 * position) & 63) as usize]));
        }
    }
    text
}

/// The bytes of a text in base64url.
pub(crate) fn decode(text: &str) -> Vec<u8> {
    use base64::Engine;

    base64::engine::general_purpose::URL_SAFE_NO_PAD.decode(text).unwrap()
}
