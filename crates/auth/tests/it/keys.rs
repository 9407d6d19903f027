//! Usable and unusable keys, in sets and in PEM.

use aws_lc_rs::encoding::{AsDer, PublicKeyX509Der};
use aws_lc_rs::signature::{
    ECDSA_P256K1_SHA256_ASN1_SIGNING, ECDSA_P521_SHA512_FIXED_SIGNING, EcdsaKeyPair, EcdsaSigningAlgorithm, KeyPair,
};
use restwright_auth::{Issuer, JwtAuthenticator, KeySet};
use restwright_core::{Clock, Configuration};
use restwright_runtime::Api;
use restwright_tests::Log;
use serde_json::{Value, json};
use tracing::Level;

use crate::pairs::{
    AUDIENCE, ED, ISSUER, NOW, OTHER_RSA, P256, P384, Pair, RSA, SMALL_ORDER, claims_with, encode, pem, set,
};
use crate::request::{Verdict, ask};

/// Returns why a set of this key alone is not usable.
fn refusal(key: &Value) -> Option<String> {
    KeySet::from_json(set(std::slice::from_ref(key)).as_bytes()).err().map(|error| error.to_string())
}

/// The coordinates of another point, which are not on the curve.
fn off_curve(pair: &Pair) -> Value {
    let jwk = pair.jwk("key", json!({}));
    let (x, y) = (jwk["x"].clone(), jwk["y"].clone());
    pair.jwk("key", json!({ "x": y, "y": x }))
}

/// Coordinates that together are as long as a point.
fn uneven() -> Value {
    let jwk = P256.jwk("key", json!({}));
    let both = [jwk["x"].as_str().unwrap(), jwk["y"].as_str().unwrap()].concat();
    P256.jwk("key", json!({ "x": both[..44], "y": both[44..] }))
}

fn rsa(modulus: &[u8], exponent: &[u8]) -> Value {
    json!({ "kty": "RSA", "n": encode(modulus), "e": encode(exponent) })
}

/// What a serializer writes for the members that a public key does not have.
fn nulls() -> Value {
    json!({ "d": null, "p": null, "q": null, "dp": null, "dq": null, "qi": null, "oth": null, "x5t": null, "use": null })
}

#[test]
fn a_private_key_in_a_set_loses_none_of_the_others() {
    let private = RSA.jwk("private", json!({ "d": "AQ", "p": "AQ", "q": "AQ" }));
    let keys = set(&[private.clone(), RSA.jwk("public", nulls()), private, P256.jwk("other", json!({}))]);
    assert_eq!(KeySet::from_json(keys.as_bytes()).unwrap().len(), 2);
}

