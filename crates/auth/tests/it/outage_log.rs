//! What the log has of an outage of an issuer, however many tokens come.

use std::time::Duration;

use restwright_auth::{Issuer, JwtAuthenticator};
use restwright_core::{Component, Configuration, NoContent, Route};
use restwright_runtime::Api;
use restwright_testing::TestClient;
use restwright_tests::Log;
use serde_json::json;
use tracing::Level;

use crate::pairs::{AUDIENCE, ISSUER, P256};
use crate::provider::{ProviderResponse, Scene, eventually};

/// All tests of the process share the log, because keys are fetched on a separate thread; the address of the provider tells the lines of this
/// test from others.
#[tokio::test]
async fn an_outage_of_the_issuer_is_logged_once_a_minute() {
    let log = Log::up_to(Level::INFO);
    tracing::subscriber::set_global_default(log.clone()).unwrap();
    let scene = Scene::unstarted(ProviderResponse::Close, |declaration| declaration);
    let configuration = Configuration::new("outage", "1.0.0").clock(scene.clock.clone());
    let issuer = Issuer::new(ISSUER).audience(AUDIENCE).provider(scene.keys.clone());
    let api = Api::builder(configuration.authenticator("jwt", JwtAuthenticator::new(issuer)))
        .controller(Route::get("/").id("get").authorize("jwt", [""; 0]).handler(async |()| Ok(NoContent)))
        .build()
        .unwrap();
    let client = TestClient::new(api);
    let failures = |count| eventually("failures", || scene.keys.status().failures >= count);
    scene.keys.start().await.unwrap();
    failures(1);
    for _ in 0..10_000 {
        client.get("/").bearer(scene.token(&P256, "key")).await.assert_status(503);
    }
    let url = scene.provider.url();
    let lines = log.take(&url);
    let found: Vec<_> = lines.iter().map(|line| line.split(" source").next().unwrap()).collect();
    assert_eq!(lines.len(), 2, "{lines:?}");
    assert!(
        found[0].starts_with("ERROR restwright_auth::jwks::refresh: message=keys could not be fetched"),
        "{lines:?}"
    );
    assert!(lines[1].contains("message=requests fail") && lines[1].contains("failures=1 seconds=0"), "{lines:?}");
    // A fetch a second, and a minute at last.
    for second in 0..60 {
        scene.advance(1);
        std::thread::sleep(Duration::from_millis(2));
        client.get("/").bearer(scene.token(&P256, "key")).await.assert_status(503);
        let lines = log.take(&url);
        assert!(second == 59 || lines.is_empty(), "{second}: {lines:?}");
    }
    scene.provider.responds(ProviderResponse::keys(&[P256.jwk("key", json!({}))]));
    eventually("the keys", || {
        scene.advance(1);
        scene.keys.status().keys == 1
    });
    client.get("/").bearer(scene.token(&P256, "key")).await.assert_status(204);
    let lines = log.take(&url);
    assert!(lines.last().unwrap().contains("message=keys can be fetched again"), "{lines:?}");
    assert!(lines.len() < 4, "{lines:?}");
    scene.keys.stop().await;
}
