//! Keys over HTTPS, with certificates of authorities that the tests make.

use rcgen::KeyPair;
use restwright_auth::{Issuer, Jwks, JwtAuthenticator};
use restwright_core::{Component, Configuration};
use restwright_runtime::Api;
use restwright_tests::Authority;
use serde_json::json;

use crate::pairs::P256;
use crate::provider::{Provider, ProviderResponse, Scene, eventually};
use crate::request::Verdict;

const HERE: &str = "127.0.0.1";

fn good() -> ProviderResponse {
    ProviderResponse::keys(&[P256.jwk("key", json!({}))])
}

#[tokio::test]
async fn an_authority_is_trusted_when_it_is_named() {
    let (ours, other) = (Authority::new("ours"), Authority::new("other"));
    for (name, roots, expected) in [
        ("ours", vec![ours.pem()], true),
        ("ours among others", vec![other.pem() + &ours.pem()], true),
        ("ours next to another", vec![other.pem(), ours.pem()], true),
        ("another", vec![other.pem()], false),
        ("none", vec![], false),
    ] {
        let provider = Provider::over_tls(good(), ours.server(HERE, 2100));
        let scene = Scene::with(provider, |jwks| roots.into_iter().fold(jwks, Jwks::root_certificate));
        scene.keys.start().await.unwrap();
        if expected {
            eventually(name, || scene.keys.status().keys == 1);
            Scene::assert_passes(&scene.ask(&scene.token(&P256, "key")).await, name);
        } else {
            eventually(name, || scene.keys.status().failures > 0);
            let verdict = scene.ask(&scene.token(&P256, "key")).await;
            assert!(matches!(&verdict, Verdict::Unavailable(reason) if reason.contains("certificate")), "{verdict:?}");
            assert_eq!(scene.provider.fetches(), 0, "{name}");
        }
    }
}

#[tokio::test]
async fn the_last_keys_serve_whatever_certificate_the_provider_shows() {
    let (ours, other) = (Authority::new("ours"), Authority::new("other"));
    let provider = Provider::over_tls(good(), ours.server(HERE, 2100));
    let scene = Scene::with(provider, |jwks| jwks.root_certificate(ours.pem()));
    scene.keys.start().await.unwrap();
    eventually("the first fetch", || scene.keys.status().keys == 1);
    for (name, server, reason) in [
        ("another authority", other.server(HERE, 2100), "UnknownIssuer"),
        ("another host", ours.server("login.example.com", 2100), "not valid for name"),
        ("another address", ours.server("127.0.0.2", 2100), "not valid for name"),
        ("an expired certificate", ours.server(HERE, 2020), "expired"),
    ] {
        scene.provider.presents(server);
        let mut before = scene.keys.status().failures;
        scene.advance(60 * 60);
        eventually(name, || {
            let status = scene.keys.status();
            if status.failures <= before {
                return false;
            }
            let failure = status.last_failure.unwrap();
            if failure.contains("certificate") && failure.contains(reason) {
                return true;
            }
            // The fetch was under way to the server before.
            before = status.failures;
            scene.advance(60 * 60);
            false
        });
        Scene::assert_passes(&scene.ask(&scene.token(&P256, "key")).await, name);
    }
    assert_eq!(scene.provider.fetches(), 1);
    scene.provider.presents(ours.server(HERE, 2100));
    eventually("recovery", || {
        scene.advance(1);
        scene.keys.status().failures == 0
    });
}

#[tokio::test]
async fn no_redirect_leads_out_of_https() {
    let (authority, elsewhere) = (Authority::new("ours"), Provider::new(good()));
    let redirect = ProviderResponse::text("302 Found", &format!("Location: {}\r\n", elsewhere.url()), "");
    let provider = Provider::over_tls(redirect, authority.server(HERE, 2100));
    let scene = Scene::with(provider, |jwks| jwks.root_certificate(authority.pem()).allow_loopback_http());
    scene.keys.start().await.unwrap();
    eventually("a failure", || scene.keys.status().failures > 0);
    let failure = scene.keys.status().last_failure.unwrap();
    let expected = format!("responded with 302 Found, a redirect to {:?}, which is not followed", elsewhere.url());
    assert!(failure.contains(&expected), "{failure}");
    assert_eq!((scene.provider.fetches(), elsewhere.fetches()), (1, 0));
}

#[test]
fn what_is_no_certificate_does_not_start() {
    let broken = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
    for (pem, expected) in [
        ("", "is not in PEM"),
        ("text", "is not in PEM"),
        (&*KeyPair::generate().unwrap().serialize_pem(), "is not in PEM"),
        (broken, "cannot be used"),
        (&broken.replace("AAAA", "?"), "is not in PEM"),
    ] {
        let jwks = Jwks::url("https://login.internal/keys").root_certificate(pem);
        let jwt = JwtAuthenticator::new(Issuer::new("a").audience("b").jwks(jwks));
        let errors = Api::builder(Configuration::new("pets", "1.0.0").authenticator("jwt", jwt)).build().unwrap_err();
        assert!(errors.to_string().contains(expected), "{pem}: {errors}");
    }
}
