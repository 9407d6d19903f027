//! Preflights.

use std::sync::atomic::Ordering;

use restwright::production::Cors;

use super::{ASKED, KEY, OPTIONS_CALLS, SHOP, about_origins, api, preflight, some};
use crate::server::Server;

#[test]
fn preflights_are_responded_to_by_the_routes_of_their_path() {
    let server = Server::start(api(some()).unwrap());
    let pets = "methods: GET, HEAD, OPTIONS | headers: x-request-id | age: 600";
    let pet = "methods: DELETE, OPTIONS, PATCH | headers: Content-Type, If-Match, X-Reason, x-request-id, X-Api-Key, Authorization | age: 600";
    let (shop, sub) = ("https://shop.example.com", "https://a.b.example.org");
    for (path, origin, method, expected) in [
        ("/pets", shop, "GET", pets),
        ("/pets", sub, "GET", pets),
        ("/pets", "http://localhost:3000", "PUT", pets),
        // Without authentication, regardless of what the path requires.
        ("/pets/7", shop, "PATCH", pet),
        ("/pets/7", sub, "DELETE", pet),
        // `QUERY` is not a method that pages send without a preflight.
        ("/queried", shop, "QUERY", "methods: OPTIONS, QUERY | headers: x-request-id | age: 600"),
        ("/own", shop, "GET", "methods: OPTIONS | headers: x-request-id, X-Api-Key | age: 600"),
        // So that the page reads the 404.
        ("/nothing", shop, "GET", "methods: GET, HEAD, POST | age: 600"),
        ("/nothing", shop, "PATCH", "methods: GET, HEAD, POST, PATCH | age: 600"),
        ("/nothing", shop, "P T", "methods: GET, HEAD, POST | age: 600"),
        ("/%ff", shop, "PUT", "methods: GET, HEAD, POST, PUT | age: 600"),
    ] {
        let headers = [&format!("Origin: {origin}"), &*format!("Access-Control-Request-Method: {method}")];
        let (allowed, asked) = expected.split_once(" | age").unwrap();
        // A route with its own `OPTIONS` is not public.
        let credentials = if path == "/own" { ", X-Api-Key, Cookie" } else { "" };
        let expected =
            format!("204 | origin: {origin} | credentials: true | {allowed} | age{asked} | {ASKED}{credentials}");
        assert_eq!(preflight(&server, path, &headers), expected, "{method} {path}");
    }
    assert_eq!(OPTIONS_CALLS.load(Ordering::Relaxed), 0);
    // It is no preflight without a method, and an operation that declares OPTIONS is called.
    let key = format!("X-Api-Key: {KEY}");
    let expected = format!(
        "204 | origin: {shop} | credentials: true | expose: X-Request-Id, WWW-Authenticate, Retry-After | vary: Origin, X-Api-Key, Cookie"
    );
    assert_eq!(preflight(&server, "/own", &[SHOP, &key]), expected);
    assert_eq!(
        preflight(&server, "/own", &[&key, "Access-Control-Request-Method: GET"]),
        "204 | vary: Origin, X-Api-Key, Cookie"
    );
    assert_eq!(OPTIONS_CALLS.load(Ordering::Relaxed), 2);
    // What a page may do is what is there.
    for path in ["/pets", "/pets/7", "/limited"] {
        let allow = server.send("OPTIONS", path, &[]).header("allow");
        let reply = server.send("OPTIONS", path, &[SHOP, "Access-Control-Request-Method: GET"]);
        assert_eq!(reply.header("access-control-allow-methods"), allow, "{path}");
        assert_eq!(reply.header("allow"), allow, "{path}");
    }
}

#[test]
fn a_page_sends_to_nothing_what_it_wants() {
    let server = Server::start(api(some()).unwrap());
    for (requested, expected) in [
        (&["Access-Control-Request-Headers: content-type,x-reason"][..], Some("content-type,x-reason")),
        (&["Access-Control-Request-Headers: x-a, x b"], None),
        (&["Access-Control-Request-Headers: "], None),
        (&["Access-Control-Request-Headers: x-a", "Access-Control-Request-Headers: x-b"], None),
        (&[], None),
    ] {
        let headers = [&[SHOP, "Access-Control-Request-Method: PUT"], requested].concat();
        let reply = server.send("OPTIONS", "/nothing", &headers);
        assert_eq!(reply.header("access-control-allow-headers").as_deref(), expected, "{requested:?}");
    }
}

#[test]
fn null_and_headers_are_named() {
    let cors =
        Cors::new().allow_null_origin().allow_headers(["X-Reason", "x-reason", "X-Api-Key"]).expose_headers(["*"]);
    let server = Server::start(api(cors).unwrap());
    let null = "Origin: null";
    let expected = "200 | origin: null | expose: * | vary: Origin";
    assert_eq!(about_origins(&server.send("GET", "/pets", &[null])), expected);
    let asked = [null, "Access-Control-Request-Method: PATCH", "Access-Control-Request-Headers: x-other"];
    for (path, methods) in [("/pets/7", "DELETE, OPTIONS, PATCH"), ("/nothing", "GET, HEAD, POST, PATCH")] {
        let expected = format!("204 | origin: null | methods: {methods} | headers: X-Reason, X-Api-Key | {ASKED}");
        assert_eq!(preflight(&server, path, &asked), expected);
    }
    let server =
        Server::start(api(Cors::new().allow_null_origin().allow_headers([""; 0]).expose_headers([""; 0])).unwrap());
    assert_eq!(about_origins(&server.send("GET", "/pets", &[null])), "200 | origin: null | vary: Origin");
    let expected = format!("204 | origin: null | methods: DELETE, OPTIONS, PATCH | {ASKED}");
    assert_eq!(preflight(&server, "/pets/7", &asked), expected);
}
