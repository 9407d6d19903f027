//! Providers fail.

use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

use restwright_auth::Jwks;
use restwright_core::Component;
use serde_json::json;

use crate::pairs::{OTHER_P256, P256, RSA, set};
use crate::provider::{ProviderResponse, Scene, at_once, eventually};
use crate::request::Verdict;

const HOUR: u64 = 60 * 60;

fn good() -> ProviderResponse {
    ProviderResponse::keys(&[P256.jwk("key", json!({}))])
}

/// Everything that is no key set.
fn failures() -> Vec<(&'static str, ProviderResponse)> {
    let keys = set(&[P256.jwk("key", json!({}))]);
    vec![
        ("HTML", ProviderResponse::text("200 OK", "Content-Type: text/html\r\n", "<html>Sign in</html>")),
        ("500", ProviderResponse::text("500 Internal Server Error", "", keys.clone())),
        ("404", ProviderResponse::text("404 Not Found", "", "")),
        ("204", ProviderResponse::text("204 No Content", "", "")),
        ("10 MB", ProviderResponse::text("200 OK", "", " ".repeat(10_000_000) + &keys)),
        ("a redirect", ProviderResponse::text("302 Found", "Location: /keys\r\n", keys.clone())),
        ("an empty set", ProviderResponse::text("200 OK", "", r#"{"keys":[]}"#)),
        ("a set without usable keys", ProviderResponse::text("200 OK", "", r#"{"keys":[{"kty":"oct","k":"AA"}]}"#)),
        (
            "a point that is not on its curve",
            ProviderResponse::keys(&[P256.jwk("key", json!({ "y": P256.jwk("key", json!({}))["x"] }))]),
        ),
        ("a list", ProviderResponse::text("200 OK", "", "[]")),
        ("too many keys", ProviderResponse::text("200 OK", "", set(&vec![P256.jwk("key", json!({})); 101]))),
        ("half a set", ProviderResponse::text("200 OK", "", &keys[..keys.len() / 2])),
        ("nothing", ProviderResponse::text("200 OK", "", "")),
        ("a closed connection", ProviderResponse::Close),
    ]
}

#[tokio::test]
async fn the_last_keys_serve_whatever_the_provider_sends() {
    let scene = Scene::new(good()).await;
    eventually("the first fetch", || scene.keys.status().keys == 1);
    for (name, response) in failures() {
        scene.provider.responds(response);
        let before = scene.keys.status().failures;
        scene.advance(HOUR);
        eventually(name, || scene.keys.status().failures > before);
        Scene::assert_passes(&scene.ask(&scene.token(&P256, "key")).await, name);
        scene.keys.ready().await.unwrap();
    }
    assert_eq!(scene.keys.status().keys, 1);
}

#[tokio::test]
async fn beyond_the_hard_limit_callers_come_again_later() {
    let scene = Scene::new(good()).await;
    eventually("the first fetch", || scene.keys.status().keys == 1);
    scene.provider.responds(ProviderResponse::Close);
    for hour in 0..24 {
        Scene::assert_passes(&scene.ask(&scene.token(&P256, "key")).await, &format!("hour {hour}"));
        scene.advance(HOUR);
    }
    Scene::assert_passes(&scene.ask(&scene.token(&P256, "key")).await, "hour 24");
    scene.advance(1);
    let verdict = scene.ask(&scene.token(&P256, "key")).await;
    assert!(matches!(&verdict, Verdict::Unavailable(reason) if reason.contains("hard limit")), "{verdict:?}");
    assert!(scene.keys.ready().await.is_err());
    scene.provider.responds(good());
    eventually("recovery", || {
        scene.advance(1);
        scene.keys.status().age.unwrap() < Duration::from_secs(HOUR)
    });
    Scene::assert_passes(&scene.ask(&scene.token(&P256, "key")).await, "after recovery");
    scene.keys.ready().await.unwrap();
}

#[tokio::test]
async fn an_outage_takes_nobody_out_of_rotation_before_its_last_tenth() {
    let scene = Scene::new(good()).await;
    eventually("the first fetch", || scene.keys.status().keys == 1);
    scene.provider.responds(ProviderResponse::text("500 Internal Server Error", "", ""));
    // Nine tenths of a day are 77,760 seconds.
    scene.advance(77_760);
    eventually("a failure", || scene.keys.status().failures > 0);
    scene.keys.ready().await.unwrap();
    scene.advance(1);
    let reason = scene.keys.ready().await.unwrap_err().to_string();
    for part in ["about to reach the hard limit (77761 seconds old, hard limit 86400)", "fetches failed", "500"] {
        assert!(reason.contains(part), "{part} in {reason}");
    }
    Scene::assert_passes(&scene.ask(&scene.token(&P256, "key")).await, "while it is not ready");
    scene.provider.responds(good());
    eventually("recovery", || {
        scene.advance(1);
        scene.keys.status().failures == 0
    });
    scene.keys.ready().await.unwrap();
}

#[tokio::test]
async fn old_keys_are_no_failure_as_long_as_none_was_seen() {
    let scene = Scene::new(good()).await;
    eventually("the first fetch", || scene.keys.status().keys == 1);
    scene.provider.responds(ProviderResponse::Hang);
    scene.advance(23 * HOUR);
    scene.keys.ready().await.unwrap();
    scene.advance(HOUR + 1);
    assert!(scene.keys.ready().await.unwrap_err().to_string().contains("older than the hard limit"));
    scene.keys.stop().await;
}

#[tokio::test]
async fn keys_are_fetched_again_long_before_a_short_hard_limit() {
    let scene = Scene::unstarted(good(), |declaration| declaration.hard_limit(Duration::from_secs(100)));
    scene.keys.start().await.unwrap();
    eventually("the first fetch", || scene.keys.status().keys == 1);
    scene.advance(50);
    eventually("another fetch", || scene.provider.fetches() == 2);
}

#[tokio::test]
async fn a_provider_that_is_down_at_the_start_is_no_login_failure() {
    let scene = Scene::unstarted(ProviderResponse::Close, |declaration| declaration);
    let verdict = scene.ask(&scene.token(&P256, "key")).await;
    assert!(
        matches!(&verdict, Verdict::Unavailable(reason) if reason.contains("no keys have been fetched yet")),
        "{verdict:?}"
    );
    scene.keys.start().await.unwrap();
    eventually("a failure", || scene.keys.status().failures > 0);
    let verdict = scene.ask(&scene.token(&P256, "key")).await;
    assert!(matches!(&verdict, Verdict::Unavailable(reason) if reason.contains("fetches failed")), "{verdict:?}");
    assert!(scene.keys.ready().await.unwrap_err().to_string().contains("no keys have been fetched yet"));
    scene.provider.responds(good());
    eventually("the keys", || {
        scene.advance(1);
        scene.keys.status().keys == 1
    });
    Scene::assert_passes(&scene.ask(&scene.token(&P256, "key")).await, "after the start");
}

#[tokio::test]
async fn a_slow_provider_slows_nobody_down() {
    let scene = Scene::unstarted(good(), |declaration| declaration.timeout(Duration::from_millis(1500)));
    scene.keys.start().await.unwrap();
    eventually("the first fetch", || scene.keys.status().keys == 1);
    scene.provider.responds(ProviderResponse::Hang);
    scene.advance(HOUR);
    eventually("the fetch", || scene.provider.fetches() == 2);
    for _ in 0..20 {
        let valid = at_once(scene.ask(&scene.token(&P256, "key"))).await;
        Scene::assert_passes(&valid.unwrap(), "during a slow fetch");
    }
    // A request whose key is missing waits, and gets `Retry-After`.
    let verdict = scene.ask(&scene.token(&RSA, "new")).await;
    assert!(matches!(verdict, Verdict::Unavailable(_)), "{verdict:?}");
    eventually("the timeout", || scene.keys.status().failures > 0);
}

#[tokio::test]
async fn an_unknown_key_during_an_outage_is_no_login_failure() {
    let scene = Scene::new(good()).await;
    eventually("the first fetch", || scene.keys.status().keys == 1);
    scene.provider.responds(ProviderResponse::Close);
    for _ in 0..3 {
        let verdict = scene.ask(&scene.token(&RSA, "new")).await;
        assert!(matches!(verdict, Verdict::Unavailable(_)), "{verdict:?}");
    }
    assert_eq!(scene.provider.fetches(), 2);
    scene.provider.responds(ProviderResponse::keys(&[P256.jwk("key", json!({})), RSA.jwk("new", json!({}))]));
    eventually("the new keys", || {
        scene.advance(1);
        scene.keys.status().keys == 2
    });
    Scene::assert_passes(&scene.ask(&scene.token(&RSA, "new")).await, "after the outage");
}

#[tokio::test]
async fn a_wrong_signature_is_a_login_failure_even_during_an_outage() {
    for response in [ProviderResponse::Close, ProviderResponse::Hang] {
        let scene = Scene::unstarted(good(), |declaration| declaration.timeout(Duration::from_millis(1500)));
        scene.keys.start().await.unwrap();
        eventually("the first fetch", || scene.keys.status().keys == 1);
        scene.provider.responds(response);
        for _ in 0..3 {
            let verdict = scene.ask(&scene.token(&OTHER_P256, "key")).await;
            assert_eq!(verdict, Verdict::Rejected("the signature is invalid".to_owned()));
            let verdict = scene.ask(&scene.token(&RSA, "key")).await;
            assert_eq!(verdict, Verdict::Rejected("the key does not fit the algorithm".to_owned()));
        }
        eventually("the failure", || scene.keys.status().failures > 0);
        assert_eq!(scene.provider.fetches(), 2);
        scene.provider.responds(ProviderResponse::keys(&[OTHER_P256.jwk("key", json!({}))]));
        scene.advance(30);
        eventually("recovery", || scene.keys.status().failures == 0);
        Scene::assert_passes(&scene.ask(&scene.token(&OTHER_P256, "key")).await, "after the outage");
    }
}

#[tokio::test]
async fn keys_are_fetched_before_they_expire() {
    let scene = Scene::new(good()).await;
    eventually("the first fetch", || scene.keys.status().keys == 1);
    scene.advance(600);
    eventually("the next fetch", || scene.provider.fetches() == 2);
}

#[tokio::test]
async fn a_provider_is_stopped_by_the_last_that_started_it() {
    let scene = Scene::new(good()).await;
    eventually("the first fetch", || scene.keys.status().keys == 1);
    scene.keys.start().await.unwrap();
    scene.keys.stop().await;
    scene.keys.ready().await.unwrap();
    scene.keys.stop().await;
    assert!(scene.keys.ready().await.unwrap_err().to_string().contains("is not running"));
    Scene::assert_passes(&scene.ask(&scene.token(&P256, "key")).await, "after the stop");
    scene.advance(HOUR);
    scene.keys.start().await.unwrap();
    eventually("another fetch", || scene.provider.fetches() == 2);
}

#[tokio::test]
async fn a_fetch_that_a_stop_broke_off_keeps_no_key_from_being_found() {
    let scene = Scene::new(good()).await;
    eventually("the first fetch", || scene.keys.status().keys == 1);
    scene.provider.responds(ProviderResponse::Hang);
    let token = scene.token(&RSA, "new");
    let mut asking = Box::pin(scene.ask(&token));
    assert!(at_once(&mut asking).await.is_none());
    eventually("its fetch", || scene.provider.fetches() == 2);
    drop(asking);
    scene.keys.stop().await;
    scene.provider.responds(ProviderResponse::keys(&[P256.jwk("key", json!({})), RSA.jwk("new", json!({}))]));
    scene.keys.start().await.unwrap();
    scene.advance(30);
    Scene::assert_passes(&scene.ask(&token).await, "after the restart");
}

#[tokio::test]
async fn interim_responses_without_end_hold_up_neither_the_next_fetch_nor_the_stop() {
    let (start, timeout) = (Instant::now(), Duration::from_millis(300));
    let scene = Scene::unstarted(ProviderResponse::Interim, |declaration| declaration.timeout(timeout));
    scene.keys.start().await.unwrap();
    for failures in 1..4 {
        eventually("the timeout", || {
            scene.advance(1);
            scene.keys.status().failures >= failures
        });
    }
    scene.provider.responds(good());
    eventually("the keys", || {
        scene.advance(1);
        scene.keys.status().keys == 1
    });
    scene.provider.responds(ProviderResponse::Interim);
    let before = scene.provider.fetches();
    eventually("another fetch", || {
        scene.advance(60);
        scene.provider.fetches() > before
    });
    tokio::time::timeout(Duration::from_secs(20), scene.keys.stop()).await.expect("it stops");
    // Five fetches of 300 ms, generously. A timer on the thread that reads them would be late by seconds for each.
    assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
}

/// A file whose reading waits until somebody writes.
#[cfg(unix)]
fn pipe(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("restwright-keys-{name}-{}", std::process::id()));
    assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
    path
}

#[cfg(unix)]
#[tokio::test]
async fn a_file_that_hangs_holds_up_nobody() {
    let path = pipe("hanging");
    let keys = Jwks::file(&path).timeout(Duration::from_millis(50)).provider();
    keys.start().await.unwrap();
    eventually("the timeout", || keys.status().failures > 0);
    assert!(keys.status().last_failure.unwrap().ends_with("did not respond within 50 ms"));
    tokio::time::timeout(Duration::from_secs(20), keys.stop()).await.expect("it stops");
    assert!(keys.ready().await.is_err());
    std::fs::remove_file(&path).unwrap();
}

#[cfg(unix)]
#[tokio::test]
async fn a_file_that_hung_is_not_read_a_second_time_beside() {
    let path = pipe("late");
    let keys = Jwks::file(&path).timeout(Duration::from_millis(50)).provider();
    keys.start().await.unwrap();
    eventually("two timeouts", || keys.status().failures > 1);
    // A second reader would take it away, or end with nothing.
    std::fs::write(&path, set(&[P256.jwk("key", json!({}))])).unwrap();
    eventually("the keys", || keys.status().keys == 1);
    keys.stop().await;
    std::fs::remove_file(&path).unwrap();
}

#[tokio::test]
async fn the_longest_settings_are_taken() {
    let scene = Scene::unstarted(good(), |declaration| {
        declaration.timeout(Duration::MAX).cooldown(Duration::MAX).hard_limit(Duration::MAX)
    });
    scene.keys.start().await.unwrap();
    eventually("the first fetch", || scene.keys.status().keys == 1);
    for _ in 0..2 {
        let verdict = scene.ask(&scene.token(&RSA, "new")).await;
        assert!(matches!(verdict, Verdict::Rejected(_)), "{verdict:?}");
    }
    assert_eq!(scene.provider.fetches(), 2);
    scene.keys.ready().await.unwrap();
}

#[test]
fn no_proxy_is_asked_for_what_is_on_this_machine() {
    let again = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "outages::keys_are_fetched_before_they_expire"])
        .envs(["HTTP_PROXY", "http_proxy", "ALL_PROXY"].map(|name| (name, "http://127.0.0.1:1")))
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&again.stdout);
    assert!(said.contains("1 passed"), "{said}");
}
