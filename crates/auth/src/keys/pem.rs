//! Parses public keys in PEM (RFC 7468, section 13).

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::key::VerificationKey;
use super::{edwards, elliptic, rsa};

/// Parses one public key in PEM. An error message states what to provide instead.
pub(super) fn read(pem: &[u8]) -> Result<VerificationKey, String> {
    let text = str::from_utf8(pem).map_err(|_not_text| NO_PEM)?;
    if text.contains("PRIVATE KEY-----") {
        return Err("it is a private key, which only the issuer needs; use the public key (`openssl pkey -in private.pem -pubout`)"
            .to_owned());
    }
    if text.contains("CERTIFICATE-----") {
        return Err(
            "it is a certificate; use the public key in it (`openssl x509 -in certificate.pem -noout -pubkey`)"
                .to_owned(),
        );
    }
    let body = between(text, "-----BEGIN PUBLIC KEY-----", "-----END PUBLIC KEY-----")
        .or_else(|| between(text, "-----BEGIN RSA PUBLIC KEY-----", "-----END RSA PUBLIC KEY-----"));
    let body = body.ok_or(NO_PEM)?;
    if text.matches("-----BEGIN ").count() > 1 {
        return Err("it contains several keys; add each of them separately".to_owned());
    }
    let base64: String = body.split_ascii_whitespace().collect();
    let der = STANDARD.decode(base64).map_err(|_not_base64| {
        if body.contains(r"\n") {
            r"it contains the characters `\n` instead of line breaks"
        } else {
            "the content between its first and last line is not base64"
        }
    })?;
    [elliptic::from_der, edwards::from_der, rsa::from_der]
        .into_iter()
        .find_map(|read| read(&der))
        .unwrap_or_else(|| Err("it is not a valid key of a supported type: RSA, P-256, P-384 or Ed25519".to_owned()))
}

const NO_PEM: &str = "it is not a public key in PEM, which starts with `-----BEGIN PUBLIC KEY-----`";

fn between<'a>(text: &'a str, begin: &str, end: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(begin)?;
    rest.split_once(end).map(|(body, _)| body)
}
