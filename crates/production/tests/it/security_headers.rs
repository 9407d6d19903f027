use std::time::Duration;

use restwright::auth::{ApiKey, ApiKeyAuthenticator, KeyList};
use restwright::prelude::*;
use restwright::production::SecurityHeaders;
use serde::Serialize;

use crate::server::Server;

const KEY: &str = "shop.4c8c8f55d9a14bb6b4b6b31ce1c6cbd04c8c8f55d9a14bb6b4b6b31ce1c6cbd0";

/// An endpoint with custom headers.
#[derive(Response)]
#[response(status = 200)]
struct Tagged {
    #[header("ETag")]
    tag: Option<&'static str>,
    #[header("Referrer-Policy")]
    referrer: Option<&'static str>,
    #[body]
    pet: Pet,
}

#[derive(Serialize, Schema)]
struct Pet {
    name: &'static str,
}

fn tagged(tag: Option<&'static str>, referrer: Option<&'static str>) -> Tagged {
    Tagged { tag, referrer, pet: Pet { name: "Bo" } }
}

fn api(headers: SecurityHeaders) -> std::result::Result<Api, BuildErrors> {
    let key = KEY.parse::<ApiKey>().unwrap().subject("shop").scopes(["read"]);
    let keys = ApiKeyAuthenticator::new(KeyList::new([key]));
    let read = |path: &str| Route::get(path).id(path.trim_matches('/')).authorize("key", ["read"]);
    Api::builder(Configuration::new("headers", "1.0.0").authenticator("key", keys))
        .middleware(headers)
        .controller(Route::get("/public").id("public").public().handler(async |()| Ok(tagged(None, None))))
        .controller(Route::get("/own").id("own").public().handler(async |()| Ok(tagged(None, Some("origin")))))
        .controller(read("/secret").handler(async |()| Ok(tagged(None, None))))
        .controller(read("/tagged").handler(async |()| Ok(tagged(Some("\"1\""), None))))
        .controller(Route::get("/optional").id("optional").optional("key").handler(async |()| Ok(tagged(None, None))))
        .build()
}

#[test]
fn responses_have_the_headers_of_the_table() {
    let server = Server::start(api(SecurityHeaders::new()).unwrap());
    let key = format!("X-Api-Key: {KEY}");
    let cases = [
        ("GET", "/public", "", 200, None, "no-referrer"),
        ("HEAD", "/public", "", 200, None, "no-referrer"),
        ("GET", "/own", "", 200, None, "origin"),
        ("GET", "/nothing", "", 404, Some("no-store"), "no-referrer"),
        ("POST", "/public", "", 405, Some("no-store"), "no-referrer"),
        ("OPTIONS", "/public", "", 204, None, "no-referrer"),
        ("GET", "/secret", "", 401, Some("no-store"), "no-referrer"),
        ("GET", "/secret", &key, 200, Some("no-store"), "no-referrer"),
        ("GET", "/tagged", &key, 200, Some("private, no-cache"), "no-referrer"),
        ("HEAD", "/tagged", &key, 200, Some("private, no-cache"), "no-referrer"),
        ("GET", "/optional", "", 200, Some("no-store"), "no-referrer"),
    ];
    for (method, path, header, status, cache, referrer) in cases {
        let headers: &[&str] = if header.is_empty() { &[] } else { &[header] };
        let reply = server.send(method, path, headers);
        let found = [
            reply.header("cache-control"),
            reply.header("referrer-policy"),
            reply.header("x-content-type-options"),
            reply.header("content-security-policy"),
            reply.header("strict-transport-security"),
        ];
        let expected =
            [cache, Some(referrer), Some("nosniff"), Some("default-src 'none'; frame-ancestors 'none'"), None];
        assert_eq!((reply.status(), found.each_ref().map(Option::as_deref)), (status, expected), "{method} {path}");
    }
}

#[test]
fn headers_are_set_and_left_out() {
    let headers = SecurityHeaders::new()
        .hsts(Duration::from_secs(60))
        .set("referrer-policy", "same-origin")
        .set("Cross-Origin-Resource-Policy", "same-origin")
        .without("content-security-policy")
        // The framework adds it, not the middleware.
        .without("Cache-Control");
    let server = Server::start(api(headers).unwrap());
    let reply = server.send("GET", "/secret", &[]);
    let expected = [
        ("strict-transport-security", Some("max-age=60")),
        ("referrer-policy", Some("same-origin")),
        ("cross-origin-resource-policy", Some("same-origin")),
        ("content-security-policy", None),
        ("cache-control", Some("no-store")),
        ("x-content-type-options", Some("nosniff")),
    ];
    for (name, value) in expected {
        assert_eq!(reply.header(name).as_deref(), value, "{name}");
    }
}

#[test]
fn what_is_no_header_does_not_build() {
    let headers = SecurityHeaders::new().set("Referrer Policy", "origin").set("X-Note", "a\nb");
    let errors = api(headers).unwrap_err().to_string();
    assert_eq!(errors.matches("`Referrer Policy` is not a header name").count(), 1, "{errors}");
    assert_eq!(errors.matches("\"a\\nb\" is not a valid value of the header `X-Note`").count(), 1, "{errors}");
}

#[test]
fn a_lifetime_for_other_callers_does_not_build() {
    let set = |value: &str| SecurityHeaders::new().set("Cache-Control", value);
    let errors = api(set("max-age=60")).map(drop).unwrap_err().to_string();
    assert_eq!(errors.matches("`max-age=60` lets shared caches store responses").count(), 3, "{errors}");
    assert!(errors.contains("GET /secret"), "{errors}");
    let server = Server::start(api(set("private, max-age=60")).unwrap());
    let reply = server.send("GET", "/secret", &[&format!("X-Api-Key: {KEY}")]);
    assert_eq!(reply.header("cache-control").as_deref(), Some("private, max-age=60"));
}

#[test]
fn the_document_has_the_headers() {
    let document = restwright::openapi::Document::from_api(&api(SecurityHeaders::new()).unwrap());
    let document = serde_json::to_value(document).unwrap();
    let headers = |path: &str| {
        let own = &document["paths"][path]["get"]["responses"]["200"]["headers"];
        let listed = [own, &document["x-response-headers"]].into_iter().filter_map(|headers| headers.as_object());
        listed.flat_map(|headers| headers.keys().cloned()).collect::<Vec<_>>()
    };
    let common = ["Content-Security-Policy", "Referrer-Policy", "X-Content-Type-Options", "X-Request-Id"];
    assert!(common.iter().all(|name| headers("/public").iter().any(|known| known == name)), "{:?}", headers("/public"));
    assert!(document["components"]["headers"]["Cache-Control"].is_object(), "{document:#}");
}
