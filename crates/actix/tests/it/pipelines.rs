//! Several requests at once on one connection (RFC 9112, section 9.3.2).

use std::time::{Duration, Instant};

use crate::client::{Client, RawResponse};
use crate::random::Random;
use crate::server::Server;

#[test]
fn a_response_is_that_of_its_own_request() {
    let server = Server::start();
    let health = |method: &str| format!("{method} /health HTTP/1.1\r\nHost: t\r\n\r\n");
    let mut client = server.connect();
    client.send("POST /echo HTTP/1.1\r\nHost: t\r\nContent-Length: 3\r\n\r\nabc".to_owned() + &health("HEAD"));
    assert_eq!(client.response().text(), "abc");
    assert_eq!(client.head_response().status, 200);

    client.send(health("GET") + &health("HEAD") + &health("GET"));
    assert_eq!(client.response().text(), r#"{"status":"ok"}"#);
    assert_eq!(client.head_response().header("content-length"), Some("15"));
    assert_eq!(client.response().text(), r#"{"status":"ok"}"#);

    client.send("GET /stream HTTP/1.1\r\nHost: t\r\n\r\nGET /stream HTTP/1.0\r\n\r\n");
    let streamed = client.response();
    assert_eq!((streamed.text(), streamed.header("transfer-encoding")), ("012", Some("chunked")));
    assert!(client.rest().ends_with("\r\n\r\n012"));
}

#[test]
fn no_request_is_handled_while_a_response_is_due() {
    let server = Server::start();
    let mut client = server.connect();
    client.send("GET /slow HTTP/1.1\r\nHost: t\r\n\r\nGET /health HTTP/1.1\r\nHost: t\r\nConnection: close\r\n\r\n");
    // What comes while the first is handled is no reason to begin the second.
    std::thread::sleep(Duration::from_millis(50));
    client.send("GET /health HTTP/1.1\r\nHost: t\r\n\r\n");
    let slow = client.response();
    assert_eq!((slow.text(), slow.header("connection")), (r#"{"status":"slow"}"#, None));
    assert_eq!(client.response().header("connection"), Some("close"));
    assert_eq!(client.rest(), "", "the third comes too late");
}

#[test]
fn a_response_does_not_wait_for_what_follows_it() {
    // A response that waits for the rest of the next request does not arrive.
    let server = Server::patient();
    for (follows, rest, status) in [
        ("GET /heal", "th HTTP/1.1\r\nHost: t\r\n\r\n", 200),
        ("\r\n", "GET /health HTTP/1.1\r\nHost: t\r\n\r\n", 200),
        ("GET /slow HTTP/1.1\r\nHost: t\r\n\r\n", "", 200),
        ("POST /echo HTTP/1.1\r\nHost: t\r\nContent-Length: 3\r\n\r\na", "bc", 200),
        ("POST /guarded HTTP/1.1\r\nHost: t\r\nContent-Length: 3\r\n\r\na", "bc", 401),
        ("GET /broken HTTP\r\n\r\n", "", 400),
    ] {
        let waited = || {
            let mut client = server.connect();
            let start = Instant::now();
            client.send("GET /health HTTP/1.1\r\nHost: t\r\n\r\n".repeat(3) + follows);
            for _ in 0..3 {
                assert_eq!(client.response().text(), r#"{"status":"ok"}"#, "{follows}");
            }
            let waited = start.elapsed();
            client.send(rest);
            assert_eq!(client.response().status, status, "{follows}");
            waited
        };
        // Responses that wait for the next request are never quick: `/slow` needs 400 ms, and the server discards an unread
        // body for 250 ms.
        restwright_tests::is_quick(follows, Duration::from_millis(200), waited);
    }
}

#[test]
fn a_long_pipeline_is_responded_to_in_order() {
    let server = Server::start();
    let mut client = server.connect();
    let requests = (0..2_000).map(|id| format!("GET /health HTTP/1.1\r\nHost: t\r\nX-Request-Id: {id}\r\n\r\n"));
    client.send(requests.collect::<String>());
    for id in 0..2_000 {
        assert_eq!(client.response().header("x-request-id"), Some(&*id.to_string()));
    }
}

#[test]
fn a_client_that_sends_on_is_not_read_on() {
    let server = Server::start();
    let mut client = server.connect();
    client.send("GET /hang HTTP/1.1\r\nHost: t\r\n\r\n");
    client.stream().set_write_timeout(Some(Duration::from_millis(50))).unwrap();
    let request = "GET /health HTTP/1.1\r\nHost: t\r\n\r\n".repeat(1_000);
    let mut taken = 0;
    while client.try_send(&request) {
        taken += 1;
        assert!(taken < 1_000, "it is read on while a response is due");
    }
    client.response().assert_problem(503, "deadline_exceeded");
}

#[test]
fn a_response_before_a_close_arrives_whole() {
    let server = Server::start();
    for _ in 0..20 {
        let mut client = server.connect();
        client.send("GET /health HTTP/1.1\r\nHost: t\r\nConnection: close\r\n\r\n");
        client.try_send("GET /health HTTP/1.1\r\nHost: t\r\n\r\n".repeat(5_000));
        std::thread::sleep(Duration::from_millis(5));
        assert_eq!(client.response().text(), r#"{"status":"ok"}"#);
        assert_eq!(client.rest(), "");
    }
}

/// A request of a random pipeline, with what its response must be.
struct Sent {
    bytes: Vec<u8>,
    id: String,
    version: &'static str,
    head_only: bool,
    closes: bool,
    status: u16,
    body: Option<String>,
}

impl Sent {
    fn random(random: &mut Random, number: usize) -> Self {
        let id = format!("r{number}");
        let version = random.choose(&["1.1", "1.1", "1.1", "1.0"]);
        let chunked = version == "1.1" && random.below(2) == 0;
        let text = "x".repeat(random.below(40)) + &number.to_string();
        let (line, status, body) = match random.below(8) {
            0 | 1 => ("GET /health", 200, Some(r#"{"status":"ok"}"#.to_owned())),
            2 | 3 => ("HEAD /health", 200, None),
            4 => ("HEAD /nowhere", 404, None),
            5 => ("OPTIONS /health", 204, None),
            6 => ("POST /guarded", 401, None),
            _ => ("POST /echo", 200, Some(text.clone())),
        };
        let mut request = "\r\n".repeat(random.below(10) / 8);
        request += &format!("{line} HTTP/{version}\r\nHost: t\r\nX-Request-Id: {id}\r\n");
        let connection = random.choose(&["", "", "", "keep-alive", "keep-alive", "close"]);
        if !connection.is_empty() {
            request += &format!("Connection: {connection}\r\n");
        }
        if line.starts_with("POST") {
            if version == "1.1" && status == 200 && random.below(4) == 0 {
                request += "Expect: 100-continue\r\n";
            }
            request += &if chunked {
                let (first, second) = text.split_at(text.len() / 2);
                let first =
                    if first.is_empty() { String::new() } else { format!("{:x};a=b\r\n{first}\r\n", first.len()) };
                format!("Transfer-Encoding: chunked\r\n\r\n{first}{:x}\r\n{second}\r\n0\r\nT: u\r\n\r\n", second.len())
            } else {
                format!("Content-Length: {}\r\n\r\n{text}", text.len())
            };
        } else {
            request += "\r\n";
        }
        Self {
            bytes: request.into_bytes(),
            id,
            version: if version == "1.1" { "HTTP/1.1" } else { "HTTP/1.0" },
            head_only: line.starts_with("HEAD"),
            closes: connection == "close" || (version == "1.0" && connection.is_empty()),
            status,
            body,
        }
    }

    fn check(&self, client: &mut Client) {
        let mut response = self.read(client);
        while response.status == 100 {
            response = self.read(client);
        }
        let request = String::from_utf8_lossy(&self.bytes);
        assert_eq!(response.header("x-request-id"), Some(&*self.id), "{request}");
        assert_eq!((response.status, &*response.version), (self.status, self.version), "{request}");
        if let Some(body) = &self.body {
            assert_eq!(response.text(), body, "{request}");
        }
        assert_eq!(
            response.header("connection") == Some("close"),
            self.closes && self.version == "HTTP/1.1",
            "{request}"
        );
    }

    fn read(&self, client: &mut Client) -> RawResponse {
        if self.head_only { client.head_response() } else { client.response() }
    }
}

#[test]
fn random_pipelines_get_their_own_responses() {
    const REQUESTS: usize = 20_000;
    // It waits longer than its clients, so a pipeline that hangs fails.
    let server = Server::patient();
    let mut random = Random::new(7);
    let mut number = 0;
    while number < REQUESTS {
        let mut pipeline = Vec::new();
        for _ in 0..=random.below(60) {
            number += 1;
            pipeline.push(Sent::random(&mut random, number));
        }
        let bytes: Vec<u8> = pipeline.iter().flat_map(|sent| sent.bytes.iter().copied()).collect();
        let mut client = server.connect();
        let mut rest = &bytes[..];
        while !rest.is_empty() {
            let length = if random.below(2) == 0 { rest.len() } else { random.below(rest.len()) + 1 };
            // The server may have closed the connection already, as it was asked to.
            client.try_send(&rest[..length]);
            rest = &rest[length..];
        }
        for (index, sent) in pipeline.iter().enumerate() {
            sent.check(&mut client);
            number = number.saturating_sub(if sent.closes { pipeline.len() - index - 1 } else { 0 });
            if sent.closes {
                assert_eq!(client.rest(), "");
                break;
            }
        }
    }
}
