//! Settings that fail the build of an Api, and components that fail.

use std::time::Duration;

use restwright_core::auth::Access;
use restwright_core::{Component, ComponentError, Configuration, Route};
use restwright_runtime::Api;

use crate::support::{Who, configuration, route};

#[track_caller]
fn check(configuration: Configuration, expected: &[&str]) {
    let built = Api::builder(configuration).build();
    let found = built.map(|_| Vec::new()).unwrap_or_else(|errors| errors.messages().to_vec());
    let found: Vec<_> = found.iter().map(|message| message.split(';').next().unwrap()).collect();
    assert_eq!(found, expected);
}

fn named() -> Configuration {
    Configuration::new("named", "1.0.0")
}

#[test]
fn settings_that_reject_everything_are_errors() {
    check(Configuration::new("", "1.0.0"), &["the configuration has an empty name"]);
    check(Configuration::new(" \t", "1.0.0"), &["the configuration has an empty name"]);
    check(named().max_concurrent(0), &["`.max_concurrent(0)` of the configuration rejects every request"]);
    check(named().body_limit(0), &["configuration: `.body_limit(0)` rejects every body"]);
    check(named().deadline(Duration::ZERO), &["configuration: a deadline of zero has always passed"]);
    check(named().max_concurrent(1).body_limit(1).deadline(Duration::from_nanos(1)), &[]);
    check(
        Configuration::new("", "1.0.0").max_concurrent(0).body_limit(0),
        &[
            "the configuration has an empty name",
            "`.max_concurrent(0)` of the configuration rejects every request",
            "configuration: `.body_limit(0)` rejects every body",
        ],
    );
}

#[test]
fn servers_are_urls() {
    for server in [
        "https://api.example.com",
        "https://api.example.com/v1",
        "http://localhost:8080/",
        "http://[::1]:8080/a",
        "wss://api.example.com",
        "/",
        "/v1",
        "/a%20b/c",
    ] {
        check(named().server(server), &[]);
    }
    for server in [
        "",
        "api.example.com",
        "localhost:8080",
        "v1",
        "./v1",
        "//api.example.com/v1",
        "https://",
        "https:///v1",
        "https:api.example.com",
        "mailto:ann@example.com",
        "javascript:alert(1)",
        "/a b",
        "/v1?a=b",
        "https://api.example.com/#a",
        "https://api.example.com/\u{e4}",
    ] {
        check(named().server(server), &[&format!("the server {server:?} of the configuration is not a URL")]);
    }
}

#[test]
fn limits_of_a_route_are_checked() {
    let at = |path: &str| Route::get(path).id(path.to_owned()).public();
    let errors = Api::builder(configuration())
        .controller(Who(at("/a").body_limit(0).deadline(Duration::ZERO)))
        .controller(Who(at("/b").body_limit(1).deadline(Duration::from_nanos(1))))
        .build()
        .unwrap_err();
    assert_eq!(
        errors.messages(),
        [
            "GET /a: `.body_limit(0)` rejects every body; allow at least 1 byte, or remove it",
            "GET /a: a deadline of zero has always passed; set a longer one with `.deadline(..)`, or remove it",
        ]
    );
}

#[test]
fn two_routes_of_one_method_and_path_name_both_operations() {
    let errors = Api::builder(configuration())
        .controller(Who(Route::get("/pets").id("listPets").public()))
        .controller(Who(Route::get("/pets").id("searchPets").public()))
        .build()
        .unwrap_err();
    assert_eq!(
        errors.messages(),
        [
            "GET /pets: the operations `listPets` and `searchPets` have the same method and path; remove one or change its method or path"
        ]
    );
}

struct Pool;

impl Component for Pool {
    fn name(&self) -> &str {
        "pool"
    }

    async fn start(&self) -> Result<(), ComponentError> {
        Err("no connection".into())
    }

    async fn ready(&self) -> Result<(), ComponentError> {
        Err("all connections are in use".into())
    }
}

#[test]
fn failures_of_components_are_sentences() {
    let api = Api::builder(named()).component(Pool).controller(route("/", Access::public())).build().unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let failure = runtime.block_on(api.start()).unwrap_err();
    assert_eq!(format!("{failure}"), "the component `pool` cannot start: no connection");
    assert_eq!(format!("{failure:?}"), format!("{failure}"));
    let failures = runtime.block_on(api.ready()).unwrap_err();
    assert_eq!(format!("{failures:?}"), "[the component `pool` is not ready: all connections are in use]");
}
