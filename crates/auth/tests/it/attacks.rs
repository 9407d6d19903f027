//! Tokens and what becomes of them: every algorithm, and every way that is known to make a wrong token pass.

use restwright_auth::{Issuer, JwtAuthenticator, KeySet};
use restwright_core::Clock;
use serde_json::{Value, json};

use crate::pairs::{
    AUDIENCE, ED, ISSUER, NOW, OTHER_P256, OTHER_RSA, P256, P384, Pair, RSA, SMALL_ORDER, claims, claims_with, encode,
    set,
};
use crate::request::{Verdict, ask, authenticate};

const SECRET: &[u8] = b"a secret that both sides know, with more than sixty-four bytes in it";
const SHARED: &str = "https://shared.example.com";
const SINGLE: &str = "https://single.example.com";

fn keys() -> KeySet {
    let keys = [
        RSA.jwk("rsa", json!({ "use": "sig" })),
        RSA.jwk("rs256", json!({ "alg": "RS256" })),
        OTHER_RSA.jwk("encryption", json!({ "use": "enc" })),
        OTHER_RSA.jwk("signing", json!({ "key_ops": ["sign"] })),
        OTHER_RSA.jwk("wrapping", json!({ "alg": "RSA-OAEP" })),
        OTHER_RSA.jwk("verifying", json!({ "key_ops": ["verify"], "alg": "PS256" })),
        P256.jwk("p256", json!({ "alg": "ES256" })),
        P384.jwk("p384", json!({})),
        ED.jwk("ed", json!({ "alg": "EdDSA" })),
        OTHER_P256.jwk("misdeclared", json!({ "alg": "RS256" })),
        OTHER_P256.jwk("wrong curve", json!({ "crv": "P-384" })),
        Pair::Secret(SECRET.to_vec()).jwk("secret", json!({ "alg": "HS256" })),
        json!({ "kty": "RSA", "kid": "weak", "n": encode([0xff; 128]), "e": "AQAB" }),
        json!({ "kty": "RSA", "kid": "exponent", "n": encode([0xff; 256]), "e": "AQ" }),
        json!({ "kty": "RSA", "kid": "broken", "n": "not base64url!", "e": "AQAB" }),
        ED.jwk("small order", json!({ "x": encode(SMALL_ORDER[1]) })),
        json!({ "kty": "AKP", "kid": "new", "alg": "ML-DSA-44", "pub": "AA" }),
        json!({ "kid": "empty" }),
        json!("text"),
    ];
    KeySet::from_json(set(&keys).as_bytes()).unwrap()
}

pub(crate) fn authenticator() -> JwtAuthenticator {
    let single = KeySet::from_json(set(&[P256.jwk("only", json!({ "kid": null }))]).as_bytes()).unwrap();
    JwtAuthenticator::new(Issuer::new(ISSUER).audience(AUDIENCE).audience("cats").keys(keys()))
        .issuer(Issuer::new(SHARED).audience(AUDIENCE).shared_secret(SECRET))
        .issuer(Issuer::new(SINGLE).audience("single").keys(single))
        .require_claim("sub")
        .clock(Clock::manual(NOW))
}

pub(crate) fn good(pair: &Pair, algorithm: &str, id: &str) -> String {
    pair.token(&json!({ "alg": algorithm, "kid": id, "typ": "JWT" }), &claims())
}

fn header(header: Value) -> String {
    RSA.token(&header, &claims())
}

fn body(changes: Value) -> String {
    RSA.token(&json!({ "alg": "RS256", "kid": "rsa" }), &claims_with(&changes))
}

/// `ann`, or a part of the reason.
type Entry = (&'static str, String, Result<(), &'static str>);

