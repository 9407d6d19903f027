#![no_main]
//! Tokens for a route that requires one. The first byte chooses what the rest is: a token as it is, a header and claims that are signed with
//! the key of the issuer, or changes to a valid token. A token that is accepted was signed with the key over the same bytes, and its header
//! and claims are valid by a second reader. Everything else is a 401.

use aws_lc_rs::hmac;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use http::HeaderValue;
use libfuzzer_sys::fuzz_target;
use restwright::auth::{Algorithm, Issuer, JwtAuthenticator};
use restwright::prelude::*;
use restwright::testing::TestClient;
use serde_json::Value;

const SECRET: [u8; 32] = [7; 32];
/// 2100, in seconds since 1970.
const EXPIRES: i64 = 4_102_444_800;

thread_local! {
    static CLIENT: TestClient = {
        let issuer = Issuer::new("https://issuer.test").audience("fuzz").shared_secret(SECRET);
        let authenticator = JwtAuthenticator::new(issuer).algorithms([Algorithm::HS256]);
        let configuration = Configuration::new("tokens", "1.0.0").authenticator("jwt", authenticator);
        let route = Route::get("/").id("view").authorize("jwt", ["read"]).handler(async |_: ()| Ok(Data(1)));
        TestClient::new(Api::builder(configuration).controller(route).build().expect("an Api"))
    };
}

fuzz_target!(|bytes: &[u8]| {
    let Some((choice, rest)) = bytes.split_first() else { return };
    let token = match choice % 3 {
        0 => rest.to_vec(),
        1 => {
            let mut parts = rest.splitn(2, |byte| *byte == b'\n');
            signed(parts.next().unwrap_or_default(), parts.next().unwrap_or_default())
        }
        _ => changed(rest),
    };
    let mut value = b"Bearer ".to_vec();
    value.extend(&token);
    if HeaderValue::from_bytes(&value).is_err() {
        return;
    }
    let status = CLIENT.with(|client| client.get("/").header("Authorization", value).send().status().as_u16());
    match status {
        200 | 403 if has_huge_number(&token) => {}
        200 | 403 => {
            let claims = verified(&token).expect("a token that the issuer has signed");
            assert_eq!(status == 200, has_scope(&claims), "{claims}");
        }
        status => assert_eq!(status, 401),
    }
});

/// Signs a token.
fn signed(header: &[u8], claims: &[u8]) -> Vec<u8> {
    let message = format!("{}.{}", URL_SAFE_NO_PAD.encode(header), URL_SAFE_NO_PAD.encode(claims));
    let key = hmac::Key::new(hmac::HMAC_SHA256, &SECRET);
    let signature = URL_SAFE_NO_PAD.encode(hmac::sign(&key, message.as_bytes()));
    format!("{message}.{signature}").into_bytes()
}

/// Changes a valid token: each pair of bytes is a place, and what is combined with the byte there.
fn changed(changes: &[u8]) -> Vec<u8> {
    let claims = format!(r#"{{"iss":"https://issuer.test","aud":"fuzz","sub":"ann","exp":{EXPIRES},"scope":"read"}}"#);
    let mut token = signed(br#"{"alg":"HS256","typ":"JWT"}"#, claims.as_bytes());
    for change in changes.chunks_exact(2) {
        let place = usize::from(change[0]) % token.len();
        token[place] ^= change[1];
    }
    token
}

/// Returns whether a part of a token contains a number that the second reader cannot represent. Ignored members may contain such numbers.
fn has_huge_number(token: &[u8]) -> bool {
    token.split(|byte| *byte == b'.').filter_map(|part| URL_SAFE_NO_PAD.decode(part.trim_ascii()).ok()).any(|part| {
        let read = serde_json::from_slice::<Value>(&part);
        read.is_err_and(|error| error.to_string().starts_with("number out of range"))
    })
}

/// Returns the claims of a token that is signed with the key and valid (RFC 7515, RFC 7519).
fn verified(token: &[u8]) -> Option<Value> {
    let text = std::str::from_utf8(token).ok()?.trim_matches(' ');
    let [header, claims, signature] = text.split('.').collect::<Vec<_>>()[..] else { return None };
    let expected = signed(&URL_SAFE_NO_PAD.decode(header).ok()?, &URL_SAFE_NO_PAD.decode(claims).ok()?);
    (text.as_bytes() == expected && !signature.is_empty()).then_some(())?;
    let json = |part: &str| serde_json::from_slice::<Value>(&URL_SAFE_NO_PAD.decode(part).ok()?).ok();
    let (header, claims) = (json(header)?, json(claims)?);
    let is_typed = header.get("typ").is_none_or(|typ| {
        typ.is_null()
            || typ
                .as_str()
                .is_some_and(|typ| typ.to_ascii_lowercase().trim_start_matches("application/").contains("jwt"))
    });
    let is_audience = |audience: &Value| audience == "fuzz";
    let has_audience = match &claims["aud"] {
        Value::Array(several) => several.iter().any(is_audience),
        one => is_audience(one),
    };
    let is_valid = header["alg"] == "HS256"
        && header.get("crit").is_none()
        && header.get("b64").is_none_or(|is_encoded| is_encoded == true)
        && is_typed
        && claims["iss"] == "https://issuer.test"
        && has_audience
        // The present is not known here, and no clock is far from 2026.
        && claims["exp"].as_f64().is_some_and(|expires| expires > 1_700_000_000.0)
        && claims.get("nbf").is_none_or(|begins| begins.as_f64().is_some_and(|begins| begins < EXPIRES as f64));
    is_valid.then_some(claims)
}

/// Returns whether `scope` or `scp` has the scope of the route.
fn has_scope(claims: &Value) -> bool {
    ["scope", "scp"].iter().any(|name| match &claims[*name] {
        Value::String(words) => words.split(' ').any(|word| word == "read"),
        Value::Array(words) => words.iter().any(|word| word == "read"),
        _ => false,
    })
}
