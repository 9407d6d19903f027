//! Defines [`TestIssuer`], which issues JSON Web Tokens for tests.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use restwright_auth::{Issuer, JwtAuthenticator, KeySet};
use restwright_runtime::core::Clock;
use serde_json::{Map, Value, json};

/// Issues JSON Web Tokens for tests, signed with a new P-256 key.
///
#[cfg_attr(not(doctest), doc = include_str!("doc_examples/test_issuer.md"))]
#[derive(Clone)]
pub struct TestIssuer {
    name: String,
    audience: String,
    pair: Arc<EcdsaKeyPair>,
    clock: Clock,
}

impl TestIssuer {
    const KEY_ID: &str = "test";

    /// Creates an issuer. `issuer` is the `iss` claim of its tokens. Their audience (`aud`) is `test`.
    ///
    /// # Panics
    /// Panics if the system has no randomness for the key.
    #[must_use]
    #[track_caller]
    pub fn new(issuer: impl Into<String>) -> Self {
        let Ok(pair) = EcdsaKeyPair::generate(&ECDSA_P256_SHA256_FIXED_SIGNING) else { no_randomness() };
        Self { name: issuer.into(), audience: "test".to_owned(), pair: Arc::new(pair), clock: Clock::system() }
    }

    /// Sets the audience (`aud`) of the tokens.
    #[must_use]
    pub fn audience(mut self, audience: impl Into<String>) -> Self {
        self.audience = audience.into();
        self
    }

    /// Sets the clock that determines the times in the tokens. The default is the system clock. Use it if the Api has a manual clock.
    #[must_use]
    pub fn clock(mut self, clock: Clock) -> Self {
        self.clock = clock;
        self
    }

    /// Returns an authenticator that accepts the issuer's tokens.
    #[must_use]
    pub fn authenticator(&self) -> JwtAuthenticator {
        JwtAuthenticator::new(self.issuer())
    }

    /// Converts this issuer to an `Issuer` with the same identifier, audience and key. Use it for an authenticator with other settings:
    /// `JwtAuthenticator::new(issuer.issuer()).access_tokens_only()`.
    #[must_use]
    pub fn issuer(&self) -> Issuer {
        let issuer = Issuer::new(&self.name).audience(&self.audience);
        // The key is valid, so the set is never empty.
        match KeySet::from_json(self.key_set().as_bytes()) {
            Ok(keys) => issuer.keys(keys),
            Err(_) => issuer,
        }
    }

    /// Returns the public key as a JSON Web Key Set, for an application that reads its keys from a file or URL.
    #[must_use]
    pub fn key_set(&self) -> String {
        // An uncompressed point is the byte 4 followed by two coordinates of 32 bytes.
        let point = self.pair.public_key().as_ref();
        let coordinate = |from: usize| URL_SAFE_NO_PAD.encode(point.get(from..from + 32).unwrap_or_default());
        let (x, y) = (coordinate(1), coordinate(33));
        json!({ "keys": [{ "kty": "EC", "crv": "P-256", "alg": "ES256", "kid": Self::KEY_ID, "x": x, "y": y }] })
            .to_string()
    }

    /// Creates a token for a subject. The token expires in one hour.
    pub fn token(&self, subject: impl Into<String>) -> TestToken {
        let claims = json!({
            "iss": self.name,
            "aud": self.audience,
            "sub": subject.into(),
            "exp": self.clock.unix_seconds().saturating_add(60 * 60),
        });
        let Value::Object(claims) = claims else { return TestToken { issuer: self.clone(), claims: Map::new() } };
        TestToken { issuer: self.clone(), claims }
    }
}

impl fmt::Debug for TestIssuer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("TestIssuer")
            .field("name", &self.name)
            .field("audience", &self.audience)
            .finish_non_exhaustive()
    }
}

/// A JSON Web Token of a [`TestIssuer`]. Formatting it as a string signs it.
#[derive(Debug, Clone)]
#[must_use = "a token has no effect until it is sent"]
pub struct TestToken {
    issuer: TestIssuer,
    claims: Map<String, Value>,
}

impl TestToken {
    /// Sets the `scope` claim.
    pub fn scopes<'s>(self, scopes: impl IntoIterator<Item = &'s str>) -> Self {
        let scopes: Vec<&str> = scopes.into_iter().collect();
        self.claim("scope", scopes.join(" "))
    }

    /// Sets a claim. `null` removes the claim.
    pub fn claim(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        let (name, value) = (name.into(), value.into());
        if value.is_null() {
            self.claims.remove(&name);
        } else {
            self.claims.insert(name, value);
        }
        self
    }

    /// Sets the time until the token expires (`exp`), 1 hour by default.
    pub fn expires_in(self, time: Duration) -> Self {
        let expires = self.issuer.clock.unix_seconds().saturating_add_unsigned(time.as_secs());
        self.claim("exp", expires)
    }

    /// Sets the expiry (`exp`) to one hour ago. No authenticator allows such a long leeway.
    pub fn expired(self) -> Self {
        let expired = self.issuer.clock.unix_seconds().saturating_sub(60 * 60);
        self.claim("exp", expired)
    }
}

impl fmt::Display for TestToken {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The `typ` of access tokens (RFC 9068), which every authenticator accepts.
        let header = json!({ "alg": "ES256", "kid": TestIssuer::KEY_ID, "typ": "at+jwt" });
        let claims = Value::Object(self.claims.clone());
        let part = |json: &Value| URL_SAFE_NO_PAD.encode(json.to_string());
        let message = format!("{}.{}", part(&header), part(&claims));
        let signature =
            self.issuer.pair.sign(&SystemRandom::new(), message.as_bytes()).map_err(|_unspecified| fmt::Error)?;
        write!(formatter, "{message}.{}", URL_SAFE_NO_PAD.encode(signature))
    }
}

#[expect(clippy::panic, reason = "a test without randomness cannot run, and shows it")]
#[track_caller]
fn no_randomness() -> ! {
    panic!("the operating system provides no randomness for the key of an issuer")
}
