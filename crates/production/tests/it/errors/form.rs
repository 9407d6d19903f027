//! Every problem of an application in its own form.

use std::collections::BTreeMap;

use restwright::Next;
use restwright::auth::{ApiKey, ApiKeyAuthenticator, KeyList};
use restwright::http::{HttpRequest, HttpResponse, StatusCode};
use restwright::openapi;
use restwright::prelude::*;
use restwright::problem::{ErrorForm, ProblemKind, ProblemView, catalogue};
use restwright::production::Health;
use restwright::rate_limit::{Quota, RateLimit};
use restwright::testing::TestClient;
use restwright::{Component, ComponentError};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::Log;
use crate::server::Server;

const KEY: &str = "X-Api-Key: shop.4c8c8f55d9a14bb6b4b6b31ce1c6cbd0";

/// An error of the shop.
#[derive(Serialize, Schema)]
struct ShopError {
    error: String,
    message: String,
    status: u16,
    request: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    fields: Vec<FieldError>,
    #[serde(skip_serializing_if = "Option::is_none")]
    more: Option<BTreeMap<String, String>>,
}

/// A field that is wrong.
#[derive(Serialize, Schema)]
struct FieldError {
    place: String,
    rule: String,
}

struct ShopErrors;

impl ErrorForm for ShopErrors {
    type Body = ShopError;

    const MEDIA_TYPE: &'static str = "application/vnd.shop.error+json";

    fn status(&self, kind: &ProblemKind) -> StatusCode {
        match (&*kind.code, kind.status.as_u16()) {
            (_, 422) => StatusCode::BAD_REQUEST,
            ("overloaded" | "unavailable" | "deadline_exceeded", _) => StatusCode::BAD_GATEWAY,
            ("wrong_status", _) => StatusCode::OK,
            _ => kind.status,
        }
    }

    fn render(&self, problem: &ProblemView<'_>) -> ShopError {
        assert!(problem.code() != "unrenderable", "the secret of the form");
        let fields = problem.violations().iter().map(|one| FieldError {
            place: format!("{}:{}", one.location, one.violation.pointer),
            rule: one.violation.code.as_str().to_owned(),
        });
        let more =
            problem.members().iter().map(|(name, value)| (name.clone(), value.to_string())).collect::<BTreeMap<_, _>>();
        ShopError {
            error: problem.code().to_owned(),
            message: problem.detail().unwrap_or(problem.title()).to_owned(),
            status: problem.status().as_u16(),
            request: problem.request_id().to_owned(),
            fields: fields.collect(),
            more: Some(more).filter(|more| !more.is_empty()),
        }
    }
}

#[derive(Deserialize, Schema)]
struct NewOrder {
    #[property(min_length = 1)]
    article: String,
    #[property(minimum = 1)]
    quantity: u32,
}

#[derive(Request)]
struct PlaceOrder {
    #[segment]
    #[property(minimum = 1)]
    shop: i64,
    #[body]
    order: NewOrder,
}

/// Fails as it is asked to.
struct Fail;

#[derive(Request)]
struct FailRequest {
    #[segment]
    how: String,
}

impl Controller for Fail {
    type Request = FailRequest;
    type Response = NoContent;

    fn route(&self) -> Route {
        let sold = ProblemKind::new(StatusCode::CONFLICT, "sold_out", "Sold out");
        Route::get("/fail/{how}").public().problem(sold).problem(catalogue::UNAVAILABLE)
    }

    async fn handle(&self, request: FailRequest) -> Result<NoContent> {
        let kind = |code: &'static str| ProblemKind::new(StatusCode::CONFLICT, code, "A title");
        Err(match request.how.as_str() {
            "panic" => panic!("a secret of the handler"),
            "internal" => Problem::internal("a secret of the source"),
            "unavailable" => Problem::unavailable("a secret of the source"),
            "sold_out" => Problem::new(kind("sold_out")).member("article", "pen"),
            "unrenderable" => Problem::new(kind("unrenderable")).source("a secret of the source"),
            _ => Problem::new(kind("wrong_status")),
        })
    }
}

struct Refuse;

impl Middleware for Refuse {
    async fn handle(&self, request: &mut HttpRequest, next: Next<'_>) -> Result<HttpResponse> {
        if request.query() == Some("refused") {
            return Err(Problem::new(catalogue::FORBIDDEN).detail("The middleware refuses."));
        }
        Ok(next.run(request).await)
    }
}

struct Broken;

impl Component for Broken {
    fn name(&self) -> &str {
        "broken"
    }

    async fn ready(&self) -> std::result::Result<(), ComponentError> {
        Err("a secret of the component".into())
    }
}

pub(super) fn configuration() -> Configuration {
    let key = KEY.strip_prefix("X-Api-Key: ").unwrap().parse::<ApiKey>().unwrap().subject("s").scopes(["read"]);
    Configuration::new("shop", "1.0.0")
        .authenticator("key", ApiKeyAuthenticator::new(KeyList::new([key])))
        .body_limit(100)
}

