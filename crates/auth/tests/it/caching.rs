//! Verified tokens are remembered.

use restwright_auth::{Issuer, Jwks, JwtAuthenticator};
use restwright_core::{Clock, Component};
use serde_json::json;

use crate::pairs::{AUDIENCE, ISSUER, NOW, OTHER_P256, P256, claims_with};
use crate::provider::{Provider, ProviderResponse, eventually};
use crate::request::{Verdict, ask, authenticate};

#[tokio::test]
async fn an_identity_expires_with_its_token_and_the_leeway() {
    let provider = Provider::new(ProviderResponse::keys(&[P256.jwk("key", json!({}))]));
    let keys = Jwks::url(provider.url()).allow_loopback_http().provider();
    keys.start().await.unwrap();
    eventually("the first fetch", || keys.status().keys == 1);
    let token = P256.token(&json!({ "alg": "ES256", "kid": "key" }), &claims_with(&json!({ "exp": NOW + 10 })));
    for leeway in [0_i64, 60] {
        let issuer = Issuer::new(ISSUER).audience(AUDIENCE).provider(keys.clone());
        let authenticator = JwtAuthenticator::new(issuer)
            .clock(Clock::manual(NOW))
            .leeway(std::time::Duration::from_secs(leeway.unsigned_abs()));
        // The second identity is remembered.
        for _ in 0..2 {
            let headers = [("Authorization", format!("Bearer {token}"))];
            let identity = authenticate(&authenticator, "/", &headers).await.unwrap().unwrap();
            assert_eq!(identity.expires_at(), Some(NOW + 10 + leeway));
        }
    }
}

#[tokio::test]
async fn remembered_tokens_end_with_their_time_their_keys_and_outages() {
    let provider = Provider::new(ProviderResponse::keys(&[P256.jwk("key", json!({}))]));
    let clock = Clock::manual(NOW);
    let keys = Jwks::url(provider.url()).allow_loopback_http().clock(clock.clone()).provider();
    let issuer = Issuer::new(ISSUER).audience(AUDIENCE).provider(keys.clone());
    let authenticator = JwtAuthenticator::new(issuer).clock(clock.clone()).remember(1000);
    keys.start().await.unwrap();
    eventually("the first fetch", || keys.status().keys == 1);
    let token = |exp: i64| P256.token(&json!({ "alg": "ES256", "kid": "key" }), &claims_with(&json!({ "exp": exp })));
    let ask = async |token: &str| ask(&authenticator, &[("Authorization", format!("Bearer {token}"))]).await;
    let ann = || Verdict::Caller("ann".to_owned());
    let seconds = std::time::Duration::from_secs;

    let (short, long) = (token(NOW + 10), token(NOW + 1_000_000));
    for _ in 0..3 {
        assert_eq!(ask(&short).await, ann());
        assert_eq!(ask(&long).await, ann());
    }
    let tampered = long.replace('.', ".A");
    assert!(matches!(ask(&tampered).await, Verdict::Rejected(_)));
    clock.advance(seconds(69));
    assert_eq!(ask(&short).await, ann(), "the leeway holds without the cache");
    clock.advance(seconds(1));
    assert!(matches!(ask(&short).await, Verdict::Rejected(_)));

    clock.advance(seconds(600));
    eventually("another fetch of the same keys", || provider.fetches() == 2 && keys.status().age == Some(seconds(0)));
    assert_eq!(ask(&long).await, ann());

    provider.responds(ProviderResponse::keys(&[OTHER_P256.jwk("key", json!({}))]));
    clock.advance(seconds(600));
    eventually("other keys", || provider.fetches() == 3 && keys.status().age == Some(seconds(0)));
    assert!(matches!(ask(&long).await, Verdict::Rejected(_)), "a token of keys that are gone");
    assert_eq!(provider.fetches(), 4, "the issuer was asked for the key of a signature that is wrong by now");

    provider.responds(ProviderResponse::keys(&[P256.jwk("key", json!({}))]));
    clock.advance(seconds(600));
    eventually("the keys", || provider.fetches() == 5 && keys.status().age == Some(seconds(0)));
    assert_eq!(ask(&long).await, ann());
    keys.stop().await;
    clock.advance(seconds(24 * 60 * 60 + 1));
    assert!(matches!(ask(&long).await, Verdict::Unavailable(_)), "keys beyond the hard limit");
}
