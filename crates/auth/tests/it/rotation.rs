//! Issuers change their keys.

use std::time::{Duration, Instant};

use restwright_auth::{Issuer, Jwks, JwtAuthenticator};
use restwright_core::{Clock, Component};
use serde_json::json;

use crate::pairs::{AUDIENCE, NOW, OTHER_P256, P256, Pair, RSA, claims_with, encode, set};
use crate::provider::{Answer, Provider, Scene, eventually};
use crate::request::{Verdict, ask};

fn both() -> Answer {
    Answer::keys(&[P256.jwk("old", json!({})), OTHER_P256.jwk("new", json!({}))])
}

#[tokio::test]
async fn nobody_notices_a_rotation_with_overlap() {
    let old = Answer::keys(&[P256.jwk("old", json!({}))]);
    let scene = Scene::new(old).await;
    eventually("the first fetch", || scene.keys.status().keys == 1);
    // Half a minute for each step: from the tenth minute on there is a new key, with which the issuer signs at once; ten
    // minutes later no token of the old one is good any more, and it goes.
    for step in 0..120 {
        match step {
            20 => scene.provider.answers(both()),
            41 => scene.provider.answers(Answer::keys(&[OTHER_P256.jwk("new", json!({}))])),
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

#[tokio::test]
async fn many_who_know_the_new_key_first_cause_one_fetch() {
    let scene = Scene::new(Answer::keys(&[P256.jwk("old", json!({}))])).await;
    eventually("the first fetch", || scene.keys.status().keys == 1);
    scene.provider.answers(both());
    let token = scene.token(&OTHER_P256, "new");
    let asked = (0..50).map(|_| scene.ask(&token));
    for verdict in all(asked.collect()).await {
        Scene::assert_passes(&verdict, "one of many");
    }
    assert_eq!(scene.provider.fetches(), 2);
}

/// Runs futures side by side on this thread.
async fn all<F: Future>(futures: Vec<F>) -> Vec<F::Output> {
    let mut pending: Vec<_> = futures.into_iter().map(|future| (Box::pin(future), None)).collect();
    std::future::poll_fn(|context| {
        for (future, output) in pending.iter_mut().filter(|(_, output)| output.is_none()) {
            if let std::task::Poll::Ready(value) = future.as_mut().poll(context) {
                *output = Some(value);
            }
        }
        if pending.iter().all(|(_, output)| output.is_some()) {
            return std::task::Poll::Ready(pending.iter_mut().filter_map(|(_, output)| output.take()).collect());
        }
        std::task::Poll::Pending
    })
    .await
}

/// A token whose key is not looked at, so that making it costs nothing.
fn random(number: u32) -> String {
    let header = encode(json!({ "alg": "ES256", "kid": format!("random-{number}") }).to_string());
    format!("{header}.{}.{}", encode(claims_with(&json!({})).to_string()), encode([1; 64]))
}

#[tokio::test]
async fn random_keys_cause_one_fetch_per_cooldown() {
    let scene = Scene::new(Answer::keys(&[P256.jwk("old", json!({}))])).await;
    eventually("the first fetch", || scene.keys.status().keys == 1);
    for cooldown in 0..3 {
        for number in 0..10_000 {
            let verdict = scene.ask(&random(cooldown * 10_000 + number)).await;
            assert!(matches!(&verdict, Verdict::Rejected(reason) if reason.contains("no key")), "{verdict:?}");
        }
        assert_eq!(scene.provider.fetches(), 2 + cooldown as usize);
        scene.advance(30);
    }
}

#[tokio::test]
async fn one_unknown_key_is_remembered_over_cooldowns() {
    let scene = Scene::new(Answer::keys(&[P256.jwk("old", json!({}))])).await;
    eventually("the first fetch", || scene.keys.status().keys == 1);
    for _ in 0..8 {
        assert!(matches!(scene.ask(&random(1)).await, Verdict::Rejected(_)));
        scene.advance(31);
    }
    assert_eq!(scene.provider.fetches(), 2);
}

#[tokio::test]
async fn a_key_that_was_asked_for_too_soon_is_found_after_the_cooldown() {
    let scene = Scene::new(Answer::keys(&[P256.jwk("old", json!({}))])).await;
    eventually("the first fetch", || scene.keys.status().keys == 1);
    assert!(matches!(scene.ask(&random(1)).await, Verdict::Rejected(_)));
    scene.provider.answers(both());
    assert!(matches!(scene.ask(&scene.token(&OTHER_P256, "new")).await, Verdict::Rejected(_)));
    assert_eq!(scene.provider.fetches(), 2);
    scene.advance(30);
    Scene::assert_passes(&scene.ask(&scene.token(&OTHER_P256, "new")).await, "after the cooldown");
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
        let scene = Scene::new(Answer::keys(&before)).await;
        eventually("the first fetch", || scene.keys.status().keys == 1);
        // The issuer changes its keys a while after they were fetched.
        let (old, new) = (P256.token(&with, &claims_with(&json!({}))), pair.token(header, &claims_with(&json!({}))));
        Scene::assert_passes(&scene.ask(&old).await, name);
        scene.provider.answers(Answer::keys(&after));
        Scene::assert_passes(&scene.ask(&new).await, name);
        assert!(matches!(scene.ask(&old).await, Verdict::Rejected(_)), "{name}");
        assert_eq!(scene.provider.fetches(), 2, "{name}");
    }
}

/// A token that no key signed, and whose `kid` names one.
fn forged(number: u32) -> String {
    let header = encode(json!({ "alg": "ES256", "kid": "key" }).to_string());
    let claims = claims_with(&json!({ "jti": format!("{number}") }));
    format!("{header}.{}.{}", encode(claims.to_string()), encode([1; 64]))
}

#[tokio::test]
async fn wrong_signatures_cause_one_fetch_per_cooldown_and_hide_no_key() {
    let scene = Scene::new(Answer::keys(&[P256.jwk("key", json!({}))])).await;
    eventually("the first fetch", || scene.keys.status().keys == 1);
    for cooldown in 0..3 {
        for number in 0..1000 {
            let verdict = scene.ask(&forged(number)).await;
            assert_eq!(verdict, Verdict::Rejected("the signature is wrong".to_owned()));
            // Random keys and wrong signatures share one cooldown.
            assert!(matches!(scene.ask(&random(number)).await, Verdict::Rejected(_)));
        }
        assert_eq!(scene.provider.fetches(), 2 + cooldown);
        scene.advance(30);
    }
    scene.provider.answers(Answer::keys(&[OTHER_P256.jwk("key", json!({}))]));
    Scene::assert_passes(&scene.ask(&scene.token(&OTHER_P256, "key")).await, "after a flood");
}

#[tokio::test]
async fn who_waits_for_keys_is_bounded_and_keeps_nobody() {
    let scene = Scene::new(Answer::keys(&[P256.jwk("key", json!({}))])).await;
    eventually("the first fetch", || scene.keys.status().keys == 1);
    scene.provider.answers(Answer::Hang);
    for (name, token, unavailable) in [("forged", forged(1), false), ("random", random(1), true)] {
        let mut asking: Vec<_> = (0..100).map(|_| Box::pin(scene.ask(&token))).collect();
        let mut answered = Vec::new();
        for future in &mut asking {
            answered.extend(at_once(future).await);
        }
        assert_eq!(answered.len(), 36, "{name}");
        assert!(answered.iter().all(|verdict| matches!(verdict, Verdict::Unavailable(_)) == unavailable), "{name}");
        let valid = at_once(scene.ask(&scene.token(&P256, "key"))).await;
        Scene::assert_passes(&valid.unwrap(), "beside those who wait");
    }
    eventually("the fetch", || scene.provider.fetches() == 2);
}

/// The output of a future that waits for nothing.
async fn at_once<F: Future>(future: F) -> Option<F::Output> {
    tokio::time::timeout(Duration::ZERO, future).await.ok()
}

/// Valid requests beside a flood of random keys, and the same without it, in turns.
#[tokio::test]
async fn a_flood_of_random_keys_does_not_slow_others_down() {
    let scene = Scene::new(Answer::keys(&[P256.jwk("old", json!({}))])).await;
    eventually("the first fetch", || scene.keys.status().keys == 1);
    let token = scene.token(&P256, "old");
    let tokens: Vec<_> = (0..10_000).map(random).collect();
    let (mut alone, mut beside) = (Vec::new(), Vec::new());
    for (number, random) in tokens.iter().enumerate() {
        let flooded = number % 2 == 0;
        if flooded {
            assert!(matches!(scene.ask(random).await, Verdict::Rejected(_)));
        }
        let start = Instant::now();
        Scene::assert_passes(&scene.ask(&token).await, "beside a flood");
        if flooded { &mut beside } else { &mut alone }.push(start.elapsed());
    }
    assert_eq!(scene.provider.fetches(), 2);
    let (beside, alone) = (median(beside), median(alone));
    assert!(beside.as_secs_f64() < alone.as_secs_f64() * 1.10, "{beside:?} beside a flood, {alone:?} alone");
}

/// What half of the requests took, which no pause of the machine changes.
fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

#[tokio::test]
async fn keys_are_found_by_discovery() {
    let provider = Provider::new(Answer::Close);
    let metadata = |issuer: &str, keys: &str| {
        Answer::text(
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
        (metadata("https://evil.example.com", &provider.url()), Some("is that of the issuer")),
        (metadata(&provider.issuer(), "http://keys.example.com/"), Some("use https")),
        (metadata(&provider.issuer(), "file:///etc/passwd"), Some("by `file`")),
        (Answer::text("200 OK", "", "{}"), Some("is not the metadata of an issuer")),
        (metadata(&provider.issuer(), &provider.url()), None),
    ] {
        provider.answers(metadata);
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
