//! API keys.

use restwright_auth::{ApiKey, ApiKeyAuthenticator, ApiKeys, KeyList};
use restwright_core::auth::{Access, Authenticator};
use restwright_core::http::StatusCode;
use restwright_core::operation::{ApiKeyLocation, SecurityScheme};
use restwright_core::{Clock, ComponentError, Configuration, Controller, Input, Output, Result, Route};
use restwright_runtime::Api;
use restwright_testing::TestClient;

use crate::pairs::{NOW, sha256};
use crate::request::{Verdict, ask, authenticate};

fn list() -> KeyList {
    let key = |id: &str| format!("{id}.0123456789abcdef").parse::<ApiKey>().unwrap();
    KeyList::new([
        key("ann")
            .subject("user-1")
            .username("Ann")
            .scopes(["pets:read"])
            .permissions(["feed"])
            .claim("tenant", "north"),
        key("expired").expires_at(NOW),
        key("soon").expires_at(NOW + 1),
        key("disabled").disabled(true),
        ApiKey::new("stored", sha256("stored.fedcba9876543210").try_into().unwrap()),
    ])
}

fn authenticator() -> ApiKeyAuthenticator<KeyList> {
    ApiKeyAuthenticator::new(list()).clock(Clock::manual(NOW))
}

#[tokio::test]
async fn keys_get_their_verdicts() {
    let caller = |subject: &str| Verdict::Caller(subject.to_owned());
    let rejected = |reason: &str| Verdict::Rejected(reason.to_owned());
    let form = || rejected("an API key must have the form `<id>.<secret>`");
    let secret =
        || rejected("the secret of an API key must have 16 to 256 characters: letters, digits, `-`, `_` and `.`");
    for (key, expected) in [
        ("ann.0123456789abcdef", caller("user-1")),
        ("soon.0123456789abcdef", caller("key:soon")),
        ("stored.fedcba9876543210", caller("key:stored")),
        ("stored.0123456789abcdef", rejected("the API key is unknown")),
        ("ann.0123456789abcdeF", rejected("the API key is unknown")),
        ("ann.0123456789abcdef0", rejected("the API key is unknown")),
        ("bob.0123456789abcdef", rejected("the API key is unknown")),
        ("expired.0123456789abcdef", rejected("the API key `expired` is expired")),
        ("expired.0123456789abcdeF", rejected("the API key is unknown")),
        ("disabled.0123456789abcdef", rejected("the API key `disabled` is disabled")),
        ("", form()),
        ("ann", form()),
        ("ann.", secret()),
        ("ann.0123456789abcde", secret()),
        ("ann.0123456789abcde ", secret()),
        (
            ".0123456789abcdef",
            rejected("the id of an API key must have 1 to 64 characters: letters, digits, `-` and `_`"),
        ),
        (
            "a b.0123456789abcdef",
            rejected("the id of an API key must have 1 to 64 characters: letters, digits, `-` and `_`"),
        ),
    ] {
        assert_eq!(ask(&authenticator(), &[("X-Api-Key", key.to_owned())]).await, expected, "{key}");
    }
    let long = format!("ann.{}", "x".repeat(257));
    assert_eq!(ask(&authenticator(), &[("X-Api-Key", long)]).await, secret());
    let twice = ["ann.0123456789abcdef"; 2].map(|key| ("X-Api-Key", key.to_owned()));
    assert_eq!(ask(&authenticator(), &twice).await, rejected("several API keys"));
    assert_eq!(ask(&authenticator(), &[("X-Api-Key", b"\xff")]).await, rejected("the API key is not UTF-8"));
    let cookie = authenticator().cookie("key");
    assert_eq!(ask(&cookie, &[("Cookie", b"key=\xff")]).await, rejected("the API key is not UTF-8"));
    assert_eq!(ask(&authenticator(), &[("Authorization", "ann.0123456789abcdef".to_owned())]).await, Verdict::Nothing);
}

#[tokio::test]
async fn keys_travel_in_other_places() {
    let header = authenticator().header("X-Key");
    let query = authenticator().query("key");
    let cookie = authenticator().cookie("key");
    let key = "ann.0123456789abcdef";
    let none: [(&str, String); 0] = [];
    let subject = |found: Result<Option<restwright_core::auth::Identity>, Verdict>| {
        found.unwrap().map(|identity| identity.subject().unwrap().to_owned())
    };
    assert_eq!(subject(authenticate(&header, "/", &[("x-key", key.to_owned())]).await).as_deref(), Some("user-1"));
    assert_eq!(subject(authenticate(&query, &format!("/?a=b&key={key}"), &none).await).as_deref(), Some("user-1"));
    assert_eq!(subject(authenticate(&query, "/?a=b", &none).await), None);
    assert!(authenticate(&query, &format!("/?key={key}&key={key}"), &none).await.is_err());
    assert!(authenticate(&query, "/?key=%FF", &none).await.is_err());
    let cookies = ("Cookie", format!("theme=dark; key={key}"));
    assert_eq!(subject(authenticate(&cookie, "/", &[cookies]).await).as_deref(), Some("user-1"));
    let lines = ["theme=dark".to_owned(), format!("key={key}")].map(|line| ("Cookie", line));
    assert_eq!(subject(authenticate(&cookie, "/", &lines).await).as_deref(), Some("user-1"));
    let planted = ("Cookie", format!("key={key}; key=bob.0123456789abcdef"));
    assert_eq!(ask(&cookie, &[planted]).await, Verdict::Rejected("several API keys".to_owned()));
    for (authenticator, location) in
        [(&header, ApiKeyLocation::Header), (&query, ApiKeyLocation::Query), (&cookie, ApiKeyLocation::Cookie)]
    {
        let SecurityScheme::ApiKey { location: described, .. } = authenticator.describe() else { panic!() };
        assert_eq!(described, location);
    }
}