#[test]
fn sets_have_keys_that_are_sound() {
    let (most, exponent) = ([0xff; 1024], [1, 0, 1]);
    for (name, key) in [
        ("RSA", RSA.jwk("key", json!({}))),
        ("RSA, 2048 bits", rsa(&most[..256], &exponent)),
        ("RSA, 8192 bits", rsa(&most, &exponent)),
        ("RSA, zeros before", rsa(&[&[0, 0], &most[..256]].concat(), &[0, 3])),
        ("P-256", P256.jwk("key", json!({}))),
        ("P-384", P384.jwk("key", json!({}))),
        ("Ed25519", ED.jwk("key", json!({}))),
        ("RSA with null for what is private", RSA.jwk("key", nulls())),
        ("Ed25519 with null for what is private", ED.jwk("key", json!({ "d": null }))),
        ("Ed25519 by its newer name", ED.jwk("key", json!({ "alg": "Ed25519" }))),
    ] {
        assert_eq!(refusal(&key), None, "{name}");
    }
    for (name, key, reason) in [
        ("P-256 off the curve", off_curve(&P256), "its point is not on P-256"),
        ("P-384 off the curve", off_curve(&P384), "its point is not on P-384"),
        ("nothing on P-256", P256.jwk("key", json!({ "x": encode([0; 32]), "y": encode([0; 32]) })), "is not on P-256"),
        ("beyond P-256", P256.jwk("key", json!({ "x": encode([0xff; 32]) })), "is not on P-256"),
        ("P-256 called P-384", P256.jwk("key", json!({ "crv": "P-384" })), "must have 48 bytes"),
        ("secp256k1", P256.jwk("key", json!({ "crv": "secp256k1" })), "\"secp256k1\" is not supported"),
        ("P-521", P256.jwk("key", json!({ "crv": "P-521" })), "\"P-521\" is not supported"),
        ("half a point", P256.jwk("key", json!({ "y": null })), "it has no `y`"),
        (
            "RSA, 1024 bits",
            rsa(&most[..128], &exponent),
            "an RSA key must have 2048 to 8192 bits, but this one has 1024",
        ),
        ("RSA, 2047 bits", rsa(&[&[0x7f][..], &most[..255]].concat(), &exponent), "but this one has 2047"),
        ("RSA, 8193 bits", rsa(&[&[1][..], &most].concat(), &exponent), "but this one has 8193"),
        ("RSA, 100,000 bits", rsa(&[0xff; 12_500], &exponent), "the modulus of an RSA key"),
        ("RSA, an even modulus", rsa(&[&most[..255], &[0xfe]].concat(), &exponent), "the modulus of an RSA key"),
        ("RSA, no modulus", rsa(&[], &exponent), "the modulus of an RSA key"),
        ("RSA, a modulus of zeros", rsa(&[0; 256], &exponent), "the modulus of an RSA key"),
        ("RSA, exponent 0", rsa(&most[..256], &[0]), "its exponent odd, at least 3"),
        ("RSA, exponent 1", rsa(&most[..256], &[1]), "its exponent odd, at least 3"),
        ("RSA, exponent 2", rsa(&most[..256], &[2]), "its exponent odd, at least 3"),
        ("RSA, exponent 65536", rsa(&most[..256], &[1, 0, 0]), "its exponent odd, at least 3"),
        ("RSA, an exponent of 40 bits", rsa(&most[..256], &[1, 0, 0, 0, 1]), "its exponent odd, at least 3"),
        ("Ed25519, 31 bytes", ED.jwk("key", json!({ "x": encode([7; 31]) })), "must have 32 bytes"),
        (
            "Ed25519 off the curve",
            ED.jwk("key", json!({ "x": encode([&[2][..], &[0; 31]].concat()) })),
            "not on Ed25519",
        ),
        ("X25519", ED.jwk("key", json!({ "crv": "X25519" })), "\"X25519\" is not supported"),
        ("a private key", ED.jwk("key", json!({ "d": "AA" })), "it is a private key"),
        ("a private key that is no text", ED.jwk("key", json!({ "d": false })), "it is a private key"),
        ("primes without an exponent", RSA.jwk("key", json!({ "p": "AA", "q": "AA" })), "it is a private key"),
        ("a prime of a private key", RSA.jwk("key", json!({ "p": "AA" })), "it is a private key"),
        ("the other prime", RSA.jwk("key", json!({ "q": 7 })), "it is a private key"),
        ("coordinates of other lengths", uneven(), "must have 32 bytes"),
        (
            "Ed25519, not reduced",
            ED.jwk("key", json!({ "x": encode([[0xf0; 1].as_slice(), &[0xff; 30], &[0x7f]].concat()) })),
            "not on Ed25519",
        ),
        ("for encryption", RSA.jwk("key", json!({ "use": "enc" })), "its `use` is not `sig`"),
        ("for signing", RSA.jwk("key", json!({ "key_ops": ["sign"] })), "its `key_ops` do not include `verify`"),
        ("for no operation", RSA.jwk("key", json!({ "key_ops": [] })), "its `key_ops` do not include `verify`"),
        ("RSA-OAEP", RSA.jwk("key", json!({ "alg": "RSA-OAEP" })), "its `alg` \"RSA-OAEP\" is not supported"),
        ("ES256 with RSA", RSA.jwk("key", json!({ "alg": "ES256" })), "its `alg` ES256 does not fit its `kty`"),
        ("a name that is a number", RSA.jwk("key", json!({ "kid": 7 })), "invalid type"),
        ("padding", RSA.jwk("key", json!({ "e": "AQAB====" })), "is not base64url"),
        ("a secret", json!({ "kty": "oct", "k": encode([7; 32]) }), "\"oct\" with the curve \"\" is not supported"),
        ("no key", json!(7), "it is not an object"),
    ] {
        let found = refusal(&key).unwrap_or_else(|| panic!("{name} is a key"));
        assert!(found.starts_with("it has no usable key; of the first: ") && found.contains(reason), "{name}: {found}");
    }
    let long = refusal(&json!({ "kty": "x".repeat(100_000) })).unwrap();
    assert!(long.len() < 300, "{} bytes", long.len());
}

