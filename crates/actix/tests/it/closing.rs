//! The end of connections (RFC 9112, sections 9.3 and 9.6).

use std::io::Read;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use crate::api::READ_LATE;
use crate::client::{NEVER, PATIENCE};
use crate::random::Random;
use crate::server::Server;

#[test]
fn version_and_connection_decide_whether_a_connection_is_kept() {
    let server = Server::start();
    for (version, connection, field, is_kept) in [
        ("1.1", "", None, true),
        ("1.1", "Connection: keep-alive\r\n", None, true),
        ("1.1", "Connection: close\r\n", Some("close"), false),
        ("1.1", "Connection: Keep-Alive, CLOSE\r\n", Some("close"), false),
        ("1.1", "Connection: x\r\n", None, true),
        ("1.1", "Connection: upgrade\r\nUpgrade: h2c\r\n", Some("close"), false),
        ("1.0", "", None, false),
        ("1.0", "Connection: close\r\n", None, false),
        ("1.0", "Connection: keep-alive\r\n", Some("keep-alive"), true),
    ] {
        for path in ["/health", "/nowhere"] {
            let mut client = server.connect();
            let request = format!("GET {path} HTTP/{version}\r\nHost: t\r\n{connection}\r\n");
            let response = client.send(&request).response();
            assert_eq!(response.version, format!("HTTP/{version}"), "{request}");
            assert_eq!(response.header("connection"), field, "{request}");
            if is_kept {
                assert!(client.send(&request).try_response().is_some(), "{request}");
            } else {
                assert_eq!(client.rest(), "", "{request}");
            }
        }
    }
}

#[test]
fn a_client_that_closes_its_side_gets_all_its_responses() {
    let server = Server::start();
    let mut client = server.connect();
    client.send(
        "GET /slow HTTP/1.1\r\nHost: t\r\n\r\nPOST /echo HTTP/1.1\r\nHost: t\r\nContent-Length: 3\r\n\r\nabc\
         GET /stream HTTP/1.1\r\nHost: t\r\n\r\nGET /hea",
    );
    client.finish();
    for text in [r#"{"status":"slow"}"#, "abc", "012"] {
        assert_eq!(client.response().text(), text);
    }
    assert_eq!(client.rest(), "");
}

/// Sends more than the server reads at once; what comes back must end without a reset.
fn send_and_read(server: &Server, head: &str) -> String {
    let mut client = server.connect();
    client.send(head);
    client.try_send("x".repeat(300_000));
    std::thread::sleep(Duration::from_millis(50));
    let mut received = String::new();
    // The server reads until the client has closed its side, which it does when it has the response.
    client.finish();
    client.stream().read_to_string(&mut received).unwrap_or_else(|error| panic!("{head:?}: {error}"));
    received
}

#[test]
fn a_response_reaches_a_client_that_is_still_sending() {
    let server = Server::start();
    for (path, status) in [("/guarded", 401), ("/nowhere", 404), ("/echo", 413)] {
        let head = format!("POST {path} HTTP/1.1\r\nHost: t\r\nContent-Length: 10000000\r\n\r\n");
        let received = send_and_read(&server, &head);
        assert!(received.starts_with(&format!("HTTP/1.1 {status} ")), "{path}: {received}");
        assert!(received.contains("\r\nconnection: close\r\n") && received.ends_with('}'), "{path}: {received}");
    }
}

#[test]
fn a_refused_head_gets_its_response_while_the_client_sends() {
    let server = Server::start();
    for (head, status) in [("nonsense\r\n\r\n", 400), ("GET / HTTP/1.1\r\nHost: t\r\nX: ", 431)] {
        let received = send_and_read(&server, head);
        assert!(received.starts_with(&format!("HTTP/1.1 {status} ")), "{head:?}: {received}");
        assert!(received.contains("\r\nconnection: close\r\n") && received.ends_with('}'), "{received}");
    }
}

#[test]
fn a_client_that_sends_only_after_the_response_is_not_reset() {
    let server = Server::start();
    let mut client = server.connect();
    client.send("POST /echo HTTP/1.1\r\nHost: t\r\nContent-Length: 10000000\r\n\r\n");
    assert_eq!((client.response().status, client.rest()), (413, String::new()));
    for _ in 0..3 {
        std::thread::sleep(Duration::from_millis(50));
        assert!(client.try_send("x".repeat(1_000)), "the connection is reset");
    }
}

#[test]
fn a_client_that_sends_on_is_not_read_for_long() {
    let server = Server::start();
    let mut client = server.connect();
    client.send("nonsense\r\n\r\n");
    let begin = Instant::now();
    while client.try_send("x".repeat(1_000)) {
        assert!(begin.elapsed() < PATIENCE, "it is read on");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn a_body_that_is_kept_beyond_its_response_reads_nothing_of_the_next_request() {
    let server = Server::with(|host| host.grace(NEVER).body_timeout(NEVER).minimum_body_rate(0));
    let mut client = server.connect();
    client.send("POST /keep HTTP/1.1\r\nHost: t\r\nContent-Length: 5\r\n\r\nab");
    let response = client.response();
    assert_eq!((response.text(), response.header("connection")), (r#"{"status":"kept"}"#, Some("close")));
    client.try_send("cdeGET /health HTTP/1.1\r\nHost: t\r\n\r\n");
    assert_eq!(client.rest(), "", "what follows an unread body is no request");
    let mut other = server.connect();
    // It must not say `100 Continue` behind its response either.
    other.send("POST /keep HTTP/1.1\r\nHost: t\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n");
    assert_eq!((other.response().status, other.rest()), (200, String::new()));
    std::thread::sleep(Duration::from_millis(200));
    assert_eq!(READ_LATE.load(Ordering::Relaxed), 0, "it was read behind its response");
    let begin = Instant::now();
    // The clients have not closed their side.
    server.stop();
    assert!(begin.elapsed() < PATIENCE, "the bodies keep their connections open");
    drop((client, other));
}

/// The endpoints read their bodies whole, in part, late or not at all.
#[test]
fn a_connection_that_is_announced_as_kept_serves_the_next_request() {
    let server = Server::start();
    let mut random = Random::new(0x5eed);
    let mut client = server.connect();
    let (mut kept, mut closed) = (0, 0);
    for _ in 0..400 {
        let path = random.choose(&["/inspect", "/relay", "/keep", "/count", "/echo", "/pets", "/nowhere", "/health"]);
        let length = [0, 1, 100, 20_000, 90_000][random.below(5)];
        let body = "x".repeat(length);
        let request = if random.below(2) == 0 {
            format!("POST {path} HTTP/1.1\r\nHost: t\r\nContent-Length: {length}\r\n\r\n{body}")
        } else {
            let chunk = if length == 0 { String::new() } else { format!("{length:x}\r\n{body}\r\n") };
            format!("POST {path} HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n{chunk}0\r\n\r\n")
        };
        let shown = format!("{path} with {length} bytes");
        // In pieces, so that a part of the body comes after the response has begun.
        let (first, rest) = request.split_at(request.len().min(100 + random.below(request.len())));
        client.try_send(first);
        std::thread::sleep(Duration::from_millis([0, 2][random.below(2)]));
        client.try_send(rest);
        let response = client.try_response().unwrap_or_else(|| panic!("{shown} was lost on a kept connection"));
        if response.header("connection") == Some("close") {
            closed += 1;
            client = server.connect();
        } else {
            kept += 1;
        }
    }
    assert!(kept > 100 && closed > 20, "{kept} kept, {closed} closed");
}
