//! Tokens that other implementations made: the examples of the specifications, and RustCrypto's crates.

use p256::ecdsa::signature::Signer;
use restwright_auth::{Issuer, JwtAuthenticator, KeySet};
use restwright_core::Clock;
use rsa::signature::{RandomizedSigner, SignatureEncoding};
use rsa::{BigUint, RsaPrivateKey, rand_core};
use serde_json::{Value, json};

use crate::pairs::{AUDIENCE, ISSUER, NOW, claims, decode, encode, set};
use crate::request::{Verdict, ask};

/// The claims of RFC 7515, appendix A.
const PAYLOAD: &str = "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ";

/// The keys of RFC 7515, appendices A.1 to A.3, and RFC 8037, appendix A.
const SECRET: &str = "AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow";
const RSA_N: &str = "ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0Bm4d4QlL-yRT-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUsLA9e-KXBdQOS-UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQ";
const RSA_D: &str = "Eq5xpGnNCivDflJsRQBXHx1hdR1k6Ulwe2JZD50LpXyWPEAeP88vLNO97IjlA7_GQ5sLKMgvfTeXZx9SE-7YwVol2NXOoAJe46sui395IW_GO-pWJ1O0BkTGoVEn2bKVRUCgu-GjBVaYLU6f3l9kJfFNS3E0QbVdxzubSu3Mkqzjkn439X0M_V51gfpRLI9JYanrC4D4qAdGcopV_0ZHHzQlBjudU2QvXt4ehNYTCBr6XCLQUShb1juUO1ZdiYoFaFQT5Tw8bGUl_x_jTj3ccPDVZFD9pIuhLhBOneufuBiB4cS98l2SR_RQyGWSeWjnczT0QU91p1DhOVRuOopznQ";
const RSA_P: &str = "4BzEEOtIpmVdVEZNCqS7baC4crd0pqnRH_5IB3jw3bcxGn6QLvnEtfdUdiYrqBdss1l58BQ3KhooKeQTa9AB0Hw_Py5PJdTJNPY8cQn7ouZ2KKDcmnPGBY5t7yLc1QlQ5xHdwW1VhvKn-nXqhJTBgIPgtldC-KDV5z-y2XDwGUc";
const RSA_Q: &str = "uQPEfgmVtjL0Uyyx88GZFF1fOunH3-7cepKmtH4pxhtCoHqpWmT8YAmZxaewHgHAjLYsp1ZSe7zFYHj7C6ul7TjeLQeZD_YwD66t62wDmpe_HlB-TnBA-njbglfIsRLtXlnDzQkv5dTltRJ11BKBBypeeF6689rjcJIDEz9RWdc";
const P256_X: &str = "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU";
const P256_Y: &str = "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0";

/// Asks about a token of RFC 7515, which has no subject and no audience.
async fn verdict_of_joe(issuer: Issuer, token: &str) -> Verdict {
    let authenticator = JwtAuthenticator::new(issuer).subject_claim("iss").clock(Clock::manual(1_300_819_000));
    ask(&authenticator, &[("Authorization", format!("Bearer {token}"))]).await
}

fn joe() -> Issuer {
    Issuer::new("joe").without_audience().require_claim("iss", ["joe"])
}

fn keys(key: &Value) -> KeySet {
    KeySet::from_json(set(std::slice::from_ref(key)).as_bytes()).unwrap()
}

