//! The order of the steps of a request.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use restwright_core::auth::{Access, Authentication, Authenticator, Identity, Rejection};
use restwright_core::http::{HeaderName, HeaderValue, HttpRequest, HttpResponse, StatusCode, header};
use restwright_core::operation::{ParameterLocation, SecurityScheme};
use restwright_core::schema::{PropertyCollection, int64, string};
use restwright_core::{
    AfterAuthentication, Component, ComponentError, Configuration, Controller, Input, Middleware, Next, Output, Result,
    Route,
};
use restwright_runtime::{Api, ApiBuilder, Group, Module};
use restwright_testing::TestClient;
use serde_json::json;

type Log = Arc<Mutex<Vec<String>>>;

/// Records each request and response.
struct Noting(&'static str, Log);

impl Middleware for Noting {
    fn name(&self) -> String {
        self.0.to_owned()
    }

    async fn handle(&self, request: &mut HttpRequest, next: Next<'_>) -> Result<HttpResponse> {
        self.1.lock().unwrap().push(format!("{}>", self.0));
        let response = next.run(request).await;
        self.1.lock().unwrap().push(format!("<{} {}", self.0, response.status().as_u16()));
        Ok(response)
    }
}

/// Accepts `Authorization: Test <scopes>`. `Test down` is an outage, `Test wrong` an invalid credential, and `Test cut` a body that cannot be read.
struct TestAuthenticator(Log);

impl Authenticator for TestAuthenticator {
    fn describe(&self) -> SecurityScheme {
        SecurityScheme::http("test")
    }

    async fn authenticate(&self, request: &mut HttpRequest) -> Authentication {
        self.0.lock().unwrap().push("authenticate".into());
        let Some(credentials) = request.header(&header::AUTHORIZATION).and_then(|value| value.strip_prefix("Test "))
        else {
            return Authentication::NoCredentials;
        };
        match credentials {
            "down" => Authentication::Unavailable { reason: "the provider is down".into(), retry_after: 7 },
            "cut" => Authentication::Failed(restwright_core::Problem::new(
                restwright_core::problem::catalogue::MALFORMED_REQUEST,
            )),
            "wrong" => Authentication::Rejected(Rejection::new("not known").error("invalid_token")),
            scopes => Authentication::Identity(Identity::builder("someone").scopes(scopes.split(' ')).build()),
        }
    }
}

/// Behaves as its path says.
struct Acting(Log, Route);

impl Controller for Acting {
    type Request = Input;
    type Response = Output;

    fn route(&self) -> Route {
        self.1
            .clone()
            .parameter(ParameterLocation::Query, int64("n").minimum(1).optional())
            .response(200, PropertyCollection::new("Done").property(string("did")))
    }

    async fn handle(&self, input: Input) -> Result<Output> {
        self.0.lock().unwrap().push("controller".into());
        if input.parameters().contains("n") {
            match input.parameters().get::<i64>("n")? {
                1 => panic!("the controller panicked"),
                2 => std::future::pending().await,
                3 => return Ok(Output::new(StatusCode::IM_A_TEAPOT, ())),
                4 => return Ok(Output::new(StatusCode::OK, json!({"did": 4}))),
                _ => {}
            }
        }
        Ok(Output::new(StatusCode::OK, json!({"did": "it"})))
    }
}

fn api(log: &Log) -> Api {
    let acting = |path: &str| Acting(log.clone(), Route::get(path).id(path.to_owned()));
    let guarded = |path: &str| {
        let route = Route::get(path).id(path.to_owned());
        Acting(log.clone(), route.middleware(Noting("route", log.clone())))
    };
    let configuration = Configuration::new("order", "1.0.0")
        .problem_base("https://example.com/problems/")
        .authenticator("test", TestAuthenticator(log.clone()));
    Api::builder(configuration)
        .middleware(Noting("first", log.clone()))
        .middleware(AfterAuthentication(Noting("inner", log.clone())))
        .middleware(Noting("second", log.clone()))
        .group(Group::new("").public().controller(acting("/open")))
        .group(
            Group::new("/guarded")
                .authorize("test", ["read"])
                .middleware(Noting("group", log.clone()))
                .controller(guarded("/one")),
        )
        .group(Group::new("").optional("test").controller(acting("/optional")))
        .controller(Acting(
            log.clone(),
            Route::get("/any").id("any").access(Access::authenticated("test").any_scope(["a", "b"])),
        ))
        .controller(Acting(log.clone(), Route::get("/quick").id("quick").public().deadline(Duration::from_millis(20))))
        .build()
        .unwrap()
}

/// Sends one `GET` and compares the status and the recorded steps.
fn check(path: &str, authorization: &str, status: u16, expected: &str) {
    let log = Log::default();
    let client = TestClient::new(api(&log));
    let mut request = client.get(path);
    if !authorization.is_empty() {
        request = request.header("Authorization", authorization);
    }
    request.send().assert_status(status).assert_documented();
    assert_eq!(log.lock().unwrap().join(" "), expected, "{path} {authorization}");
}

#[test]
fn steps_are_taken_in_order() {
    check("/open", "", 200, "first> second> inner> controller <inner 200 <second 200 <first 200");
    check("/none", "", 404, "first> second> <second 404 <first 404");
    check(
        "/guarded/one",
        "Test read",
        200,
        "first> second> group> route> authenticate inner> controller <inner 200 <route 200 <group 200 <second 200 <first 200",
    );
}

#[test]
fn authentication_wins_over_validation() {
    let refused = |status| {
        format!(
            "first> second> group> route> authenticate <route {status} <group {status} <second {status} <first {status}"
        )
    };
    check("/guarded/one?n=0", "", 401, &refused(401));
    check("/guarded/one?n=0", "Test wrong", 401, &refused(401));
    check("/guarded/one?n=0", "Test write", 403, &refused(403));
    check("/guarded/one?n=0", "Test down", 503, &refused(503));
    check("/guarded/one?n=0", "Test cut", 400, &refused(400));
    check(
        "/guarded/one?n=0",
        "Test read",
        422,
        "first> second> group> route> authenticate inner> <inner 422 <route 422 <group 422 <second 422 <first 422",
    );
}

#[test]
fn guests_and_alternatives() {
    let passed = "first> second> authenticate inner> controller <inner 200 <second 200 <first 200";
    check("/optional", "", 200, passed);
    check("/optional", "Test x", 200, passed);
    check("/optional", "Test wrong", 401, "first> second> authenticate <second 401 <first 401");
    check("/any", "Test b", 200, passed);
    check("/any", "Test c", 403, "first> second> authenticate <second 403 <first 403");
}

#[test]
fn challenges_say_what_is_missing() {
    let client = TestClient::new(api(&Log::default()));
    for (authorization, expected) in [
        ("", "Test realm=\"order\""),
        ("Test wrong", "Test realm=\"order\", error=\"invalid_token\""),
        ("Test write", "Test realm=\"order\", error=\"insufficient_scope\", scope=\"read\""),
    ] {
        let mut request = client.get("/guarded/one");
        if !authorization.is_empty() {
            request = request.header("Authorization", authorization);
        }
        assert_eq!(request.send().header("www-authenticate"), Some(expected));
    }
    let outage = client.get("/guarded/one").header("Authorization", "Test down").send();
    assert_eq!(outage.header("retry-after"), Some("7"));
    assert!(!outage.text().contains("provider"), "internals in the response: {}", outage.text());
}

#[test]
fn failures_of_controllers_are_problems() {
    let client = TestClient::new(api(&Log::default()));
    for (path, status, code) in [
        ("/open?n=1", 500, "internal_error"),
        ("/open?n=3", 500, "internal_error"),
        ("/open?n=4", 500, "internal_error"),
        ("/quick?n=2", 503, "deadline_exceeded"),
    ] {
        let response = client.get(path).send();
        response.assert_status(status).assert_documented();
        let problem = response.json::<serde_json::Value>();
        assert_eq!(problem["type"], format!("https://example.com/problems/{code}"), "{path}");
        assert_eq!(problem["request_id"].as_str(), response.header("x-request-id"), "{path}");
        assert!(!response.text().contains("panicked"), "internals in the response: {}", response.text());
        client.get("/open").send().assert_status(200);
    }
}

#[test]
fn serves_head_and_options_automatically() {
    let client = TestClient::new(api(&Log::default()));
    let head = client.head("/open").send();
    head.assert_status(200);
    assert_eq!(head.text(), "");
    let options = client.options("/open").send();
    options.assert_status(204);
    assert_eq!(options.header("allow"), Some("GET, HEAD, OPTIONS"));
    assert_eq!(client.post("/open").send().assert_status(405).header("allow"), Some("GET, HEAD, OPTIONS"));
}

#[test]
fn accepts_or_generates_request_ids() {
    let client = TestClient::new(api(&Log::default()));
    let taken = client.get("/open").header("X-Request-Id", "abc-1").send();
    assert_eq!(taken.header("x-request-id"), Some("abc-1"));
    let made = client.get("/none").header("X-Request-Id", "not well formed").send();
    assert_eq!(made.header("x-request-id").map(str::len), Some(16));
}

#[test]
fn chains_are_explained() {
    let expected = "\
GET  /open         /open      public           first > second > inner > controller
GET  /guarded/one  /one       test: read (group /guarded)  first > second > group > route > authenticate > inner > controller
GET  /optional     /optional  optional test (group without a prefix)  first > second > authenticate > inner > controller
GET  /any          any        test: any of a b  first > second > authenticate > inner > controller
GET  /quick        quick      public           first > second > inner > controller
";
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(words(&api(&Log::default()).explain()), words(expected));
}

/// Changes a request header and a response header.
struct Renaming;

impl Middleware for Renaming {
    async fn handle(&self, request: &mut HttpRequest, next: Next<'_>) -> Result<HttpResponse> {
        request.headers_mut().insert(header::ACCEPT, HeaderValue::from_static("text/plain"));
        let response = next.run(request).await;
        Ok(response.header(HeaderName::from_static("x-seen"), HeaderValue::from_static("yes")))
    }
}

struct Piece(Log);

impl Module for Piece {
    fn register(&self, api: ApiBuilder) -> ApiBuilder {
        api.middleware(Renaming)
            .controller(Acting(self.0.clone(), Route::get("/piece").id("piece").public()))
            .component(Noted("first", self.0.clone(), false))
            .component(Noted("second", self.0.clone(), false))
    }
}

#[test]
fn middlewares_change_request_and_response() {
    let api = Api::builder(Configuration::new("piece", "1.0.0")).module(&Piece(Log::default())).build().unwrap();
    let response = TestClient::new(api).get("/piece").send();
    assert_eq!(response.assert_status(406).header("x-seen"), Some("yes"));
}

#[test]
fn rejects_unknown_query_parameters_if_strict() {
    let send = |configuration: Configuration| {
        let acting = Acting(Log::default(), Route::get("/a").id("a").public());
        let api = Api::builder(configuration).controller(acting).build().unwrap();
        TestClient::new(api).get("/a?n=5&unknown=1&unknown=2").send()
    };
    send(Configuration::new("lenient", "1.0.0")).assert_status(200);
    let refused = send(Configuration::new("strict", "1.0.0").strict());
    let problem = refused.assert_status(422).assert_documented().json::<serde_json::Value>();
    assert_eq!(problem["errors"].as_array().unwrap().len(), 1);
    assert_eq!((&problem["errors"][0]["in"], &problem["errors"][0]["pointer"]), (&json!("query"), &json!("/unknown")));
}

/// Records its start and stop.
struct Noted(&'static str, Log, bool);

impl Component for Noted {
    fn name(&self) -> &str {
        self.0
    }

    async fn start(&self) -> Result<(), ComponentError> {
        self.1.lock().unwrap().push(format!("start {}", self.0));
        if self.2 { Err("no connection".into()) } else { Ok(()) }
    }

    async fn ready(&self) -> Result<(), ComponentError> {
        Err("not yet".into())
    }

    async fn stop(&self) {
        self.1.lock().unwrap().push(format!("stop {}", self.0));
    }
}

#[tokio::test]
async fn components_stop_in_reverse() {
    let log = Log::default();
    let api = Api::builder(Configuration::new("piece", "1.0.0")).module(&Piece(log.clone())).build().unwrap();
    api.start().await.unwrap();
    assert_eq!(api.ready().await.unwrap_err().len(), 2);
    api.stop().await;
    assert_eq!(log.lock().unwrap().join(", "), "start first, start second, stop second, stop first");
}

#[tokio::test]
async fn a_failed_start_stops_what_had_started() {
    let log = Log::default();
    let api = Api::builder(Configuration::new("broken", "1.0.0"))
        .component(Noted("first", log.clone(), false))
        .component(Noted("second", log.clone(), true))
        .build()
        .unwrap();
    let failure = api.start().await.unwrap_err();
    assert_eq!(failure.to_string(), "the component `second` cannot start: no connection");
    assert_eq!(log.lock().unwrap().join(", "), "start first, start second, stop first");
}
