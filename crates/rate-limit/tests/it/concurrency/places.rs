//! Places and their end.

use std::future::{Future, IntoFuture, poll_fn};
use std::io::Read;
use std::net::TcpStream;
use std::pin::pin;
use std::sync::atomic::Ordering;
use std::task::Poll;
use std::thread;
use std::time::Duration;

use restwright::testing::TestClient;
use restwright_rate_limit::{ConcurrencyLimit, RateLimitKey};

use super::server::Server;
use super::{Gate, PIECES, api, begin, end, serve, until};

#[test]
fn a_request_beyond_the_limit_is_refused_until_another_ends() {
    let (server, gate) = serve(&ConcurrencyLimit::per_ip("a", 2));
    for round in 1..=2 {
        let held = [0; 2].map(|_| begin(&server, "GET", "/wait", ""));
        gate.wait_for(2 * round);
        for _ in 0..3 {
            let refused = server.send("GET", "/now", &[]);
            assert_eq!(refused.status(), 429, "{}", refused.text());
            assert_eq!(refused.header("Retry-After").as_deref(), Some("1"));
            let problem = refused.json();
            assert_eq!(problem["code"], "concurrency_limited");
            assert_eq!(problem["detail"], "The limit `a` allows 2 concurrent requests.");
        }
        assert_eq!(server.send("GET", "/free", &[]).status(), 200);
        assert_eq!(server.send("GET", "/lost", &[]).status(), 404);
        gate.open(1);
        until("one ends", || server.send("GET", "/now", &[]).status() == 200);
        gate.open(1);
        assert_eq!(held.map(end), [204, 204]);
    }
}

#[test]
fn callers_have_places_of_their_own() {
    let (ann, bob) = ("Authorization: Test ann\r\n", "Authorization: Test bob\r\n");
    let by_subject =
        |name| ConcurrencyLimit::custom(name, 1, |caller| caller.identity().subject().map(RateLimitKey::credential));
    for (limit, first, second, is_refused) in [
        (ConcurrencyLimit::per_identity("a", 1), ann, ann, true),
        (ConcurrencyLimit::per_identity("a", 1), ann, bob, false),
        (ConcurrencyLimit::per_identity("a", 1), ann, "", false),
        (ConcurrencyLimit::per_identity("a", 1), "", "", true),
        (ConcurrencyLimit::per_ip("a", 1), ann, bob, true),
        (ConcurrencyLimit::by_header("a", "X-Tenant", 1), "X-Tenant: a\r\n", "X-Tenant: a\r\n", true),
        (ConcurrencyLimit::by_header("a", "X-Tenant", 1), "X-Tenant: a\r\n", "X-Tenant: b\r\n", false),
        (ConcurrencyLimit::global("a", 1), "X-Tenant: a\r\n", "X-Tenant: b\r\n", true),
        (by_subject("a"), ann, ann, true),
        (by_subject("a"), "", "", false),
    ] {
        let (server, gate) = serve(&limit);
        let held = begin(&server, "GET", "/wait", first);
        gate.wait_for(1);
        let status = end(begin(&server, "GET", "/now", second));
        assert_eq!(status, if is_refused { 429 } else { 200 }, "{limit:?} {first:?} {second:?}");
        gate.open(1);
        assert_eq!(end(held), 204);
    }
}

/// A request, and how it ends.
type End = fn(&Server, &Gate);

#[test]
fn a_place_ends_with_its_request() {
    let ends: [(&str, End); 6] = [
        ("panic", |server, gate| {
            let held = begin(server, "GET", "/panic", "");
            gate.wait_for(1);
            gate.open(1);
            assert_eq!(end(held), 500);
        }),
        ("error", |server, gate| {
            let held = begin(server, "GET", "/fail", "");
            gate.wait_for(1);
            gate.open(1);
            assert_eq!(end(held), 500);
        }),
        ("deadline", |server, _| assert_eq!(end(begin(server, "GET", "/late", "")), 503)),
        // It may have closed its side alone, so that it still waits for the response: the deadline ends it.
        ("client gone", |server, gate| {
            let held = begin(server, "GET", "/late", "");
            gate.wait_for(1);
            drop(held);
        }),
        ("client gone in a stream", |server, _| drop(first_bytes(begin(server, "GET", "/stream", "")))),
        ("head of a stream", |server, _| assert_eq!(end(begin(server, "HEAD", "/stream", "")), 200)),
    ];
    for (name, request) in ends {
        let (server, gate) = serve(&ConcurrencyLimit::per_ip("a", 1));
        request(&server, &gate);
        until(name, || server.send("GET", "/now", &[]).status() == 200);
    }
}

#[tokio::test]
async fn a_place_ends_with_a_request_that_its_host_gives_up() {
    let (api, gate) = api(&ConcurrencyLimit::per_ip("a", 1));
    let client = TestClient::new(api);
    for _ in 0..3 {
        {
            let mut held = pin!(client.get("/wait").into_future());
            assert!(poll_fn(|context| Poll::Ready(held.as_mut().poll(context).is_pending())).await);
            client.get("/now").await.assert_status(429).assert_documented();
        }
        client.get("/now").await.assert_status(200).assert_documented();
    }
    assert_eq!(gate.begun.load(Ordering::SeqCst), 3);
}

#[test]
fn a_stream_holds_its_place_until_its_last_piece() {
    let (server, _) = serve(&ConcurrencyLimit::per_ip("a", 1));
    let stream = first_bytes(begin(&server, "GET", "/stream", ""));
    for _ in 0..5 {
        assert_eq!(server.send("GET", "/now", &[]).status(), 429);
        thread::sleep(Duration::from_millis(50));
    }
    let mut rest = Vec::new();
    { stream }.read_to_end(&mut rest).unwrap();
    assert!(rest.len() > (PIECES - 1) << 16);
    until("the stream has ended", || server.send("GET", "/now", &[]).status() == 200);
}

#[test]
fn a_refused_request_is_none_that_is_handled() {
    let (server, gate) = serve(&ConcurrencyLimit::per_ip("a", 1));
    let held = begin(&server, "GET", "/wait", "");
    gate.wait_for(1);
    for _ in 0..20 {
        assert_eq!(server.send("GET", "/wait", &[]).status(), 429);
    }
    gate.open(1);
    assert_eq!(end(held), 204);
    assert_eq!(gate.begun.load(Ordering::SeqCst), 1);
}

/// Reads a little of a response, and leaves the rest.
fn first_bytes(mut stream: TcpStream) -> TcpStream {
    stream.read_exact(&mut [0; 64]).unwrap();
    stream
}
