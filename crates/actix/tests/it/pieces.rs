//! Requests in pieces, as sockets may deliver them.

use std::time::Duration;

use crate::random::Random;
use crate::server::Server;

/// Requests, each on a connection that then closes.
const REQUESTS: [&str; 14] = [
    "GET /health HTTP/1.1\r\nHost: t\r\nX-Request-Id: a\r\nConnection: close\r\n\r\n",
    "\r\n\r\nGET /health HTTP/1.1\nHost: t\nX-Request-Id: a\nConnection: close\n\n",
    "HEAD /health HTTP/1.1\r\nHost: t\r\nX-Request-Id: a\r\nConnection: close\r\n\r\n",
    "GET /health HTTP/1.0\r\nX-Request-Id: a\r\n\r\n",
    "POST /echo HTTP/1.1\r\nHost: t\r\nX-Request-Id: a\r\nConnection: close\r\nContent-Length: 5\r\n\r\nabcde",
    "POST /echo HTTP/1.1\r\nHost: t\r\nX-Request-Id: a\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n\
     3;x=y\r\nabc\r\n2\r\nde\r\n0\r\nT: u\r\n\r\n",
    "POST /guarded HTTP/1.1\r\nHost: t\r\nX-Request-Id: a\r\nConnection: close\r\nContent-Length: 3\r\n\r\nabc",
    "POST /count HTTP/1.1\r\nHost: t\r\nX-Request-Id: a\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "GET /health HTTP/1.1\r\nHost: t\r\nX-Request-Id: a\r\n\r\nPOST /echo HTTP/1.1\r\nHost: t\r\nX-Request-Id: b\r\nContent-Length: 3\r\n\r\n\
     abcGET /nowhere HTTP/1.1\r\nHost: t\r\nX-Request-Id: c\r\nConnection: close\r\n\r\n",
    "GET /health HTTP/1.1\r\nHost: t\r\nbad header\r\n\r\n",
    "GET /health HTTP/1.1\r\n\r\n",
    "POST /echo HTTP/1.1\r\nHost: t\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
    "POST /echo HTTP/1.1\r\nHost: t\r\nX-Request-Id: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabcd\r\n",
    "POST /echo HTTP/1.1\r\nHost: t\r\nX-Request-Id: a\r\nTransfer-Encoding: chunked\r\n\r\n186a1\r\n",
];

/// Sends pieces and returns all that comes back, without dates and the request ids that the server generates.
fn send<'a>(server: &Server, pieces: impl Iterator<Item = &'a [u8]>, pause: Duration) -> Vec<String> {
    let mut client = server.connect();
    for piece in pieces {
        // The server may have closed the connection already.
        client.try_send(piece);
        std::thread::sleep(pause);
    }
    let mut received = client.rest();
    let id = received.split("x-request-id: ").nth(1).and_then(|rest| rest.lines().next()).unwrap_or_default();
    if id.len() > 1 {
        received = received.replace(&id.to_owned(), "generated");
    }
    received.split("\r\n").filter(|line| !line.starts_with("date: ")).map(str::to_owned).collect()
}

#[test]
fn requests_mean_the_same_in_whatever_pieces_they_come() {
    let server = Server::start();
    let mut random = Random::new(3);
    for request in REQUESTS {
        let bytes = request.as_bytes();
        let whole = send(&server, std::iter::once(bytes), Duration::ZERO);
        assert!(whole[0].starts_with("HTTP/1."), "{request:?} got {whole:?}");
        assert_eq!(send(&server, bytes.chunks(1), Duration::from_micros(200)), whole, "{request:?} byte by byte");
        for _ in 0..20 {
            let cut = 1 + random.below(bytes.len() - 1);
            let pieces = [&bytes[..cut], &bytes[cut..]];
            let pieces = send(&server, pieces.into_iter(), Duration::from_millis(3));
            assert_eq!(pieces, whole, "{request:?} cut at {cut}");
        }
    }
}

#[test]
fn a_large_head_and_a_large_body_come_in_many_pieces() {
    let server = Server::start();
    let fields: String = (0..90).map(|number| format!("X-{number}: {}\r\n", "y".repeat(1_000))).collect();
    let body = "z".repeat(90_000);
    let request = format!("POST /echo HTTP/1.1\r\nHost: t\r\n{fields}Content-Length: {}\r\n\r\n{body}", body.len());
    for size in [1_000, 10_000, 100_000] {
        let mut client = server.connect();
        for _ in 0..2 {
            for piece in request.as_bytes().chunks(size) {
                client.send(piece);
            }
            assert_eq!(client.response().text(), body, "in pieces of {size}");
        }
    }
}
