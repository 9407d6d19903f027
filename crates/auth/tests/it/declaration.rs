//! Descriptions, identities, and the declarations with which building fails.

use std::time::Duration;

use restwright_auth::{Algorithm, ApiKeyAuthenticator, Issuer, Jwks, JwtAuthenticator, KeyList, KeySet};
use restwright_core::auth::{Authenticator, Identity};
use restwright_core::operation::{OAuthFlow, SecurityScheme};
use restwright_core::{Clock, Configuration};
use restwright_runtime::Api;
use serde_json::{Value, json};

use crate::pairs::{AUDIENCE, ISSUER, NOW, P256, claims_with, set};
use crate::request::{Verdict, ask, authenticate};

fn keys() -> KeySet {
    KeySet::from_json(set(&[P256.jwk("key", json!({}))]).as_bytes()).unwrap()
}

fn issuer() -> Issuer {
    Issuer::new(ISSUER).audience(AUDIENCE).keys(keys())
}

async fn identity(authenticator: JwtAuthenticator, claims: Value) -> Identity {
    let token = P256.token(&json!({ "alg": "ES256", "kid": "key" }), &claims_with(&claims));
    let headers = [("Authorization", format!("Bearer {token}"))];
    authenticate(&authenticator.clock(Clock::manual(NOW)), "/", &headers).await.unwrap().unwrap()
}

#[tokio::test]
async fn claims_become_an_identity() {
    let claims = json!({
        "preferred_username": "Ann", "email": "ann@example.com", "scope": "pets:read pets:feed",
        "scp": ["pets:feed", "pets:walk"], "resource_access": { "pets": { "roles": ["keeper", 7] } },
    });
    let jwt = JwtAuthenticator::new(issuer()).permissions_claim("/resource_access/pets/roles");
    let ann = identity(jwt, claims).await;
    assert_eq!((ann.subject(), ann.username()), (Some("ann"), Some("Ann")));
    assert_eq!((ann.email(), ann.issuer()), (Some("ann@example.com"), Some(ISSUER)));
    assert_eq!(ann.scopes(), ["pets:read", "pets:feed", "pets:walk"]);
    assert_eq!(ann.permissions(), ["keeper"]);
    assert_eq!(ann.claim("/resource_access/pets/roles/0"), Some(&json!("keeper")));
    assert_eq!(ann.claims()["aud"], AUDIENCE);
}

#[tokio::test]
async fn scopes_and_subjects_have_several_forms() {
    for (claims, scopes) in [
        (json!({ "scope": "a b" }), vec!["a", "b"]),
        (json!({ "scope": ["a", "b c"] }), vec!["a", "b c"]),
        (json!({ "scope": null, "scp": "a  b " }), vec!["a", "b"]),
        (json!({ "scope": null }), vec![]),
        (json!({ "scope": 7, "scp": [7, "a"] }), vec!["a"]),
    ] {
        assert_eq!(identity(JwtAuthenticator::new(issuer()), claims.clone()).await.scopes(), scopes, "{claims}");
    }
    let jwt = JwtAuthenticator::new(issuer()).subject_claim("client_id").permissions_claim("may");
    let machine = identity(jwt, json!({ "sub": null, "client_id": "machine", "may": "feed walk" })).await;
    assert_eq!(machine.subject(), Some("machine"));
    assert_eq!(machine.permissions(), ["feed", "walk"]);
}

#[tokio::test]
async fn an_address_that_nobody_verified_is_left_out() {
    for (verified, email) in [
        (json!(null), Some("ann@example.com")),
        (json!(true), Some("ann@example.com")),
        (json!("true"), Some("ann@example.com")),
        (json!(false), None),
        (json!("false"), None),
        (json!(0), None),
        (json!(1), None),
    ] {
        let claims = json!({ "email": "ann@example.com", "email_verified": verified });
        let ann = identity(JwtAuthenticator::new(issuer()), claims).await;
        assert_eq!(ann.email(), email, "{verified}");
        assert_eq!(ann.claim("email"), Some(&json!("ann@example.com")));
    }
}