pub(super) fn builder(configuration: Configuration) -> restwright::ApiBuilder {
    Api::builder(configuration)
        .middleware(Refuse)
        .component(Broken)
        .module(&Health::new())
        .controller(Fail)
        .controller(Route::post("/shops/{shop}/orders").id("place").public().handler(
            async |PlaceOrder { shop, order }: PlaceOrder| {
                assert!(shop > 0 && order.quantity > 0 && !order.article.is_empty());
                Ok(NoContent)
            },
        ))
        .controller(Route::get("/own").id("own").authorize("key", ["write"]).handler(async |(): ()| Ok(NoContent)))
        .controller(
            Route::get("/limited")
                .id("limited")
                .public()
                .middleware(RateLimit::per_ip("all", Quota::per_minute(1)))
                .handler(async |(): ()| Ok(NoContent)),
        )
}

fn api() -> Api {
    builder(configuration().error_form(ShopErrors)).build().unwrap()
}

/// Sends a request with a body and headers, and checks the error's status, code, message, and the lines of one header.
#[track_caller]
fn check(
    server: &Server,
    request: &str,
    headers: &[&str],
    body: &str,
    expected: (u16, &str, &str),
    header: &str,
) -> Value {
    let mut text =
        format!("{request} HTTP/1.1\r\nHost: shop\r\nConnection: close\r\nContent-Length: {}\r\n", body.len());
    headers.iter().for_each(|line| text.extend([line, "\r\n"]));
    let reply = server.exchange(format!("{text}\r\n{body}").as_bytes());
    let (status, code, message) = expected;
    assert_eq!(reply.header("content-type").as_deref(), Some(ShopErrors::MEDIA_TYPE), "{}", reply.text());
    let found = reply.json();
    assert_eq!(
        (reply.status(), &found["error"], &found["message"]),
        (status, &json!(code), &json!(message)),
        "{}",
        reply.text()
    );
    assert_eq!(found["status"], status);
    assert_eq!(found["request"], *reply.header("x-request-id").unwrap());
    assert!(header.is_empty() || reply.header(header).is_some(), "{}", reply.text());
    assert!(!reply.text().contains("secret"), "{}", reply.text());
    found
}