#[tokio::test]
async fn a_key_says_who_and_what() {
    let headers = [("X-Api-Key", "ann.0123456789abcdef".to_owned())];
    let identity = authenticate(&authenticator(), "/", &headers).await.unwrap().unwrap();
    assert_eq!(identity.username(), Some("Ann"));
    assert!(identity.has_scope("pets:read") && identity.has_permission("feed"));
    assert_eq!(identity.claim("tenant").and_then(|tenant| tenant.as_str()), Some("north"));
}

/// A database with a fault.
struct Database;

impl ApiKeys for Database {
    async fn find(&self, id: &str) -> Result<Option<ApiKey>, ComponentError> {
        match id {
            "down" => Err("the database is down".into()),
            // Returns another key than the requested one.
            _ => Ok(Some("ann.0123456789abcdef".parse::<ApiKey>().unwrap())),
        }
    }
}

#[tokio::test]
async fn a_database_that_is_down_is_no_login_failure() {
    let authenticator = ApiKeyAuthenticator::new(Database);
    let verdict = ask(&authenticator, &[("X-Api-Key", "down.0123456789abcdef".to_owned())]).await;
    assert_eq!(verdict, Verdict::Unavailable("keys cannot be looked up: the database is down".to_owned()));
    let verdict = ask(&authenticator, &[("X-Api-Key", "bob.0123456789abcdef".to_owned())]).await;
    assert!(matches!(verdict, Verdict::Rejected(_)), "{verdict:?}");
}

#[test]
fn keys_are_made_and_never_shown() {
    let (one, two) = (ApiKey::generate("ci").unwrap(), ApiKey::generate("ci").unwrap());
    assert_ne!(one.text(), two.text());
    let secret = one.text().strip_prefix("ci.").unwrap().to_owned();
    assert_eq!(secret.len(), 43);
    assert_eq!(one.key().digest().to_vec(), sha256(one.text()));
    for shown in [format!("{one:?}"), format!("{:?}", one.key()), format!("{:?}", KeyList::new([one.key().clone()]))] {
        assert!(shown.contains("ci") && !shown.contains(&secret), "{shown}");
    }
    assert!(ApiKey::generate("a b").is_err() && ApiKey::generate("").is_err());
}

struct Show(Access);

impl Controller for Show {
    type Request = Input;
    type Response = Output;

    fn route(&self) -> Route {
        Route::get("/").access(self.0.clone()).empty_response(204)
    }

    async fn handle(&self, _: Input) -> Result<Output> {
        Ok(Output::new(StatusCode::NO_CONTENT, ()))
    }
}

fn client(configuration: Configuration, access: impl Into<Access>) -> TestClient {
    TestClient::new(Api::builder(configuration).controller(Show(access.into())).build().unwrap())
}

#[test]
fn a_strict_configuration_knows_the_parameter_of_the_key() {
    let configuration =
        Configuration::new("strict", "1.0.0").strict().authenticator("key", authenticator().query("key"));
    let client = client(configuration, Access::authenticated("key"));
    client.get("/?key=ann.0123456789abcdef").send().assert_status(204);
    client.get("/?key=ann.0123456789abcdef&more=1").send().assert_status(422);
    client.get("/?key=ann.0123456789abcdeF").send().assert_status(401).assert_documented();
}

#[test]
fn a_key_in_the_query_of_a_scheme_that_was_not_asked_is_no_unknown_parameter() {
    let configuration = Configuration::new("strict", "1.0.0")
        .strict()
        .authenticator("one", authenticator())
        .authenticator("two", authenticator().query("api_key"));
    let client = client(configuration, Access::authenticated("one").or("two"));
    let key = "ann.0123456789abcdef";
    client.get(format!("/?api_key={key}")).send().assert_status(204);
    client.get(format!("/?api_key={key}")).header("X-Api-Key", key).send().assert_status(204);
    client.get("/?other=1").header("X-Api-Key", key).send().assert_status(422);
}
