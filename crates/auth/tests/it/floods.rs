//! Many ask for keys that are not there.

use std::sync::{Arc, Barrier};
use std::time::Duration;

use restwright_core::Component;
use serde_json::json;

use crate::pairs::{OTHER_P256, P256, claims_with, encode};
use crate::provider::{ProviderResponse, Scene, at_once, eventually};
use crate::request::Verdict;

fn both() -> ProviderResponse {
    ProviderResponse::keys(&[P256.jwk("old", json!({})), OTHER_P256.jwk("new", json!({}))])
}

#[tokio::test]
async fn many_who_know_the_new_key_first_cause_one_fetch() {
    let scene = Scene::new(ProviderResponse::keys(&[P256.jwk("old", json!({}))])).await;
    eventually("the first fetch", || scene.keys.status().keys == 1);
    scene.provider.responds(both());
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
    let scene = Scene::new(ProviderResponse::keys(&[P256.jwk("old", json!({}))])).await;
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
async fn a_key_that_is_asked_for_before_it_is_published_is_found_a_cooldown_later() {
    let scene = Scene::new(ProviderResponse::keys(&[P256.jwk("old", json!({}))])).await;
    eventually("the first fetch", || scene.keys.status().keys == 1);
    for cooldown in 0..3 {
        for second in 0..30 {
            let verdict = scene.ask(&scene.token(&OTHER_P256, "new")).await;
            assert!(matches!(verdict, Verdict::Rejected(_)), "{cooldown} {second}: {verdict:?}");
            scene.advance(1);
        }
        assert_eq!(scene.provider.fetches(), 2 + cooldown);
    }
    scene.provider.responds(both());
    Scene::assert_passes(&scene.ask(&scene.token(&OTHER_P256, "new")).await, "published since");
}

#[tokio::test]
async fn a_key_that_was_asked_for_too_soon_is_found_after_the_cooldown() {
    let scene = Scene::new(ProviderResponse::keys(&[P256.jwk("old", json!({}))])).await;
    eventually("the first fetch", || scene.keys.status().keys == 1);
    assert!(matches!(scene.ask(&random(1)).await, Verdict::Rejected(_)));
    scene.provider.responds(both());
    assert!(matches!(scene.ask(&scene.token(&OTHER_P256, "new")).await, Verdict::Rejected(_)));
    assert_eq!(scene.provider.fetches(), 2);
    scene.advance(30);
    Scene::assert_passes(&scene.ask(&scene.token(&OTHER_P256, "new")).await, "after the cooldown");
}

/// A token that no key signed, and whose `kid` names one.
fn forged(number: u32) -> String {
    let header = encode(json!({ "alg": "ES256", "kid": "key" }).to_string());
    let claims = claims_with(&json!({ "jti": format!("{number}") }));
    format!("{header}.{}.{}", encode(claims.to_string()), encode([1; 64]))
}

#[tokio::test]
async fn wrong_signatures_cause_one_fetch_per_cooldown_and_hide_no_key() {
    let scene = Scene::new(ProviderResponse::keys(&[P256.jwk("key", json!({}))])).await;
    eventually("the first fetch", || scene.keys.status().keys == 1);
    for cooldown in 0..3 {
        for number in 0..1000 {
            let verdict = scene.ask(&forged(number)).await;
            assert_eq!(verdict, Verdict::Rejected("the signature is invalid".to_owned()));
            // Random keys and wrong signatures share one cooldown.
            assert!(matches!(scene.ask(&random(number)).await, Verdict::Rejected(_)));
        }
        assert_eq!(scene.provider.fetches(), 2 + cooldown);
        scene.advance(30);
    }
    scene.provider.responds(ProviderResponse::keys(&[OTHER_P256.jwk("key", json!({}))]));
    Scene::assert_passes(&scene.ask(&scene.token(&OTHER_P256, "key")).await, "after a flood");
}

#[tokio::test]
async fn who_waits_for_keys_is_bounded_and_keeps_nobody() {
    let scene = Scene::new(ProviderResponse::keys(&[P256.jwk("key", json!({}))])).await;
    eventually("the first fetch", || scene.keys.status().keys == 1);
    scene.provider.responds(ProviderResponse::Hang);
    for (name, token, unavailable) in [("forged", forged(1), false), ("random", random(1), true)] {
        let mut asking: Vec<_> = (0..100).map(|_| Box::pin(scene.ask(&token))).collect();
        let mut verdicts = Vec::new();
        for future in &mut asking {
            verdicts.extend(at_once(future).await);
        }
        assert_eq!(verdicts.len(), 36, "{name}");
        assert!(verdicts.iter().all(|verdict| matches!(verdict, Verdict::Unavailable(_)) == unavailable), "{name}");
        let valid = at_once(scene.ask(&scene.token(&P256, "key"))).await;
        Scene::assert_passes(&valid.unwrap(), "next to waiting requests");
    }
    eventually("the fetch", || scene.provider.fetches() == 2);
}

/// Random keys are decided at the fetch that the first of them caused, and valid requests wait for nothing.
#[tokio::test]
async fn a_flood_of_random_keys_makes_nobody_wait() {
    let scene = Scene::new(ProviderResponse::keys(&[P256.jwk("old", json!({}))])).await;
    eventually("the first fetch", || scene.keys.status().keys == 1);
    scene.provider.responds(ProviderResponse::Hang);
    let random_0 = random(0);
    let mut first = Box::pin(scene.ask(&random_0));
    assert!(at_once(&mut first).await.is_none());
    eventually("its fetch", || scene.provider.fetches() == 2);
    for number in 1..1000 {
        let random = random(number);
        let asking = scene.ask(&random);
        drop(at_once(asking).await);
        let valid = at_once(scene.ask(&scene.token(&P256, "old"))).await;
        Scene::assert_passes(&valid.unwrap(), "during a flood");
    }
    assert_eq!(scene.provider.fetches(), 2);
}

#[tokio::test]
async fn a_fetch_that_had_begun_is_not_taken_for_the_one_that_was_asked_for() {
    let old = ProviderResponse::keys(&[P256.jwk("old", json!({}))]);
    let scene = Scene::new(old.clone()).await;
    eventually("the first fetch", || scene.keys.status().keys == 1);
    let barrier = Arc::new(Barrier::new(2));
    scene.provider.responds(ProviderResponse::Held(barrier.clone(), Box::new(old)));
    scene.advance(600);
    eventually("the planned fetch", || scene.provider.fetches() == 2);
    // The issuer changes its keys while a response without the new one is on its way.
    scene.provider.responds(both());
    let token = scene.token(&OTHER_P256, "new");
    let mut asking = Box::pin(scene.ask(&token));
    assert!(at_once(&mut asking).await.is_none());
    barrier.wait();
    Scene::assert_passes(&asking.await, "after a separate fetch");
    assert_eq!(scene.provider.fetches(), 3);
}

#[tokio::test]
async fn one_request_causes_one_fetch_even_without_a_cooldown() {
    let scene = Scene::unstarted(ProviderResponse::keys(&[P256.jwk("old", json!({}))]), |declaration| {
        declaration.cooldown(Duration::ZERO)
    });
    scene.keys.start().await.unwrap();
    eventually("the first fetch", || scene.keys.status().keys == 1);
    assert!(matches!(scene.ask(&random(1)).await, Verdict::Rejected(_)));
    assert_eq!(scene.provider.fetches(), 2);
}