#[test]
fn schemes_are_described_as_they_are_configured() {
    let http = JwtAuthenticator::new(issuer()).describe();
    assert!(matches!(&http, SecurityScheme::Http { scheme, .. } if scheme == "bearer"));
    let connect = JwtAuthenticator::new(issuer()).open_id_connect("https://login.example.com/.well-known");
    assert!(matches!(connect.describe(), SecurityScheme::OpenIdConnect { url, .. } if url.ends_with(".well-known")));
    assert_eq!(connect.challenge(), "Bearer");
    let url = "https://login.example.com/token";
    let flows = [OAuthFlow::password(url), OAuthFlow::client_credentials("/old"), OAuthFlow::client_credentials(url)];
    let oauth = flows.into_iter().fold(JwtAuthenticator::new(issuer()), JwtAuthenticator::oauth_flow);
    let SecurityScheme::OAuth2 { flows, .. } = oauth.describe() else { panic!() };
    assert_eq!(flows, [OAuthFlow::password(url), OAuthFlow::client_credentials(url)]);
}

#[test]
fn incomplete_declarations_do_not_start() {
    let refused = |authenticator: JwtAuthenticator| {
        let configuration = Configuration::new("pets", "1.0.0").authenticator("jwt", authenticator);
        let messages = Api::builder(configuration).build().err().map(|errors| errors.messages().to_vec());
        let messages = messages.unwrap_or_default().into_iter();
        messages.map(|message| message.strip_prefix("authenticator `jwt`: ").unwrap().to_owned()).collect()
    };
    let check = |authenticator: JwtAuthenticator, expected: &[&str]| {
        let found: Vec<String> = refused(authenticator);
        assert_eq!(found.len(), expected.len(), "{found:?}");
        for (found, expected) in found.iter().zip(expected) {
            assert!(found.contains(expected), "{found}");
        }
    };
    check(JwtAuthenticator::new(Issuer::new("a")), &["`a` has no audience", "`a` has no keys"]);
    check(JwtAuthenticator::new(Issuer::new("a").audience("b").shared_secret("short")), &["at least 32 bytes"]);
    check(JwtAuthenticator::new(Issuer::new("a").audience("b").public_key("text")), &["it is not a public key in PEM"]);
    let over = |address: &str| Issuer::new("a").audience("b").jwks(Jwks::url(address));
    check(JwtAuthenticator::new(over("http://login.example.com/keys")), &["use https"]);
    check(JwtAuthenticator::new(over("keys")), &["is not an address"]);
    check(JwtAuthenticator::new(issuer()).issuer(issuer()), &["is configured twice"]);
    check(JwtAuthenticator::new(issuer()).algorithms([]), &["the list of algorithms is empty"]);
    let leeway = |seconds| JwtAuthenticator::new(issuer()).leeway(Duration::from_secs(seconds));
    check(leeway(600), &[]);
    check(leeway(601), &["the leeway of 601 seconds"]);
    let without = || Issuer::new("a").without_audience().keys(keys());
    check(JwtAuthenticator::new(without()), &["accepts tokens without an audience"]);
    check(JwtAuthenticator::new(without()).require_claim("client_id"), &["accepts tokens without an audience"]);
    check(JwtAuthenticator::new(without().audience("b")), &["accepts tokens without an audience"]);
    check(JwtAuthenticator::new(without().require_claim("client_id", ["web"])), &[]);
    check(JwtAuthenticator::new(without().require_claim("client_id", [""; 0])), &["requires the claim `client_id`"]);
    check(JwtAuthenticator::new(issuer().require_claim("azp", ["web", ""])), &["requires the claim `azp`"]);
    let empty = "is empty; check that its environment variable is set";
    check(JwtAuthenticator::new(Issuer::new("").audience("b").keys(keys())), &[empty]);
    check(JwtAuthenticator::new(Issuer::new("a").audience("b").audience("").keys(keys())), &[empty]);
    let unfit = "has no key for the accepted algorithms (RS256, HS256)";
    let algorithms = [Algorithm::RS256, Algorithm::HS256];
    check(JwtAuthenticator::new(issuer()).algorithms(algorithms), &[unfit]);
    check(
        JwtAuthenticator::new(over("https://a.example.com")).algorithms([Algorithm::HS256]),
        &["accepted algorithms (HS256)"],
    );
    check(JwtAuthenticator::new(over("https://a.example.com")).algorithms(algorithms), &[]);
}

