//! Bodies of responses that come over time.

use std::io::Read;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use crate::api::{ABANDONED, LARGE_PIECE, LARGE_PIECES, LARGE_PRODUCED};
use crate::client::PATIENCE;
use crate::server::Server;

#[test]
fn a_body_is_not_produced_faster_than_it_is_read() {
    let server = Server::start();
    let mut client = server.connect();
    client.send("GET /large HTTP/1.1\r\nHost: t\r\nConnection: close\r\n\r\n");
    std::thread::sleep(Duration::from_millis(500));
    let produced = LARGE_PRODUCED.load(Ordering::Relaxed);
    assert!((1..LARGE_PIECES / 2).contains(&produced), "{produced} pieces wait in memory");
    let mut received = 0;
    let mut buffer = vec![0; 100_000];
    loop {
        match client.stream().read(&mut buffer).unwrap() {
            0 => break,
            count => received += count,
        }
    }
    let data = LARGE_PIECES * LARGE_PIECE;
    // `10000`, and the ends of the two lines.
    let framing = LARGE_PIECES * 9 + "0\r\n\r\n".len();
    assert!(received > data + framing && received < data + framing + 1_000, "{received} bytes");
    assert_eq!(LARGE_PRODUCED.load(Ordering::Relaxed), LARGE_PIECES);
}

#[test]
fn a_body_that_breaks_off_has_no_end() {
    let server = Server::start();
    for (path, version, pieces) in [
        ("/broken", "1.1", "\r\n\r\n1\r\n0\r\n1\r\n1\r\n1\r\n2\r\n"),
        ("/broken", "1.0", "\r\n\r\n012"),
        ("/panics", "1.1", "\r\n\r\n"),
    ] {
        let received = server.connect().send(format!("GET {path} HTTP/{version}\r\nHost: t\r\n\r\n")).rest();
        assert!(received.ends_with(pieces), "{path} {version}: {received}");
    }
    // Neither costs the worker.
    assert_eq!(server.send("GET /health HTTP/1.1\r\nHost: t\r\n\r\n").status, 200);
}

#[test]
fn a_request_without_its_stream_keeps_the_connection() {
    let server = Server::start();
    let mut client = server.connect();
    for _ in 0..2 {
        let head = client.send("HEAD /stream HTTP/1.1\r\nHost: t\r\n\r\n").head_response();
        assert_eq!((head.status, head.header("content-length"), head.header("connection")), (200, None, None));
    }
    assert_eq!(client.send("GET /stream HTTP/1.1\r\nHost: t\r\n\r\n").response().text(), "012");
    client.send("DELETE /pets/1 HTTP/1.1\r\nHost: t\r\n\r\nGET /health HTTP/1.1\r\nHost: t\r\n\r\n");
    assert_eq!([client.response().status, client.response().status], [204, 200]);
}

#[test]
fn a_request_is_given_up_when_its_client_resets_the_connection() {
    let server = Server::start();
    let mut client = server.connect();
    client.send("GET /health HTTP/1.1\r\nHost: t\r\n\r\nGET /abandoned HTTP/1.1\r\nHost: t\r\n\r\n");
    std::thread::sleep(Duration::from_millis(100));
    assert_eq!(ABANDONED.load(Ordering::Relaxed), 0);
    // With a response unread, which resets it.
    drop(client);
    let begin = Instant::now();
    while ABANDONED.load(Ordering::Relaxed) == 0 {
        assert!(begin.elapsed() < PATIENCE, "it is handled for nobody");
        std::thread::sleep(Duration::from_millis(10));
    }
}
