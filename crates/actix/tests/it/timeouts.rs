//! Clients that let the server wait.

use std::io::Read;
use std::time::{Duration, Instant};

use crate::client::PATIENCE;
use crate::server::Server;

fn impatient() -> Server {
    Server::with(|host| {
        host.head_timeout(Duration::from_millis(400)).body_timeout(Duration::from_millis(400)).minimum_body_rate(1_000)
    })
}

#[test]
fn a_first_head_that_does_not_come_is_a_408() {
    let server = impatient();
    let mut client = server.connect();
    client.send("GET /health HT").response().assert_problem(408, "head_timeout");
    assert_eq!(client.rest(), "");
}

#[test]
fn a_later_head_that_does_not_come_ends_the_connection() {
    let server = impatient();
    let mut client = server.connect();
    client.send("GET /health HTTP/1.1\r\nHost: t\r\n\r\n").response();
    client.send("GET /hea");
    assert_eq!(client.rest(), "");
}

#[test]
fn an_idle_connection_is_not_late() {
    let server = impatient();
    let mut client = server.connect();
    client.send("GET /health HTTP/1.1\r\nHost: t\r\n\r\n").response();
    std::thread::sleep(Duration::from_millis(900));
    assert_eq!(client.send("GET /health HTTP/1.1\r\nHost: t\r\n\r\n").response().status, 200);
}

#[test]
fn a_body_that_pauses_is_a_408() {
    let server = impatient();
    for path in ["/echo", "/count"] {
        let mut client = server.connect();
        let response =
            client.send(format!("POST {path} HTTP/1.1\r\nHost: t\r\nContent-Length: 9\r\n\r\nabc")).response();
        assert_eq!(response.assert_problem(408, "body_timeout").header("connection"), Some("close"));
        assert_eq!(client.rest(), "");
    }
}

#[test]
fn a_body_that_trickles_is_a_408() {
    let server = impatient();
    let mut client = server.connect();
    client.send("POST /echo HTTP/1.1\r\nHost: t\r\nContent-Length: 100000\r\n\r\n");
    // A body that pauses is a 408 as well, so there is no pause before the response.
    client.stream().set_read_timeout(Some(Duration::from_millis(50))).unwrap();
    let begin = Instant::now();
    while client.stream().peek(&mut [0]).is_err() {
        assert!(begin.elapsed() < PATIENCE, "a slow body has no end");
        client.try_send("x");
    }
    client.stream().set_read_timeout(Some(PATIENCE)).unwrap();
    client.response().assert_problem(408, "body_timeout");
}

#[test]
fn a_body_that_keeps_the_rate_is_read() {
    let server = impatient();
    let mut client = server.connect();
    client.send("POST /count HTTP/1.1\r\nHost: t\r\nContent-Length: 6000\r\n\r\n");
    for _ in 0..12 {
        client.send("x".repeat(500));
        std::thread::sleep(Duration::from_millis(100));
    }
    assert_eq!(client.response().text(), r#"{"status":"6000"}"#);
}

#[test]
fn a_response_that_is_not_read_closes_the_connection() {
    let server = impatient();
    let mut client = server.connect();
    client.send("GET /endless HTTP/1.1\r\nHost: t\r\n\r\n");
    let mut stream = client.stream();
    let mut buffer = vec![0; 1 << 20];
    // On a busy machine the server may fill the buffers late, so that a pause is not one yet.
    for _ in 0..20 {
        std::thread::sleep(Duration::from_millis(1_500));
        for _ in 0..16 {
            if !stream.read(&mut buffer).is_ok_and(|count| count > 0) {
                return;
            }
        }
    }
    panic!("the connection is open after 20 pauses");
}

/// Reads a piece of a response ten times a second until the connection closes; returns whether it did within so many pieces.
fn closes(server: &Server, path: &str, pieces: usize) -> bool {
    let mut client = server.connect();
    client.send(format!("GET {path} HTTP/1.1\r\nHost: t\r\n\r\n"));
    let mut stream = client.stream();
    stream.set_read_timeout(Some(Duration::from_millis(100))).unwrap();
    let mut buffer = vec![0; 256 * 1024];
    (0..pieces).any(|_| {
        std::thread::sleep(Duration::from_millis(100));
        match stream.read(&mut buffer) {
            Ok(count) => count == 0,
            Err(error) => error.kind() == std::io::ErrorKind::ConnectionReset,
        }
    })
}

#[test]
#[ignore = "it takes longer than the others, and the gate runs it"]
fn a_response_has_a_minimum_rate_while_bytes_wait() {
    let server = |rate| Server::with(|host| host.body_timeout(Duration::from_secs(2)).minimum_body_rate(rate));
    // It reads 2.5 MB in a second, and never pauses.
    for (rate, path, expected) in
        [(1_000, "/endless", false), (100_000_000, "/endless", true), (100_000_000, "/events", false)]
    {
        assert_eq!(closes(&server(rate), path, 60), expected, "{path} with at least {rate} bytes in a second");
    }
}
