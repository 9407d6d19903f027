//! How bodies are framed, in both directions.

use std::time::{Duration, Instant};

use crate::api::BODY_LIMIT;
use crate::client::PATIENCE;
use crate::server::Server;

const CHUNKED: &str = "POST /echo HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n";

fn sized(path: &str, length: usize) -> String {
    format!("POST {path} HTTP/1.1\r\nHost: t\r\nContent-Length: {length}\r\n\r\n")
}

#[test]
fn bodies_that_are_complete() {
    let server = Server::start();
    let mut client = server.connect();
    for (request, expected) in [
        (sized("/echo", 3) + "abc", "abc"),
        (sized("/echo", 0), ""),
        ("POST /echo HTTP/1.1\r\nHost: t\r\n\r\n".to_owned(), ""),
        (CHUNKED.to_owned() + "3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n", "abcde"),
        (CHUNKED.to_owned() + "0\r\n\r\n", ""),
        (sized("/count", 3) + "abc", r#"{"status":"3"}"#),
        (sized("/relay", 3) + "abc", "abc"),
    ] {
        let response = client.send(&request).response();
        assert_eq!((response.status, response.text()), (200, expected), "{request}");
    }
}

#[test]
fn a_body_in_many_pieces() {
    let server = Server::start();
    let mut client = server.connect();
    client.send(sized("/echo", 5));
    for piece in ["a", "bc", "de"] {
        std::thread::sleep(Duration::from_millis(20));
        client.send(piece);
    }
    assert_eq!(client.response().text(), "abcde");
    let large = vec![b'x'; BODY_LIMIT];
    assert_eq!(client.send(sized("/echo", large.len())).send(&large).response().body, large);
}

#[test]
fn a_body_is_relayed_while_it_comes() {
    let server = Server::start();
    let mut client = server.connect();
    client.send("POST /relay HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n");
    client.send("3\r\nabc\r\n");
    std::thread::sleep(Duration::from_millis(50));
    client.send("2\r\nde\r\n0\r\n\r\n");
    assert_eq!(client.response().text(), "abcde");
}

#[test]
fn a_body_that_is_cut_off_is_no_data() {
    let server = Server::start();
    for path in ["/echo", "/count"] {
        let mut client = server.connect();
        client.send(sized(path, 10)).send("abc").finish();
        client.response().assert_problem(400, "incomplete_body");
        assert_eq!(client.rest(), "", "nothing follows the response");
    }
    let mut client = server.connect();
    client.send(CHUNKED).send("3\r\nabc\r\n").finish();
    client.response().assert_problem(400, "incomplete_body");
}

#[test]
fn a_bad_chunk_is_no_data_and_ends_the_connection() {
    let server = Server::start();
    for chunks in ["x\r\nabc\r\n0\r\n\r\n", "3\r\nabcd\r\n0\r\n\r\n", "3\r\nabc\r\n-1\r\n\r\n", "fffffffffffffffff\r\n"]
    {
        let mut client = server.connect();
        let response = client.send(CHUNKED).send(chunks).response();
        response.assert_problem(400, "incomplete_body");
        assert_eq!(response.header("connection"), Some("close"), "{chunks:?}");
        assert_eq!(client.rest(), "", "nothing follows the response to {chunks:?}");
    }
}

#[test]
fn a_body_that_is_too_large_is_not_read_on() {
    let server = Server::start();
    let mut client = server.connect();
    let announced = client.send(sized("/echo", BODY_LIMIT + 1)).response();
    assert_eq!(announced.assert_problem(413, "body_too_large").header("connection"), Some("close"));

    let mut client = server.connect();
    client.send(CHUNKED);
    let chunk = format!("4000\r\n{}\r\n", "x".repeat(0x4000));
    let begin = Instant::now();
    while client.try_send(&chunk) {
        assert!(begin.elapsed() < PATIENCE, "an endless body is taken");
    }
}

#[test]
fn an_endless_chunked_body_gets_a_response() {
    let server = Server::start();
    let mut client = server.connect();
    client.send(CHUNKED);
    for _ in 0..=(BODY_LIMIT / 0x4000) {
        client.send(format!("4000\r\n{}\r\n", "x".repeat(0x4000)));
    }
    let response = client.response();
    assert_eq!(response.assert_problem(413, "body_too_large").header("connection"), Some("close"));
}

#[test]
fn a_small_body_that_nobody_reads_does_not_cost_the_connection() {
    let server = Server::start();
    let mut client = server.connect();
    for (path, status) in [("/guarded", 401), ("/nowhere", 404), ("/health", 405)] {
        assert_eq!(client.send(sized(path, 3)).send("abc").response().status, status);
        let chunked =
            format!("POST {path} HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n");
        assert_eq!(client.send(chunked).response().status, status);
    }
}

#[test]
fn a_large_body_that_nobody_reads_costs_the_connection() {
    let server = Server::start();
    let response = server.connect().send(sized("/guarded", 70_000)).response();
    assert_eq!((response.status, response.header("connection")), (401, Some("close")));
    let mut client = server.connect();
    let response = client.send("POST /guarded HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n").response();
    assert_eq!((response.status, response.header("connection")), (401, Some("close")));
}

#[test]
fn an_upgrade_nobody_wants_is_an_ordinary_request() {
    let server = Server::start();
    let upgrade = "Host: t\r\nConnection: upgrade\r\nUpgrade: websocket\r\n";
    assert_eq!(server.send(format!("GET /health HTTP/1.1\r\n{upgrade}\r\n")).status, 200);
    let response = server.send(format!("POST /echo HTTP/1.1\r\n{upgrade}Content-Length: 3\r\n\r\nabc"));
    assert_eq!((response.status, response.text()), (200, "abc"));
    assert_eq!(server.send("CONNECT t:80 HTTP/1.1\r\nHost: t:80\r\n\r\n").status, 404);
    for fields in ["", "Content-Length: 3\r\n", "Transfer-Encoding: chunked\r\n"] {
        let connect = format!("CONNECT t:80 HTTP/1.1\r\nHost: t:80\r\n{fields}\r\n3\r\nabc\r\n0\r\n\r\n");
        assert_eq!(server.send(connect).header("connection"), Some("close"), "{fields}");
    }
}

#[test]
fn responses_that_come_over_time() {
    let server = Server::start();
    let mut client = server.connect();
    let response = client.send("GET /stream HTTP/1.1\r\nHost: t\r\n\r\n").response();
    assert_eq!((response.text(), response.header("transfer-encoding")), ("012", Some("chunked")));
    assert_eq!(client.send("GET /health HTTP/1.1\r\nHost: t\r\n\r\n").response().status, 200);

    let broken = server.connect().send("GET /broken HTTP/1.1\r\nHost: t\r\n\r\n").rest();
    assert!(broken.contains("\r\n1\r\n2\r\n") && !broken.contains("\r\n0\r\n\r\n"), "{broken}");

    let plain = server.connect().send("GET /stream HTTP/1.0\r\n\r\n").rest();
    assert!(plain.ends_with("\r\n\r\n012") && !plain.contains("chunked"), "{plain}");
}

#[test]
fn a_client_that_expects_100_continue() {
    let server = Server::start();
    let ask = |path: &str, length: usize| {
        format!("POST {path} HTTP/1.1\r\nHost: t\r\nExpect: 100-continue\r\nContent-Length: {length}\r\n\r\n")
    };
    let mut client = server.connect();
    for path in ["/echo", "/count"] {
        assert_eq!(client.send(ask(path, 3)).response().status, 100, "{path}");
        assert_eq!(client.send("abc").response().status, 200, "{path}");
    }
    let mut relayed = server.connect();
    assert_eq!(relayed.send(ask("/relay", 3)).response().status, 100);
    assert_eq!(relayed.send("abc").response().text(), "abc");
    for (path, length, status) in
        [("/guarded", 3, 401), ("/nowhere", 3, 404), ("/pets", 3, 415), ("/echo", BODY_LIMIT + 1, 413)]
    {
        let mut client = server.connect();
        let response = client.send(ask(path, length)).response();
        assert_eq!((response.status, response.header("connection")), (status, Some("close")), "{path}");
    }
    assert_eq!(client.send(ask("/echo", 0)).response().status, 200);
    client.send(ask("/echo", 5)).response();
    client.send("abc").finish();
    client.response().assert_problem(400, "incomplete_body");
}