#[tokio::test]
async fn the_examples_of_rfc_7515_are_accepted() {
    let rsa = json!({ "kty": "RSA", "n": RSA_N, "e": "AQAB" });
    let p256 = json!({ "kty": "EC", "crv": "P-256", "x": P256_X, "y": P256_Y });
    for (name, issuer, header, signature) in [
        (
            "A.1",
            joe().shared_secret(decode(SECRET)),
            "eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9",
            "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk",
        ),
        (
            "A.2",
            joe().keys(keys(&rsa)),
            "eyJhbGciOiJSUzI1NiJ9",
            "cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_O8W2Fp5jujGbds9uJdbF9CUAr7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K0GarZRmB_eSN9383LcOLn6_dO--xi12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWywlVmtVrBp0igcN_IoypGlUPQGe77Rw",
        ),
        (
            "A.3",
            joe().keys(keys(&p256)),
            "eyJhbGciOiJFUzI1NiJ9",
            "DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q",
        ),
    ] {
        let token = format!("{header}.{PAYLOAD}.{signature}");
        assert_eq!(verdict_of_joe(issuer.clone(), &token).await, Verdict::Caller("joe".to_owned()), "{name}");
        let other = format!("{header}.{}.{signature}", PAYLOAD.replace("fQ", "fX"));
        assert!(matches!(verdict_of_joe(issuer, &other).await, Verdict::Rejected(_)), "{name}");
    }
    let unsecured = format!("eyJhbGciOiJub25lIn0.{PAYLOAD}.");
    let verdict = verdict_of_joe(joe().keys(keys(&rsa)), &unsecured).await;
    assert_eq!(verdict, Verdict::Rejected("the algorithm \"none\" is not accepted".to_owned()), "A.5");
}

/// Checks that tokens are accepted that another implementation signed, and not with another message.
async fn check(algorithm: &str, key: &Value, sign: impl Fn(&[u8]) -> Vec<u8>) {
    let issuer = Issuer::new(ISSUER).audience(AUDIENCE).keys(keys(key));
    let authenticator = JwtAuthenticator::new(issuer).clock(Clock::manual(NOW));
    let message = format!("{}.{}", encode(json!({ "alg": algorithm }).to_string()), encode(claims().to_string()));
    for (signed, passes) in [(message.as_str(), true), ("another message", false)] {
        let token = format!("{message}.{}", encode(sign(signed.as_bytes())));
        let verdict = ask(&authenticator, &[("Authorization", format!("Bearer {token}"))]).await;
        assert_eq!(verdict == Verdict::Caller("ann".to_owned()), passes, "{algorithm}: {verdict:?}");
    }
}

#[tokio::test]
async fn tokens_of_p256_are_accepted() {
    for secret in [[7; 32], [8; 32], [9; 32]] {
        let key = p256::ecdsa::SigningKey::from_slice(&secret).unwrap();
        let point = key.verifying_key().to_sec1_point(false);
        let (x, y) = (encode(point.x().unwrap()), encode(point.y().unwrap()));
        let sign = |message: &[u8]| {
            let signature: p256::ecdsa::Signature = key.sign(message);
            signature.to_bytes().to_vec()
        };
        check("ES256", &json!({ "kty": "EC", "crv": "P-256", "x": x, "y": y }), sign).await;
    }
}

#[tokio::test]
async fn tokens_of_ed25519_dalek_are_accepted() {
    for secret in [[7; 32], [8; 32], [9; 32]] {
        let key = ed25519_dalek::SigningKey::from_bytes(&secret);
        let x = encode(key.verifying_key().as_bytes());
        let sign = |message: &[u8]| ed25519_dalek::Signer::sign(&key, message).to_bytes().to_vec();
        check("EdDSA", &json!({ "kty": "OKP", "crv": "Ed25519", "x": x }), sign).await;
    }
}

#[tokio::test]
async fn tokens_of_rsa_are_accepted() {
    let number = |text: &str| BigUint::from_bytes_be(&decode(text));
    let primes = vec![number(RSA_P), number(RSA_Q)];
    let key = RsaPrivateKey::from_components(number(RSA_N), number("AQAB"), number(RSA_D), primes).unwrap();
    let jwk = json!({ "kty": "RSA", "n": RSA_N, "e": "AQAB" });
    let rs256 = rsa::pkcs1v15::SigningKey::<rsa::sha2::Sha256>::new(key.clone());
    check("RS256", &jwk, |message| rsa::signature::Signer::sign(&rs256, message).to_vec()).await;
    let rs512 = rsa::pkcs1v15::SigningKey::<rsa::sha2::Sha512>::new(key.clone());
    check("RS512", &jwk, |message| rsa::signature::Signer::sign(&rs512, message).to_vec()).await;
    let ps256 = rsa::pss::SigningKey::<rsa::sha2::Sha256>::new(key);
    check("PS256", &jwk, |message| ps256.sign_with_rng(&mut rand_core::OsRng, message).to_vec()).await;
}