fn entries() -> Vec<Entry> {
    let rs256 = good(&RSA, "RS256", "rsa");
    let parts: Vec<&str> = rs256.split('.').collect();
    let [head, payload, signature] = [parts[0], parts[1], parts[2]];
    let shared = |changes: Value, secret: &[u8], algorithm: &str| {
        let claims = claims_with(&json!({ "iss": SHARED }));
        let claims = changes.as_object().unwrap().iter().fold(claims, |mut claims, (name, value)| {
            claims[name] = value.clone();
            claims
        });
        Pair::Secret(secret.to_vec()).token(&json!({ "alg": algorithm }), &claims)
    };
    let public_key = RSA.jwk("rsa", json!({}))["n"].as_str().unwrap().to_owned();
    let confused =
        |pair: &Pair, id: &str, algorithm: &str| pair.token(&json!({ "alg": algorithm, "kid": id }), &claims());
    let flipped = {
        let mut bytes = RSA.sign("RS256", format!("{head}.{payload}").as_bytes());
        bytes[100] ^= 1;
        encode(bytes)
    };
    let other_payload = encode(claims_with(&json!({ "sub": "admin" })).to_string());
    let none = encode(json!({ "alg": "none" }).to_string());
    let single =
        |changes: Value| claims_with(&changes).as_object().map(|claims| Value::Object(claims.clone())).unwrap();
    vec![
        // Every algorithm.
        ("RS256", rs256.clone(), Ok(())),
        ("RS384", good(&RSA, "RS384", "rsa"), Ok(())),
        ("RS512", good(&RSA, "RS512", "rsa"), Ok(())),
        ("PS256", good(&RSA, "PS256", "rsa"), Ok(())),
        ("PS384", good(&RSA, "PS384", "rsa"), Ok(())),
        ("PS512", good(&RSA, "PS512", "rsa"), Ok(())),
        ("ES256", good(&P256, "ES256", "p256"), Ok(())),
        ("ES384", good(&P384, "ES384", "p384"), Ok(())),
        ("EdDSA", good(&ED, "EdDSA", "ed"), Ok(())),
        ("EdDSA by its newer name", good(&ED, "Ed25519", "ed"), Ok(())),
        ("HS256 of a shared secret", shared(json!({}), SECRET, "HS256"), Ok(())),
        ("HS384 of a shared secret", shared(json!({}), SECRET, "HS384"), Ok(())),
        ("HS512 of a shared secret", shared(json!({}), SECRET, "HS512"), Ok(())),
        ("a key that may verify", good(&OTHER_RSA, "PS256", "verifying"), Ok(())),
        // CompiledSchema.
        ("empty", String::new(), Err("without a token")),
        ("one part", "abc".to_owned(), Err("one part")),
        ("two parts", format!("{head}.{payload}"), Err("three parts")),
        ("four parts", format!("{rs256}.{signature}"), Err("three parts")),
        ("five parts, encrypted", "a.b.c.d.e".to_owned(), Err("three parts")),
        ("only dots", "..".to_owned(), Err("not a JSON object")),
        ("no signature", format!("{head}.{payload}."), Err("signature is invalid")),
        ("two tokens", format!("{rs256} {rs256}"), Err("three parts")),
        ("two tokens in a list", format!("{rs256}, {rs256}"), Err("three parts")),
        ("padding", format!("{head}=.{payload}.{signature}"), Err("base64url")),
        ("the other alphabet", format!("{head}.{payload}.{}+/", &signature[2..]), Err("base64url")),
        ("spaces inside", format!("{head}. {payload}.{signature}"), Err("base64url")),
        ("bits after the end", format!("{head}.{payload}.{}B", &signature[..signature.len() - 1]), Err("base64url")),
        ("a control character", format!("{head}.{payload}\u{1}.{signature}"), Err("base64url")),
        ("not ASCII", format!("{head}.{payload}ä.{signature}"), Err("base64url")),
        ("too long", body(json!({ "more": "x".repeat(8 * 1024) })), Err("too long")),
        ("a header that is no JSON", RSA.token_of("{", &claims().to_string(), ""), Err("header is malformed")),
        ("a header that is a list", RSA.token_of("[]", &claims().to_string(), ""), Err("header is malformed")),
        ("claims that are no JSON", RSA.token_of(r#"{"alg":"RS256"}"#, "{", ""), Err("not a JSON object")),
        ("claims that are a list", RSA.token_of(r#"{"alg":"RS256"}"#, "[]", ""), Err("not a JSON object")),
        ("claims with an end", RSA.token_of(r#"{"alg":"RS256"}"#, "{}{}", ""), Err("not a JSON object")),
        (
            "claims that are deep",
            RSA.token_of(r#"{"alg":"RS256"}"#, &format!("{{\"a\":{}1{}}}", "[".repeat(2000), "]".repeat(2000)), ""),
            Err("not a JSON object"),
        ),
        // Algorithms.
        ("no alg", header(json!({ "kid": "rsa" })), Err("`alg` is missing")),
        ("two algs", RSA.token_of(r#"{"alg":"RS256","alg":"none"}"#, &claims().to_string(), ""), Err("malformed")),
        ("alg none without signature", format!("{none}.{payload}."), Err("\"none\" is not accepted")),
        ("alg none with signature", format!("{none}.{payload}.{signature}"), Err("\"none\" is not accepted")),
        ("alg NONE", header(json!({ "alg": "NONE", "kid": "rsa" })), Err("is not accepted")),
        ("alg in lower case", header(json!({ "alg": "rs256", "kid": "rsa" })), Err("is not accepted")),
        ("alg empty", header(json!({ "alg": "", "kid": "rsa" })), Err("is not accepted")),
        ("alg a number", header(json!({ "alg": 5, "kid": "rsa" })), Err("malformed")),
        ("ES512", header(json!({ "alg": "ES512", "kid": "p256" })), Err("is not accepted")),
        (
            "RS256 claimed to be RS512",
            {
                let message = format!("{}.{payload}", encode(json!({ "alg": "RS512", "kid": "rsa" }).to_string()));
                format!("{message}.{}", encode(RSA.sign("RS256", message.as_bytes())))
            },
            Err("signature is invalid"),
        ),
        (
            "RS256 claimed to be PS256",
            {
                let message = format!("{}.{payload}", encode(json!({ "alg": "PS256", "kid": "rsa" }).to_string()));
                format!("{message}.{}", encode(RSA.sign("RS256", message.as_bytes())))
            },
            Err("signature is invalid"),
        ),
        (
            "HS256 with the public key as secret",
            {
                Pair::Secret(public_key.clone().into_bytes()).token(&json!({ "alg": "HS256", "kid": "rsa" }), &claims())
            },
            Err("does not fit the algorithm"),
        ),
        (
            "HS256 without kid",
            { Pair::Secret(public_key.into_bytes()).token(&json!({ "alg": "HS256" }), &claims()) },
            Err("does not fit the algorithm"),
        ),
        (
            "HS256 with the secret of the set",
            confused(&Pair::Secret(SECRET.to_vec()), "secret", "HS256"),
            Err("no key"),
        ),
        ("HS256 with an empty secret", shared(json!({}), b"", "HS256"), Err("signature is invalid")),
        ("HS256 with another secret", shared(json!({}), &[7; 64], "HS256"), Err("signature is invalid")),
        (
            "RS256 at the issuer with a secret",
            { RSA.token(&json!({ "alg": "RS256" }), &claims_with(&json!({ "iss": SHARED }))) },
            Err("does not fit the algorithm"),
        ),
        ("a shared secret for another issuer", shared(json!({ "iss": ISSUER }), SECRET, "HS256"), Err("does not fit")),
        // Keys.
        ("the alg of another family", confused(&RSA, "p256", "RS256"), Err("does not fit the algorithm")),
        ("the key of another family", confused(&P256, "rsa", "ES256"), Err("does not fit the algorithm")),
        ("the curve of another alg", confused(&P384, "p384", "ES256"), Err("does not fit the algorithm")),
        ("an alg that the key excludes", good(&RSA, "RS512", "rs256"), Err("does not fit the algorithm")),
        ("a key for encryption", good(&OTHER_RSA, "RS256", "encryption"), Err("no key")),
        ("a key that only signs", good(&OTHER_RSA, "RS256", "signing"), Err("no key")),
        ("a key that wraps", good(&OTHER_RSA, "RS256", "wrapping"), Err("no key")),
        ("a key with the alg of another kind", good(&OTHER_P256, "ES256", "misdeclared"), Err("no key")),
        ("a key on the wrong curve", good(&OTHER_P256, "ES256", "wrong curve"), Err("no key")),
        ("a weak key", good(&OTHER_RSA, "RS256", "weak"), Err("no key")),
        ("an exponent of one", good(&OTHER_RSA, "RS256", "exponent"), Err("no key")),
        ("an unknown kid", good(&RSA, "RS256", "nobody"), Err("no key")),
        ("an empty kid", good(&RSA, "RS256", ""), Err("no key")),
        ("a kid that is a path", good(&RSA, "RS256", "../../../dev/null"), Err("no key")),
        ("a kid that is an injection", good(&RSA, "RS256", "' OR 1=1 --"), Err("no key")),
        ("a kid that is a number", header(json!({ "alg": "RS256", "kid": 1 })), Err("malformed")),
        ("a kid of 4,000 characters", good(&RSA, "RS256", &"k".repeat(4000)), Err("no key")),
        ("no kid", header(json!({ "alg": "RS256" })), Ok(())),
        (
            "no kid and nobody's signature",
            OTHER_P256.token(&json!({ "alg": "ES256" }), &claims()),
            Err("signature is invalid"),
        ),
        ("the signature of another key", good(&OTHER_RSA, "RS256", "rsa"), Err("signature is invalid")),
        ("the signature of another point", good(&OTHER_P256, "ES256", "p256"), Err("signature is invalid")),
        (
            "a key in the header",
            OTHER_RSA
                .token(&json!({ "alg": "RS256", "kid": "rsa", "jwk": OTHER_RSA.jwk("rsa", json!({})) }), &claims()),
            Err("signature is invalid"),
        ),
        (
            "an address of keys in the header",
            OTHER_RSA
                .token(&json!({ "alg": "RS256", "kid": "mine", "jku": "https://evil.example.com/keys" }), &claims()),
            Err("no key"),
        ),
        (
            "an address of certificates in the header",
            OTHER_RSA.token(
                &json!({ "alg": "RS256", "kid": "rsa", "x5u": "https://evil.example.com/c", "x5c": ["AA=="] }),
                &claims(),
            ),
            Err("signature is invalid"),
        ),
        (
            "an issuer whose key has no kid",
            {
                let claims = single(json!({ "iss": SINGLE, "aud": "single" }));
                P256.token(&json!({ "alg": "ES256", "kid": "any" }), &claims)
            },
            Ok(()),
        ),
        (
            "a key of another issuer",
            {
                let claims = single(json!({ "iss": SINGLE, "aud": "single" }));
                RSA.token(&json!({ "alg": "RS256", "kid": "rsa" }), &claims)
            },
            Err("no key"),
        ),
        // Signatures.
        ("a flipped bit", format!("{head}.{payload}.{flipped}"), Err("signature is invalid")),
        ("half a signature", format!("{head}.{payload}.{}", &signature[..100]), Err("signature is invalid")),
        (
            "other claims under the signature",
            format!("{head}.{other_payload}.{signature}"),
            Err("signature is invalid"),
        ),
        (
            "another header over the signature",
            { format!("{}.{payload}.{signature}", encode(json!({ "alg": "RS256", "kid": "rs256" }).to_string())) },
            Err("signature is invalid"),
        ),
        (
            "a signature of zeros (ES256)",
            {
                let message = good(&P256, "ES256", "p256");
                format!("{}.{}", message.rsplit_once('.').unwrap().0, encode([0; 64]))
            },
            Err("signature is invalid"),
        ),
        (
            "a signature of zeros (ES384)",
            {
                let message = good(&P384, "ES384", "p384");
                format!("{}.{}", message.rsplit_once('.').unwrap().0, encode([0; 96]))
            },
            Err("signature is invalid"),
        ),
        (
            "a signature in DER (ES256)",
            {
                let message = good(&P256, "ES256", "p256");
                format!(
                    "{}.{}",
                    message.rsplit_once('.').unwrap().0,
                    encode([&[0x30, 0x44, 2, 0x20][..], &[1; 66]].concat())
                )
            },
            Err("signature is invalid"),
        ),
        (
            "a signature that fits every message under a key of small order",
            {
                let message = good(&ED, "EdDSA", "small order");
                let identity = SMALL_ORDER[1];
                format!("{}.{}", message.rsplit_once('.').unwrap().0, encode([identity, [0; 32]].concat()))
            },
            Err("no key"),
        ),
        // Headers.
        (
            "critical extensions",
            header(json!({ "alg": "RS256", "kid": "rsa", "crit": ["exp"], "exp": 0 })),
            Err("critical"),
        ),
        ("crit empty", header(json!({ "alg": "RS256", "kid": "rsa", "crit": [] })), Err("critical")),
        ("crit null", header(json!({ "alg": "RS256", "kid": "rsa", "crit": null })), Err("critical")),
        ("crit a text", header(json!({ "alg": "RS256", "kid": "rsa", "crit": "" })), Err("critical")),
        (
            "an unencoded payload",
            header(json!({ "alg": "RS256", "kid": "rsa", "b64": false, "crit": ["b64"] })),
            Err("critical"),
        ),
        ("b64 false", header(json!({ "alg": "RS256", "kid": "rsa", "b64": false })), Err("`b64`")),
        ("b64 as text", header(json!({ "alg": "RS256", "kid": "rsa", "b64": "true" })), Err("`b64`")),
        ("b64 null", header(json!({ "alg": "RS256", "kid": "rsa", "b64": null })), Err("`b64`")),
        ("b64 true", header(json!({ "alg": "RS256", "kid": "rsa", "b64": true })), Ok(())),
        ("typ at+jwt", header(json!({ "alg": "RS256", "kid": "rsa", "typ": "at+jwt" })), Ok(())),
        (
            "typ application/at+JWT",
            header(json!({ "alg": "RS256", "kid": "rsa", "typ": "application/at+JWT" })),
            Ok(()),
        ),
        ("typ logout+jwt", header(json!({ "alg": "RS256", "kid": "rsa", "typ": "logout+jwt" })), Err("`typ`")),
        ("typ dpop+jwt", header(json!({ "alg": "RS256", "kid": "rsa", "typ": "dpop+jwt" })), Err("`typ`")),
        // Claims.
        ("expired", body(json!({ "exp": NOW - 60 })), Err("expired")),
        ("expired within the leeway", body(json!({ "exp": NOW - 59 })), Ok(())),
        ("no exp", body(json!({ "exp": null })), Err("`exp` is missing")),
        ("exp as text", body(json!({ "exp": "9999999999" })), Err("not a number")),
        ("exp too large for a time", body(json!({ "exp": 1e300 })), Err("not a number")),
        ("exp negative", body(json!({ "exp": -1 })), Err("expired")),
        ("exp with a fraction", body(json!({ "exp": NOW as f64 + 1.5 })), Ok(())),
        ("not valid yet", body(json!({ "nbf": NOW + 61 })), Err("not valid yet")),
        ("not valid yet, within the leeway", body(json!({ "nbf": NOW + 60 })), Ok(())),
        ("nbf as text", body(json!({ "nbf": "0" })), Err("not a number")),
        ("issued in the future", body(json!({ "iat": NOW + 61 })), Err("in the future")),
        ("no iss", body(json!({ "iss": null })), Err("`iss` is missing")),
        ("another iss", body(json!({ "iss": "https://evil.example.com" })), Err("is unknown")),
        ("iss with a slash at its end", body(json!({ "iss": format!("{ISSUER}/") })), Err("is unknown")),
        ("iss in a list", body(json!({ "iss": [ISSUER] })), Err("`iss` is missing")),
        ("no aud", body(json!({ "aud": null })), Err("another audience")),
        ("another aud", body(json!({ "aud": "dogs" })), Err("another audience")),
        ("aud of another issuer", body(json!({ "aud": "single" })), Err("another audience")),
        ("aud in a list", body(json!({ "aud": ["dogs", "cats"] })), Ok(())),
        ("aud in a list of others", body(json!({ "aud": ["dogs"] })), Err("another audience")),
        ("aud in a list with numbers", body(json!({ "aud": [AUDIENCE, 1] })), Err("another audience")),
        ("aud empty", body(json!({ "aud": [] })), Err("another audience")),
        ("no sub", body(json!({ "sub": null })), Err("`sub` is missing")),
        ("sub empty", body(json!({ "sub": "" })), Err("the subject claim is missing")),
        ("sub a number", body(json!({ "sub": 7 })), Err("the subject claim is missing")),
    ]
}

#[tokio::test]
async fn every_token_gets_its_verdict() {
    let authenticator = authenticator();
    let entries = entries();
    assert!(entries.len() >= 60, "{}", entries.len());
    let mut wrong = Vec::new();
    for (name, token, expected) in entries {
        let verdict = ask(&authenticator, &[("Authorization", format!("Bearer {token}"))]).await;
        let as_expected = match (&verdict, expected) {
            (Verdict::Caller(subject), Ok(())) => subject == "ann",
            (Verdict::Rejected(reason), Err(part)) => reason.contains(part) && !reason.contains(&claims().to_string()),
            _ => false,
        };
        if !as_expected {
            wrong.push(format!("{name}: {verdict:?}, expected {expected:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[tokio::test]
async fn an_allow_list_excludes_what_would_fit() {
    let only = authenticator().algorithms([restwright_auth::Algorithm::ES256]);
    let ask = async |token: String| ask(&only, &[("Authorization", format!("Bearer {token}"))]).await;
    assert_eq!(ask(good(&P256, "ES256", "p256")).await, Verdict::Caller("ann".to_owned()));
    assert_eq!(
        ask(good(&RSA, "RS256", "rsa")).await,
        Verdict::Rejected("the algorithm \"RS256\" is not accepted".to_owned())
    );
}

#[tokio::test]
async fn identity_tokens_are_no_access_tokens() {
    let strict = authenticator().access_tokens_only();
    for (typ, passes) in [(json!("at+jwt"), true), (json!("application/at+jwt"), true), (json!("JWT"), false)] {
        let token = header(json!({ "alg": "RS256", "kid": "rsa", "typ": typ }));
        let verdict = ask(&strict, &[("Authorization", format!("Bearer {token}"))]).await;
        assert_eq!(matches!(verdict, Verdict::Caller(_)), passes, "{typ} {verdict:?}");
    }
}

/// RFC 9700, section 4.3.2: clients must not pass tokens in URLs.
#[tokio::test]
async fn a_token_in_the_url_is_ignored() {
    let token = header(json!({ "alg": "RS256", "kid": "rsa" }));
    let headers: [(&str, &str); 0] = [];
    let found = authenticate(&authenticator(), &format!("/?access_token={token}"), &headers).await;
    assert!(matches!(found, Ok(None)), "{found:?}");
}