#[test]
fn keys_that_can_travel_nowhere_do_not_start() {
    let key = || ApiKeyAuthenticator::new(KeyList::default());
    for (authenticator, expected) in [
        (key().header("X Key"), Some("`X Key` is not the name of a header")),
        (key().header(""), Some("`` is not the name of a header")),
        (key().cookie("a=b"), Some("`a=b` is not the name of a cookie")),
        (key().cookie("__Host-key"), None),
        (key().query(""), Some("`` is not the name of a query parameter")),
        (key().query("a b"), None),
    ] {
        let built = Api::builder(Configuration::new("pets", "1.0.0").authenticator("key", authenticator)).build();
        let found = built.err().map(|errors| errors.messages()[0].clone());
        assert_eq!(found, expected.map(|expected| format!("authenticator `key`: {expected}")));
    }
}

#[test]
fn keys_become_components() {
    let configuration = Configuration::new("pets", "1.0.0")
        .authenticator("jwt", JwtAuthenticator::new(Issuer::new("a").audience("b").jwks(Jwks::file("/no/such/file"))));
    let api = Api::builder(configuration).build().unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let failures = runtime.block_on(api.ready()).unwrap_err();
    assert_eq!(failures[0].component(), "keys of /no/such/file");
}

#[tokio::test]
async fn tokens_without_audience_need_the_claim_that_replaces_it() {
    let without = || Issuer::new(ISSUER).without_audience().require_claim("client_id", ["web", "app"]).keys(keys());
    let (alone, both) = (JwtAuthenticator::new(without()), JwtAuthenticator::new(without().audience(AUDIENCE)));
    let (alone, both) = (alone.clock(Clock::manual(NOW)), both.clock(Clock::manual(NOW)));
    let (none, ours, others) = (json!(null), json!(AUDIENCE), json!("dogs"));
    let another = "the token was issued for another audience";
    let value = "the claim `client_id` contains none of the required values";
    for (authenticator, aud, client, refusal) in [
        (&alone, &none, json!("web"), None),
        (&alone, &none, json!("app"), None),
        (&alone, &none, json!("bot"), Some(value)),
        (&alone, &none, json!(["web"]), Some(value)),
        (&alone, &none, json!(null), Some(value)),
        (&alone, &ours, json!("web"), Some(another)),
        (&both, &none, json!("web"), None),
        (&both, &ours, json!("web"), None),
        (&both, &ours, json!("bot"), Some(value)),
        (&both, &others, json!("web"), Some(another)),
    ] {
        let claims = claims_with(&json!({ "aud": aud, "client_id": client }));
        let token = P256.token(&json!({ "alg": "ES256", "kid": "key" }), &claims);
        let verdict = ask(authenticator, &[("Authorization", format!("Bearer {token}"))]).await;
        let expected = refusal.map_or(Verdict::Caller("ann".to_owned()), |reason| Verdict::Rejected(reason.to_owned()));
        assert_eq!(verdict, expected, "{claims}");
    }
    let token = P256.token_of(
        r#"{"alg":"ES256"}"#,
        &json!({ "iss": ISSUER, "aud": null, "exp": NOW + 9, "sub": "ann", "client_id": "web" }).to_string(),
        "ES256",
    );
    let verdict = ask(&alone, &[("Authorization", format!("Bearer {token}"))]).await;
    assert_eq!(verdict, Verdict::Rejected(another.to_owned()), "an `aud` that is null is there");
}
