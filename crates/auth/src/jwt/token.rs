//! Splits a token into its three parts and decodes them (RFC 7515, section 7.1).

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Map, Value};

/// A decoded token, with its header, claims and signature. They are not verified yet.
pub(super) struct DecodedToken<'a> {
    pub(super) header: Vec<u8>,
    pub(super) claims: Map<String, Value>,
    /// The signed part of the token, which is the encoded header and claims.
    pub(super) message: &'a [u8],
    pub(super) signature: Vec<u8>,
}

impl<'a> DecodedToken<'a> {
    pub(super) fn read(text: &'a str) -> Result<Self, &'static str> {
        let Some((message, signature)) = text.rsplit_once('.') else { return Err("the token has one part") };
        let parts = message.split_once('.').filter(|(_, claims)| !claims.contains('.'));
        let Some((header, claims)) = parts else { return Err("the token does not have three parts") };
        let claims = decoded(claims)?;
        Ok(Self {
            header: decoded(header)?,
            claims: serde_json::from_slice(&claims).map_err(|_not_an_object| "the claims are not a JSON object")?,
            message: message.as_bytes(),
            signature: decoded(signature)?,
        })
    }
}

fn decoded(part: &str) -> Result<Vec<u8>, &'static str> {
    URL_SAFE_NO_PAD.decode(part).map_err(|_not_base64url| "a part of the token is not base64url")
}
