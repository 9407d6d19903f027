//! Responses to pages of allowed origins and of others.

use std::process::Command;

use restwright::production::Cors;

use super::{ASKED, KEY, SHOP, about_origins, api, preflight, some};
use crate::server::Server;

#[test]
fn responses_are_for_pages_of_allowed_origins() {
    let server = Server::start(api(some()).unwrap());
    let shop = "https://shop.example.com";
    let pet = "X-Request-Id, X-Total, Retry-After";
    let change = "X-Request-Id, X-Late, X-Total, WWW-Authenticate, Accept-Patch, Retry-After";
    for (method, path, status, exposed, vary) in [
        ("GET", "/pets", 200, pet, "Origin"),
        ("HEAD", "/pets", 200, pet, "Origin"),
        ("GET", "/nothing", 404, "Allow, X-Request-Id", "Origin"),
        ("PUT", "/pets", 405, "Allow, X-Request-Id", "Origin"),
        ("GET", "/%ff", 400, "Allow, X-Request-Id", "Origin"),
        ("OPTIONS", "/pets", 204, "Allow, X-Request-Id", "Origin"),
        ("PATCH", "/pets/7", 401, change, "Origin, X-Api-Key, Authorization, Cookie"),
        ("GET", "/limited", 200, "", "Origin"),
        ("GET", "/limited", 429, "", "Origin"),
        ("GET", "/panic", 500, pet, "Origin"),
        ("GET", "/varies", 200, pet, "Accept-Language, Origin"),
        ("GET", "/varies-already", 200, pet, "Accept, origin"),
        ("GET", "/varies-on-all", 200, pet, "*"),
        ("GET", "/varies-by-request", 200, pet, "Accept, Origin"),
    ] {
        let limits = "X-Request-Id, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, X-Total, Retry-After";
        let exposed = if exposed.is_empty() { limits } else { exposed };
        let expected = format!("{status} | origin: {shop} | credentials: true | expose: {exposed} | vary: {vary}");
        assert_eq!(about_origins(&server.send(method, path, &[SHOP])), expected, "{method} {path}");
    }
    // A request that is none of a page's has the same response in a cache.
    assert_eq!(about_origins(&server.send("GET", "/pets", &[])), "200 | vary: Origin");
    let key = format!("X-Api-Key: {KEY}");
    let request = format!(
        "PATCH /pets/7 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n{SHOP}\r\n{key}\r\nContent-Type: application/json\r\nContent-Length: 13\r\n\r\n{{\"name\":\"Bo\"}}"
    );
    let expected = format!(
        "200 | origin: {shop} | credentials: true | expose: {change} | vary: Origin, X-Api-Key, Authorization, Cookie"
    );
    assert_eq!(about_origins(&server.exchange(request.as_bytes())), expected);
}

#[test]
fn other_origins_have_the_same_response_without_permission() {
    let server = Server::start(api(some()).unwrap());
    for origin in [
        "Origin: https://other.example.com",
        "Origin: http://shop.example.com",
        "Origin: https://shop.example.com:8443",
        "Origin: https://shop.example.com.evil.com",
        "Origin: https://SHOP.example.com",
        "Origin: https://example.org",
        "Origin: https://evilexample.org",
        "Origin: null",
        "Origin: ",
        "Origin: https://shop.example.com\r\nOrigin: https://shop.example.com",
        "Origin: https://shop.example.com\r\nOrigin: https://evil.com",
    ] {
        assert_eq!(about_origins(&server.send("GET", "/pets", &[origin])), "200 | vary: Origin", "{origin}");
        let reply = server.send("OPTIONS", "/pets", &[origin, "Access-Control-Request-Method: GET"]);
        assert_eq!(about_origins(&reply), format!("204 | {ASKED}"), "{origin}");
        assert_eq!(reply.header("allow").as_deref(), Some("GET, HEAD, OPTIONS"), "{origin}");
    }
    let reply =
        server.exchange(b"GET /pets HTTP/1.1\r\nHost: x\r\nConnection: close\r\nOrigin: https://shop.ex\xff\r\n\r\n");
    assert_eq!(about_origins(&reply), "200 | vary: Origin");
}

#[test]
fn any_origin_is_a_star() {
    let server = Server::start(api(Cors::new().allow_any_origin()).unwrap());
    let exposed = "expose: X-Request-Id, X-Total, Retry-After";
    for origin in [&["Origin: https://any.example.com"][..], &["Origin: null"], &[]] {
        let expected = format!("200 | origin: * | {exposed}");
        assert_eq!(about_origins(&server.send("GET", "/pets", origin)), expected, "{origin:?}");
    }
    let asked = ["Origin: https://any.example.com", "Access-Control-Request-Method: GET"];
    let expected = format!("204 | origin: * | methods: GET, HEAD, OPTIONS | headers: x-request-id | {ASKED}");
    assert_eq!(preflight(&server, "/pets", &asked), expected);
}

#[test]
fn curl_sees_what_browsers_see() {
    let server = Server::start(api(some()).unwrap());
    let curl = |arguments: &[&str], path: &str| {
        let url = format!("http://{}{path}", server.address());
        let output = Command::new("curl").args(["-sS", "-i", "-H", SHOP]).args(arguments).arg(url).output();
        match output {
            Ok(output) => Some(String::from_utf8(output.stdout).unwrap().to_ascii_lowercase()),
            Err(error) => {
                restwright_tests::skip(format_args!("curl: {error}"));
                None
            }
        }
    };
    let asked = ["-X", "OPTIONS", "-H", "Access-Control-Request-Method: PATCH"];
    let Some(reply) = curl(&asked, "/pets/7") else { return };
    assert!(reply.starts_with("http/1.1 204 "), "{reply}");
    assert!(reply.contains("\r\naccess-control-allow-methods: delete, options, patch\r\n"), "{reply}");
    let key = format!("X-Api-Key: {KEY}");
    let change = ["-X", "PATCH", "-H", &key, "-H", "Content-Type: application/json", "-d", "{\"name\": \"Mia\"}"];
    let reply = curl(&change, "/pets/7").unwrap();
    assert!(reply.starts_with("http/1.1 200 ") && reply.ends_with("{\"name\":\"mia\"}"), "{reply}");
    assert!(reply.contains("\r\naccess-control-allow-origin: https://shop.example.com\r\n"), "{reply}");
}
