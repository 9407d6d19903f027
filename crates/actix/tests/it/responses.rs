//! Tests of every status of an Api.

use std::time::Duration;

use bytes::Bytes;
use restwright_actix::Host;
use restwright_runtime::core::Input;
use restwright_runtime::core::body::RawBody;
use serde_json::json;

use crate::api::{BODY_MEMORY, Only, builder, get as route, on};
use crate::client::Client;
use crate::server::Server;

fn get(path: &str, headers: &str) -> String {
    format!("GET {path} HTTP/1.1\r\nHost: t\r\n{headers}\r\n")
}

fn post(path: &str, headers: &str, body: &str) -> String {
    format!("POST {path} HTTP/1.1\r\nHost: t\r\n{headers}Content-Length: {}\r\n\r\n{body}", body.len())
}

const JSON: &str = "Content-Type: application/json\r\n";

#[test]
fn success() {
    let server = Server::start();
    let health = server.send(get("/health", ""));
    assert_eq!((health.status, health.text()), (200, r#"{"status":"ok"}"#));
    assert_eq!(health.header("content-type"), Some("application/json"));
    assert_eq!(health.header("content-length"), Some("15"));
    assert!(health.header("date").is_some() && health.header("x-request-id").is_some());

    let created = server.send(post("/pets", JSON, r#"{"name": "Rex"}"#));
    assert_eq!((created.status, created.header("location")), (201, Some("/pets/1")));
    assert_eq!(created.json(), json!({"name": "Rex"}));

    let removed = server.send("DELETE /pets/1 HTTP/1.1\r\nHost: t\r\n\r\n");
    assert_eq!((removed.status, removed.header("content-length"), removed.header("content-type")), (204, None, None));
}

#[test]
fn problems() {
    let server = Server::start();
    let large = "x".repeat(crate::api::BODY_LIMIT + 1);
    for (request, status, code) in [
        (post("/pets", JSON, "{\n \"name\": }"), 400, "malformed_body"),
        (get("/pets/1?limit=%FF", ""), 400, "malformed_request"),
        (get("/files/%FF", ""), 400, "malformed_request"),
        (get("/private", ""), 401, "unauthenticated"),
        (get("/private", "Authorization: wrong\r\n"), 401, "unauthenticated"),
        (get("/private", "Authorization: none\r\n"), 403, "forbidden"),
        (get("/private", "Authorization: down\r\n"), 503, "unavailable"),
        (get("/nowhere", ""), 404, "not_found"),
        (get("/health/", ""), 404, "not_found"),
        ("GET * HTTP/1.1\r\nHost: t\r\n\r\n".to_owned(), 404, "not_found"),
        (post("/health", "", ""), 405, "method_not_allowed"),
        (get("/health", "Accept: text/html\r\n"), 406, "not_acceptable"),
        (post("/echo", "", &large), 413, "body_too_large"),
        (post("/pets", "", "{}"), 415, "unsupported_media_type"),
        (post("/pets", "Content-Type: text/plain\r\n", "{}"), 415, "unsupported_media_type"),
        (post("/pets", JSON, "{}"), 422, "invalid_request"),
        (get("/panic", ""), 500, "internal_error"),
        (get("/hang", ""), 503, "deadline_exceeded"),
    ] {
        server.send(request).assert_problem(status, code);
    }
    assert_eq!(server.send(get("/private", "Authorization: read\r\n")).status, 200);
}

#[test]
fn details_of_problems() {
    let server = Server::start();
    let malformed = server.send(post("/pets", JSON, "{\n \"name\": }"));
    assert_eq!((malformed.json()["line"].as_u64(), malformed.json()["column"].as_u64()), (Some(2), Some(10)));
    assert_eq!(server.send(post("/health", "", "")).header("allow"), Some("GET, HEAD, OPTIONS"));
    assert_eq!(
        server.send(get("/private", "")).header("www-authenticate"),
        Some("Bearer realm=\"test\", scope=\"read\"")
    );
    assert_eq!(server.send(get("/private", "Authorization: down\r\n")).header("retry-after"), Some("7"));
    assert!(server.send(get("/hang", "")).header("retry-after").is_some());
    assert!(!server.send(get("/panic", "")).text().contains("internals"));
}

#[test]
fn violations_of_all_parts_come_together() {
    let server = Server::start();
    let body = server.send(post("/pets", JSON, r#"{"name": "", "age": -1}"#));
    assert_eq!(places(&body), ["body /age", "body /name"]);
    let parameters = server.send(get("/pets/0?limit=10", "X-Depth: x\r\n"));
    assert_eq!(places(&parameters), ["header /X-Depth", "path /id", "query /limit"]);
}

fn places(response: &crate::client::RawResponse) -> Vec<String> {
    response.assert_problem(422, "invalid_request");
    let problem = response.json();
    let errors = problem["errors"].as_array().unwrap().iter();
    let mut places: Vec<_> = errors
        .map(|error| format!("{} {}", error["in"].as_str().unwrap(), error["pointer"].as_str().unwrap()))
        .collect();
    places.sort();
    places
}

#[test]
fn request_ids() {
    let server = Server::start();
    let own = |id: &str| {
        server.send(get("/health", &format!("X-Request-Id: {id}\r\n"))).header("x-request-id").unwrap().to_owned()
    };
    assert_eq!(own("3f-A_9.x:1"), "3f-A_9.x:1");
    for malformed in ["a b", "", "\u{e4}", &"x".repeat(129)] {
        let made = own(malformed);
        assert!(made.len() == 16 && made.bytes().all(|digit| digit.is_ascii_hexdigit()), "{malformed}: {made}");
    }
}

#[test]
fn head_and_options() {
    let server = Server::start();
    let mut client = server.connect();
    let head = client.send("HEAD /health HTTP/1.1\r\nHost: t\r\n\r\n").head_response();
    assert_eq!((head.status, head.header("content-length")), (200, Some("15")));
    let head = client.send("HEAD /stream HTTP/1.1\r\nHost: t\r\n\r\n").head_response();
    assert_eq!((head.status, head.header("content-length")), (200, None));
    let options = client.send("OPTIONS /pets/1 HTTP/1.1\r\nHost: t\r\n\r\n").response();
    assert_eq!((options.status, options.header("allow")), (204, Some("DELETE, GET, HEAD, OPTIONS")));
    let server_options = client.send("OPTIONS * HTTP/1.1\r\nHost: t\r\n\r\n").response();
    assert_eq!((server_options.status, server_options.header("allow")), (204, None));
    assert_eq!(client.send(get("/health", "")).response().text(), r#"{"status":"ok"}"#);
}

#[test]
fn a_panic_costs_one_response_and_not_the_worker() {
    let server = Server::start();
    let mut client = server.connect();
    client.send(get("/panic", "")).response().assert_problem(500, "internal_error");
    assert_eq!(client.send(get("/health", "")).response().status, 200);
}

#[test]
fn more_requests_at_once_than_the_worker_takes() {
    let server = Server::start();
    let mut clients: Vec<_> = (0..5).map(|_| server.connect()).collect();
    for client in clients.iter_mut().take(4) {
        client.send(get("/slow", ""));
    }
    std::thread::sleep(std::time::Duration::from_millis(100));
    let refused = clients[4].send(get("/health", "")).response();
    assert!(refused.assert_problem(503, "overloaded").header("retry-after").is_some());
    for client in clients.iter_mut().take(4) {
        assert_eq!(client.response().status, 200);
    }
    assert_eq!(clients[4].send(get("/health", "")).response().status, 200);
}

#[test]
fn shared_bytes_of_a_response_count_as_no_memory_of_its_clients() {
    // More than the buffers of a socket hold.
    const LENGTH: usize = 80 * BODY_MEMORY;
    let shared = Bytes::from(vec![b'x'; LENGTH]);
    let page = async move |_: Input| Ok(Only(RawBody(shared.clone())));
    let api = builder().controller(on("shared", route("/shared"), page)).build().unwrap();
    let bound = Host::new(api).workers(1).bind("127.0.0.1:0").unwrap();
    let address = bound.addresses()[0];
    let (stop, thread) = crate::server::serve(bound);
    let mut clients = [(); 2].map(|()| Client::connect(address));
    for client in &mut clients {
        client.send(get("/shared", ""));
    }
    // Until the server waits for both.
    std::thread::sleep(Duration::from_millis(300));
    for client in &mut clients {
        assert_eq!(client.response().body.len(), LENGTH);
    }
    stop.stop();
    thread.join().unwrap().unwrap();
}
