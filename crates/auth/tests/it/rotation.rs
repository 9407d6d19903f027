//! Issuers change their keys.

use std::time::Duration;

use restwright_auth::{Issuer, Jwks, JwtAuthenticator};
use restwright_core::{Clock, Component};
use serde_json::json;

use crate::pairs::{AUDIENCE, NOW, OTHER_P256, P256, Pair, RSA, claims_with, set};
use crate::provider::{Provider, ProviderResponse, Scene, eventually};
use crate::request::{Verdict, ask};

fn both() -> ProviderResponse {
    ProviderResponse::keys(&[P256.jwk("old", json!({})), OTHER_P256.jwk("new", json!({}))])
}

#[tokio::test]
async fn nobody_notices_a_rotation_with_overlap() {
    let old = ProviderResponse::keys(&[P256.jwk("old", json!({}))]);
    let scene = Scene::new(old).await;
    eventually("the first fetch", || scene.keys.status().keys == 1);
    // Half a minute for each step: from the tenth minute on there is a new key, with which the issuer signs at once; ten
    // minutes later no token of the old one is good any more, and it goes.
    for step in 0..120 {
        match step {
            20 => scene.provider.responds(both()),
            41 => scene.provider.responds(ProviderResponse::keys(&[OTHER_P256.jwk("new", json!({}))])),
            _ => {}
        }
        if step <= 40 {
            Scene::assert_passes(&scene.ask(&scene.token(&P256, "old")).await, &format!("old key in step {step}"));
        }
        if step >= 20 {
            Scene::assert_passes(
                &scene.ask(&scene.token(&OTHER_P256, "new")).await,
                &format!("new key in step {step}"),
            );
        }
        scene.advance(30);
    }
    // The old key is gone from the set, and not trusted any more.
    eventually("the removal", || scene.keys.status().keys == 1);
    let refused = scene.ask(&scene.token(&P256, "old")).await;
    assert!(matches!(&refused, Verdict::Rejected(reason) if reason.contains("no key")), "{refused:?}");
    scene.keys.stop().await;
}

/// A token of the new key, by what it and the sets say of identifiers.
#[tokio::test]
async fn rotations_without_a_new_identifier_are_noticed() {
    let named = |pair: &Pair| vec![pair.jwk("key", json!({}))];
    let unnamed = |pair: &Pair| vec![pair.jwk("", json!({ "kid": null }))];
    let (without, with) = (json!({ "alg": "ES256" }), json!({ "alg": "ES256", "kid": "key" }));
    for (name, before, after, pair, header) in [
        ("nothing has a name", unnamed(&P256), unnamed(&OTHER_P256), &*OTHER_P256, &without),
        ("the keys have no name", unnamed(&P256), unnamed(&OTHER_P256), &*OTHER_P256, &with),
        ("the token has no name", named(&P256), named(&OTHER_P256), &*OTHER_P256, &without),
        ("one name for both", named(&P256), named(&OTHER_P256), &*OTHER_P256, &with),
        ("of another family", named(&P256), named(&RSA), &*RSA, &json!({ "alg": "RS256", "kid": "key" })),
        ("of another family without names", unnamed(&P256), unnamed(&RSA), &*RSA, &json!({ "alg": "RS256" })),
        ("the keys get names", unnamed(&P256), named(&OTHER_P256), &*OTHER_P256, &with),
        ("the keys lose their names", named(&P256), unnamed(&OTHER_P256), &*OTHER_P256, &with),
    ] {
        let scene = Scene::new(ProviderResponse::keys(&before)).await;
        eventually("the first fetch", || scene.keys.status().keys == 1);
        // The issuer changes its keys a while after they were fetched.
        let (old, new) = (P256.token(&with, &claims_with(&json!({}))), pair.token(header, &claims_with(&json!({}))));
        Scene::assert_passes(&scene.ask(&old).await, name);
        scene.provider.responds(ProviderResponse::keys(&after));
        Scene::assert_passes(&scene.ask(&new).await, name);
        assert!(matches!(scene.ask(&old).await, Verdict::Rejected(_)), "{name}");
        assert_eq!(scene.provider.fetches(), 2, "{name}");
    }
}