#[test]
fn every_problem_is_in_the_form() {
    let server = Server::start(api());
    let json = &["Content-Type: application/json"][..];
    let get = |request: &str, headers: &[&str], expected, header: &str| {
        check(&server, request, headers, "", expected, header)
    };
    let post =
        |headers: &[&str], body: &str, expected| check(&server, "POST /shops/1/orders", headers, body, expected, "");
    get("GET /nothing", &[], (404, "not_found", "Nothing exists at this path."), "");
    let method = "This path does not support this method. `Allow` lists the supported methods.";
    get("DELETE /own", &[], (405, "method_not_allowed", method), "allow");
    get("GET /%ff", &[], (400, "malformed_request", "The path is not valid UTF-8 when decoded."), "");
    get(
        "GET /own",
        &[],
        (401, "unauthenticated", "Credentials are required: the header `X-Api-Key`."),
        "www-authenticate",
    );
    get("GET /own", &[KEY], (403, "forbidden", "The credentials lack these scopes: write."), "");
    get("GET /own?refused", &[], (403, "forbidden", "The middleware refuses."), "");
    get("GET /nothing?refused", &[], (403, "forbidden", "The middleware refuses."), "");
    get("GET /readyz", &[], (502, "unavailable", "The service is not ready."), "retry-after");
    get("GET /fail/panic", &[], (500, "internal_error", "Internal server error"), "");
    get("GET /fail/internal", &[], (500, "internal_error", "Internal server error"), "");
    get("GET /fail/unavailable", &[], (502, "unavailable", "Service unavailable"), "retry-after");
    let sold_out = get("GET /fail/sold_out", &[], (409, "sold_out", "A title"), "");
    assert_eq!(sold_out["more"], json!({ "article": "\"pen\"" }));
    let type_missing = "The body has no media type. Send `Content-Type: application/json`.";
    post(&[], "{}", (415, "unsupported_media_type", type_missing));
    post(json, &" ".repeat(101), (413, "body_too_large", "The body must have at most 100 bytes."));
    assert_eq!(
        post(
            json,
            "{",
            (400, "malformed_body", "The body is not valid JSON: EOF while parsing an object at line 1, column 1.")
        )["more"]["line"],
        "1"
    );
    let invalid =
        post(json, r#"{"article": "", "quantity": 0}"#, (400, "invalid_request", "The request has 2 violations."));
    let fields =
        json!([{ "place": "body:/article", "rule": "min_length" }, { "place": "body:/quantity", "rule": "minimum" }]);
    assert_eq!(invalid["fields"], fields);
    assert_eq!(server.send("GET", "/limited", &[]).status(), 204);
    let limited = "The limit `all` is exceeded.";
    get("GET /limited", &[], (429, "rate_limited", limited), "retry-after");
}

#[test]
fn a_form_that_fails_gives_way_to_the_standard_problem() {
    for (how, failure) in [
        ("unrenderable", "`ErrorForm::render` panicked"),
        (
            "wrong_status",
            "`ErrorForm::status` returns 200 for the problem `wrong_status` (409); return a status from 400 to 499",
        ),
    ] {
        let log = Log::of(|| {
            let response = TestClient::new(api()).get(format!("/fail/{how}")).send();
            response.assert_status(409).assert_header("content-type", "application/problem+json").assert_problem(how);
            assert_eq!(response.json::<Value>()["title"], "A title");
        });
        let lines: Vec<_> = log.lines().filter(|line| line.contains("the standard problem is sent")).collect();
        assert!(lines.len() == 1 && lines[0].contains("ERROR") && lines[0].contains(failure), "{log}");
        assert!(lines[0].contains(how) && lines[0].contains("request_id=") && !log.contains("secret"), "{log}");
    }
    let server = Server::start(api());
    for _ in 0..3 {
        let reply = server.send("GET", "/fail/unrenderable", &[]);
        assert_eq!((reply.status(), reply.json()["code"].as_str()), (409, Some("unrenderable")), "{}", reply.text());
        assert!(!reply.text().contains("secret"), "{}", reply.text());
    }
}

#[test]
fn the_document_has_the_form() {
    let document: Value = serde_json::from_str(&openapi::Document::from_api(&api()).to_json()).unwrap();
    let responses = &document["paths"]["/shops/{shop}/orders"]["post"]["responses"];
    assert_eq!(responses["422"], Value::Null);
    assert_eq!(responses["503"], Value::Null);
    let bad_request = &document["components"]["responses"]["BadRequest"];
    assert_eq!(responses["400"]["$ref"], "#/components/responses/BadRequest");
    let schema = json!({ "$ref": "#/components/schemas/ShopError" });
    assert_eq!(bad_request["content"][ShopErrors::MEDIA_TYPE]["schema"], schema);
    assert!(bad_request["description"].as_str().unwrap().contains("`invalid_request` (Invalid request)"));
    let responses = document["components"]["responses"].as_object().unwrap();
    for response in responses.values() {
        let content = response["content"].as_object().unwrap();
        assert_eq!(content.keys().collect::<Vec<_>>(), [ShopErrors::MEDIA_TYPE]);
        let examples = content[ShopErrors::MEDIA_TYPE]["examples"].as_object().unwrap();
        assert!(examples.iter().all(|(code, example)| example["value"].to_string().contains(code)), "{examples:?}");
    }
    let unavailable = &responses["BadGateway"];
    assert!(unavailable["headers"]["Retry-After"].is_object());
    let schemas: Vec<_> = document["components"]["schemas"].as_object().unwrap().keys().collect();
    assert!(schemas.iter().all(|name| *name != "Problem" && *name != "Violation"), "{schemas:?}");
}

#[test]
fn test_helpers_read_the_form() {
    let client = TestClient::new(api());
    for (path, status, code) in [
        ("/fail/sold_out", 409, "sold_out"),
        ("/fail/internal", 500, "internal_error"),
        ("/fail/unavailable", 502, "unavailable"),
        ("/own", 401, "unauthenticated"),
        ("/nothing", 404, "not_found"),
        ("/readyz", 502, "unavailable"),
    ] {
        client.get(path).send().assert_status(status).assert_problem(code).assert_documented();
    }
    client.delete("/own").send().assert_status(405).assert_problem("method_not_allowed").assert_documented();
    client.head("/own").send().assert_status(401).assert_problem("unauthenticated").assert_documented();
    let invalid = client.post("/shops/0/orders").json(&json!({ "article": "" })).send();
    let expected =
        [("path", "/shop", "minimum"), ("body", "/article", "min_length"), ("body", "/quantity", "required")];
    invalid.assert_status(400).assert_violations(expected).assert_documented();
    assert_eq!(invalid.violations()[0].params["minimum"], 1);
}

#[test]
fn what_the_form_does_not_document_is_told() {
    let complaint = |path: &str, text: &str| {
        let response = TestClient::new(api()).get(path).send();
        let panic = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            response.assert_documented();
        }))
        .unwrap_err();
        let panic = panic.downcast::<String>().unwrap();
        assert!(panic.contains(text), "{panic}");
    };
    complaint(
        "/fail/unrenderable",
        "the media type is `application/problem+json`, not `application/vnd.shop.error+json`",
    );
    // The route declares another problem of this status, and not this one.
    let undeclared = Route::get("/undeclared").id("undeclared").public().problem(catalogue::CONFLICT);
    let kind = ProblemKind::new(StatusCode::CONFLICT, "undeclared", "Undeclared");
    let handler = undeclared.handler(async move |(): ()| -> Result<NoContent> { Err(Problem::new(kind.clone())) });
    let api = builder(configuration().error_form(ShopErrors)).controller(handler).build().unwrap();
    let response = TestClient::new(api).get("/undeclared").send();
    let panic = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        response.assert_documented();
    }))
    .unwrap_err();
    let panic = panic.downcast::<String>().unwrap();
    assert!(panic.contains("the code `undeclared` is not documented for 409 (documented: conflict)"), "{panic}");
}