#[test]
fn one_bad_key_never_loses_the_set() {
    let good = P256.jwk("good", json!({})).to_string();
    let repeated = good.replacen('{', r#"{"kty":"RSA","#, 1);
    assert_eq!(KeySet::from_json(format!(r#"{{"keys":[{good}]}}"#).as_bytes()).unwrap().len(), 1);
    let error = KeySet::from_json(format!(r#"{{"keys":[{repeated}]}}"#).as_bytes()).unwrap_err().to_string();
    assert!(error.ends_with(r#"its member "kty" is repeated"#), "{error}");
    for bad in [
        repeated.as_str(),
        "null",
        "7",
        "\"text\"",
        "[]",
        "[{}]",
        "{}",
        r#"{"kty":7}"#,
        r#"{"kty":"RSA","x5c":7}"#,
        r#"{"kty":"EC","crv":"P-256","x":[],"y":{}}"#,
    ] {
        let set = KeySet::from_json(format!(r#"{{"keys":[{bad},{good}]}}"#).as_bytes());
        assert_eq!(set.unwrap_or_else(|error| panic!("{bad}: {error}")).len(), 1, "{bad}");
    }
}

#[tokio::test]
async fn keys_that_jsonwebtoken_read_are_taken_and_checked() {
    use restwright_auth::{DecodingKey, JwkSet};

    let ann = Verdict::Caller("ann".to_owned());
    for (pair, algorithm) in [(&*RSA, "RS256"), (&*P256, "ES256"), (&*P384, "ES384"), (&*ED, "EdDSA")] {
        let jwks: JwkSet = serde_json::from_str(&set(&[pair.jwk("key", json!({})), json!({ "kty": "AKP" })])).unwrap();
        let keys = KeySet::try_from(&jwks).unwrap();
        assert_eq!(keys.len(), 1);
        assert_eq!(verdict(issuer().keys(keys), pair, algorithm).await, ann, "{algorithm}");
        let key = DecodingKey::from_jwk(&jwks.keys[0]).unwrap();
        assert_eq!(verdict(issuer().key(&key), pair, algorithm).await, ann, "{algorithm}");
    }
    let secret = [7; 32];
    let shared = Pair::Secret(secret.to_vec());
    assert_eq!(verdict(issuer().key(&DecodingKey::from_secret(&secret).unwrap()), &shared, "HS256").await, ann);
    for (key, reason) in [
        (DecodingKey::from_secret(b"short").unwrap(), "at least 32 bytes"),
        (DecodingKey::from_rsa_raw_components(&[0xff; 128], &[1, 0, 1]), "but this one has 1024"),
        (DecodingKey::from_rsa_der(b"text"), "it is not a valid key"),
        (DecodingKey::from_ec_der(b"text"), "it is not a valid key"),
        (DecodingKey::from_ec_der(&[4; 65]), "its point is not on P-256"),
        (DecodingKey::from_ed_der(&SMALL_ORDER[1]), "has a small order"),
        (DecodingKey::from_ed_der(b"text"), "must have 32 bytes"),
    ] {
        let found = mistakes(issuer().key(&key));
        assert!(found.len() == 1 && found[0].contains(reason), "{found:?}");
    }
}

#[test]
fn points_of_small_order_are_no_keys() {
    for point in SMALL_ORDER {
        for sign in [0, 0x80] {
            let mut point = *point;
            point[31] |= sign;
            let found = refusal(&ED.jwk("key", json!({ "x": encode(point) })));
            assert!(found.is_some_and(|reason| reason.contains("small order")), "{point:x?}");
            let der = [&[0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00][..], &point].concat();
            assert!(mistakes(issuer().public_key(pem("PUBLIC KEY", &der)))[0].contains("small order"));
        }
    }
}

fn issuer() -> Issuer {
    Issuer::new(ISSUER).audience(AUDIENCE)
}

/// Returns the errors of an issuer, without their common prefix.
fn mistakes(issuer: Issuer) -> Vec<String> {
    let configuration = Configuration::new("pets", "1.0.0").authenticator("jwt", JwtAuthenticator::new(issuer));
    let errors = Api::builder(configuration).build().err();
    let messages = errors.map(|errors| errors.messages().to_vec()).unwrap_or_default();
    messages.iter().map(|message| message.strip_prefix("authenticator `jwt`: ").unwrap().to_owned()).collect()
}

fn of_curve(algorithm: &'static EcdsaSigningAlgorithm) -> String {
    let pair = EcdsaKeyPair::generate(algorithm).unwrap();
    pem("PUBLIC KEY", AsDer::<PublicKeyX509Der<'_>>::as_der(pair.public_key()).unwrap().as_ref())
}

#[test]
fn what_is_no_public_key_does_not_start() {
    const RSA_1024: &str = "-----BEGIN PUBLIC KEY-----
MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQDDl9d/QcR3Q2Ry/s6mUXgP3Lb1
GHLSd1WBWPb8gezCtMmyZalCjHJ2nxHc0pe0O7HGabVgNdNXYyYiwqxjCXv9LPRy
6Kuz915AUpf3TH0dFeR29FB3IRK0yBodGH0yd3noHudg5qvecIGgDlmipF2FUMmT
zyriCFA5+dqUjDnQBwIDAQAB
-----END PUBLIC KEY-----";
    let good = P256.pem();
    for (name, text, reason) in [
        ("nothing", String::new(), "it is not a public key in PEM, which starts with"),
        ("the path of a file", "/etc/pets/key.pem".to_owned(), "it is not a public key in PEM"),
        ("a key of SSH", "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI ann@pets".to_owned(), "it is not a public key in PEM"),
        ("a set", set(&[P256.jwk("key", json!({}))]), "it is not a public key in PEM"),
        ("a private key", pem("PRIVATE KEY", b"secret"), "it is a private key, which only the issuer needs; use"),
        ("a private RSA key", pem("RSA PRIVATE KEY", b"secret"), "it is a private key"),
        ("an encrypted key", pem("ENCRYPTED PRIVATE KEY", b"secret"), "it is a private key"),
        ("both keys", pem("EC PRIVATE KEY", b"secret") + &good, "it is a private key"),
        ("a certificate", pem("CERTIFICATE", b"certificate"), "it is a certificate; use the public key in it"),
        ("half a key", good[..good.len() - 40].to_owned(), "it is not a public key in PEM"),
        ("two keys", good.clone() + &P384.pem(), "it contains several keys; add each of them separately"),
        ("lines of a variable", good.trim().replace('\n', r"\n"), r"it contains the characters `\n`"),
        ("no base64", good.replace('M', "!"), "is not base64"),
        ("an empty key", pem("PUBLIC KEY", b""), "it is not a valid key of a supported type"),
        ("no DER", pem("PUBLIC KEY", b"0123456789"), "it is not a valid key"),
        ("a bare point on Ed25519", pem("PUBLIC KEY", &[7; 32]), "it is not a valid key"),
        ("secp256k1", of_curve(&ECDSA_P256K1_SHA256_ASN1_SIGNING), "it is not a valid key"),
        ("P-521", of_curve(&ECDSA_P521_SHA512_FIXED_SIGNING), "it is not a valid key"),
        ("RSA, 1024 bits", RSA_1024.to_owned(), "an RSA key must have 2048 to 8192 bits, but this one has 1024"),
    ] {
        let found = mistakes(issuer().public_key(&text));
        assert_eq!(found.len(), 1, "{name}: {found:?}");
        assert!(
            found[0].starts_with(&format!("a public key of the issuer `{ISSUER}` cannot be used: ")),
            "{}",
            found[0]
        );
        assert!(found[0].contains(reason) && !found[0].contains("secret"), "{name}: {}", found[0]);
    }
    let not_text = mistakes(issuer().public_key([0xff, 0xfe]));
    assert!(not_text[0].contains("it is not a public key in PEM"), "{not_text:?}");
}

/// Returns the verdict on a token that a pair signed.
async fn verdict(issuer: Issuer, pair: &Pair, algorithm: &str) -> Verdict {
    let authenticator = JwtAuthenticator::new(issuer).clock(Clock::manual(NOW));
    let token = pair.token(&json!({ "alg": algorithm }), &claims_with(&json!({})));
    ask(&authenticator, &[("Authorization", format!("Bearer {token}"))]).await
}

#[tokio::test]
async fn public_keys_are_taken_as_pem() {
    let ann = Verdict::Caller("ann".to_owned());
    for (pair, algorithm) in [(&*RSA, "RS256"), (&*RSA, "PS512"), (&*P256, "ES256"), (&*P384, "ES384"), (&*ED, "EdDSA")]
    {
        assert_eq!(verdict(issuer().public_key(pair.pem()), pair, algorithm).await, ann, "{algorithm}");
        let windows = format!("A key.\r\n{}", pair.pem().replace('\n', "\r\n"));
        assert_eq!(verdict(issuer().public_key(windows), pair, algorithm).await, ann, "{algorithm}");
    }
    let Pair::Rsa(rsa) = &*RSA else { panic!() };
    let older = pem("RSA PUBLIC KEY", rsa.public_key().as_ref());
    assert_eq!(verdict(issuer().public_key(older), &RSA, "RS256").await, ann);
}

#[tokio::test]
async fn logs_a_key_that_was_left_out_once_if_a_token_needs_it() {
    let usable = P384.jwk("usable", json!({}));
    let left_out = [
        (P256.jwk("agreement", json!({ "alg": "ECDH-ES" })), "algorithm=\"ECDH-ES\"", "is not supported"),
        (P256.jwk("encryption", json!({ "use": "enc" })), "algorithm=\"EC\"", "its `use` is not `sig`"),
    ];
    let keys = set(&[left_out[0].0.clone(), usable, left_out[1].0.clone()]);
    let set = KeySet::from_json(keys.as_bytes()).unwrap();
    let authenticator = JwtAuthenticator::new(issuer().keys(set)).clock(Clock::manual(NOW));
    let log = Log::up_to(Level::WARN);
    let _guard = restwright_tests::subscribe(log.clone());
    let ask = async |pair: &Pair, id: &str, algorithm: &str| {
        let token = pair.token(&json!({ "alg": algorithm, "kid": id }), &claims_with(&json!({})));
        ask(&authenticator, &[("Authorization", format!("Bearer {token}"))]).await
    };
    assert_eq!(ask(&P384, "usable", "ES384").await, Verdict::Caller("ann".to_owned()));
    assert!(matches!(ask(&P256, "unknown", "ES256").await, Verdict::Rejected(_)));
    assert_eq!(log.take(""), [""; 0]);
    for (key, algorithm, reason) in &left_out {
        let id = key["kid"].as_str().unwrap();
        for _ in 0..3 {
            assert!(matches!(ask(&P256, id, "ES256").await, Verdict::Rejected(_)));
        }
        let lines = log.take("");
        let [line] = &*lines else { panic!("{lines:?}") };
        let message = "message=tokens are rejected because their key cannot be used";
        for part in ["WARN", message, &format!("kid=\"{id}\""), algorithm, reason] {
            assert!(line.contains(part), "{line} lacks {part}");
        }
    }
}

#[tokio::test]
async fn several_keys_of_one_issuer_serve_together() {
    let ann = Verdict::Caller("ann".to_owned());
    let secret = |text: &str| Pair::Secret(text.as_bytes().to_vec());
    let (old, new) = ("the secret of yesterday, with 32 bytes", "the secret of tomorrow, with 32 bytes");
    let several = || {
        let set = KeySet::from_json(set(&[P384.jwk("key", json!({}))]).as_bytes()).unwrap();
        issuer().public_key(RSA.pem()).public_key(OTHER_RSA.pem()).shared_secret(old).shared_secret(new).keys(set)
    };
    assert_eq!(mistakes(several()), [""; 0]);
    for (pair, algorithm) in
        [(&*RSA, "RS256"), (&*OTHER_RSA, "RS256"), (&secret(old), "HS256"), (&secret(new), "HS256"), (&*P384, "ES384")]
    {
        assert_eq!(verdict(several(), pair, algorithm).await, ann, "{algorithm}");
    }
    assert!(matches!(verdict(several(), &P256, "ES256").await, Verdict::Rejected(_)));
}

#[test]
fn keys_that_would_not_serve_do_not_start() {
    use restwright_auth::Jwks;

    let file = || Jwks::file("/no/such/file");
    let given = || KeySet::from_json(set(&[P256.jwk("key", json!({}))]).as_bytes()).unwrap();
    for issuer in [
        issuer().jwks(file()).public_key(P256.pem()),
        issuer().public_key(P256.pem()).jwks(file()),
        issuer().jwks(file()).jwks(file()),
        issuer().keys(given()).provider(file().provider()),
        issuer().jwks(file()).shared_secret([7; 32]),
    ] {
        let found = mistakes(issuer);
        assert!(found.len() == 1 && found[0].contains("has several sources of keys; keep one of them"), "{found:?}");
    }
    let many = |count: usize| (0..count).fold(issuer(), |issuer, _| issuer.public_key(RSA.pem()));
    assert_eq!(mistakes(many(4).public_key(P256.pem())), [""; 0]);
    let found = mistakes(many(5));
    assert!(found.len() == 1 && found[0].contains("has more than 4 keys without `kid`"), "{found:?}");
}