#[tokio::test]
async fn keys_are_found_by_discovery() {
    let provider = Provider::new(ProviderResponse::Close);
    let metadata = |issuer: &str, keys: &str| {
        ProviderResponse::text(
            "200 OK",
            "",
            json!({ "issuer": issuer, "jwks_uri": keys, "keys": [P256.jwk("k", json!({}))] }).to_string(),
        )
    };
    let clock = Clock::manual(NOW);
    let keys = Jwks::discover(provider.issuer()).allow_loopback_http().clock(clock.clone()).provider();
    let issuer = Issuer::new(provider.issuer()).audience(AUDIENCE).provider(keys.clone());
    let authenticator = JwtAuthenticator::new(issuer).clock(clock.clone());
    let token = P256.token(
        &json!({ "alg": "ES256", "kid": "k" }),
        &claims_with(&json!({ "iss": provider.issuer(), "exp": NOW + 1_000_000 })),
    );
    keys.start().await.unwrap();
    for (metadata, expected) in [
        (metadata("https://evil.example.com", &provider.url()), Some("describes another issuer")),
        (metadata(&format!("{}/", provider.issuer()), &provider.url()), Some("describes another issuer")),
        (metadata(&provider.issuer(), "http://keys.example.com/"), Some("use https")),
        (metadata(&provider.issuer(), "file:///etc/passwd"), Some("by `file`")),
        (ProviderResponse::text("200 OK", "", "{}"), Some("is not the metadata of an issuer")),
        (metadata(&provider.issuer(), &provider.url()), None),
    ] {
        provider.responds(metadata);
        eventually(expected.unwrap_or("the fetch"), || {
            clock.advance(Duration::from_secs(1));
            let status = keys.status();
            match expected {
                Some(part) => status.last_failure.is_some_and(|failure| failure.contains(part)),
                None => status.keys == 1,
            }
        });
    }
    let verdict = ask(&authenticator, &[("Authorization", format!("Bearer {token}"))]).await;
    assert_eq!(verdict, Verdict::Caller("ann".to_owned()));
}

#[tokio::test]
async fn a_file_is_read_again() {
    let path = std::env::temp_dir().join(format!("restwright-keys-{}.json", std::process::id()));
    std::fs::write(&path, set(&[P256.jwk("old", json!({}))])).unwrap();
    let clock = Clock::manual(NOW);
    let keys = Jwks::file(&path).clock(clock.clone()).provider();
    let authenticator =
        JwtAuthenticator::new(Issuer::new(crate::pairs::ISSUER).audience(AUDIENCE).provider(keys.clone()));
    let authenticator = authenticator.clock(clock.clone());
    keys.start().await.unwrap();
    eventually("the first reading", || keys.status().keys == 1);
    let ask = async |pair: &Pair, id: &str| {
        let token = pair.token(&json!({ "alg": "ES256", "kid": id }), &claims_with(&json!({})));
        ask(&authenticator, &[("Authorization", format!("Bearer {token}"))]).await
    };
    assert_eq!(ask(&P256, "old").await, Verdict::Caller("ann".to_owned()));
    std::fs::write(&path, set(&[OTHER_P256.jwk("new", json!({}))])).unwrap();
    assert_eq!(ask(&OTHER_P256, "new").await, Verdict::Caller("ann".to_owned()));
    assert!(matches!(ask(&P256, "old").await, Verdict::Rejected(_)));
    std::fs::write(&path, "x".repeat(300 * 1024)).unwrap();
    clock.advance(Duration::from_secs(600));
    eventually("the failure", || {
        keys.status().last_failure.is_some_and(|reason| reason.contains("more than 262144 bytes"))
    });
    assert_eq!(ask(&OTHER_P256, "new").await, Verdict::Caller("ann".to_owned()));
    std::fs::remove_file(&path).unwrap();
}
