//! What is nearly HTTP.

use crate::random::Random;
use crate::server::Server;

/// Sends a text and checks that the server reads one meaning from it: it responds or closes at once, and never finds a request
/// where it expects none. The client of a [patient](Server::patient) server fails if
/// the server hangs.
fn check(server: &Server, text: &str) {
    let mut client = server.connect();
    client.try_send(text);
    if client.stream().shutdown(std::net::Shutdown::Write).is_err() {
        return;
    }
    let responses = client.rest();
    assert!(!responses.contains("HTTP/1.1 5") && !responses.contains(" 408 "), "{text:?} got {responses}");
}

fn join(random: &mut Random, parts: &[&str], count: usize) -> String {
    (0..count).map(|_| random.choose(parts)).collect()
}

#[test]
fn heads_have_one_meaning() {
    let server = Server::patient();
    let mut random = Random::new(1);
    let parts = [
        "GET /health HTTP/1.1\r\n",
        "POST /echo HTTP/1.1\r\n",
        "POST /echo HTTP/1.0\r\n",
        "CONNECT t:80 HTTP/1.1\r\n",
        "HEAD /health HTTP/1.1\n",
        "Host: t\r\n",
        "Host: t\r\n\r\n",
        "Host:t\n",
        "Content-Length: 3\r\n",
        "content-length:\t0\r\n\r\n",
        "Content-Length : 3\r\n",
        "Content-Length: +3\r\n",
        "Content-Length: 3, 3\r\n",
        "Transfer-Encoding: chunked\r\n",
        "Transfer-Encoding: Chunked \r\n\r\n3\r\nabc\r\n0\r\n\r\n",
        "Transfer-Encoding: identity\r\n",
        "Transfer-Encoding: chunked, chunked\r\n",
        "\tContent-Length: 3\r\n",
        "Connection: upgrade\r\nUpgrade: websocket\r\n",
        "Expect: 100-continue\r\n",
        "abc",
        "\r\n",
        "\n",
        "\r",
        "\0",
        "\x0b",
        ":",
        " ",
        "\r\n\r\n",
    ];
    for number in 0..2_000 {
        let begin = random.choose(&["", "GET /health HTTP/1.1\r\nHost: t\r\n", "POST /echo HTTP/1.1\r\nHost: t\r\n"]);
        let count = 1 + number % 9;
        check(&server, &format!("{begin}{}", join(&mut random, &parts, count)));
    }
}

#[test]
fn chunked_bodies_have_one_meaning() {
    let server = Server::patient();
    let mut random = Random::new(2);
    let parts = [
        "1",
        "0",
        "3",
        "a",
        "F",
        "g",
        "-",
        ";",
        "x=y",
        "\"",
        " ",
        "\t",
        "\r",
        "\n",
        "\r\n",
        "\r\n\r\n",
        "abc",
        "3\r\nabc\r\n",
        "0\r\n\r\n",
        "0\r\nT: u\r\n\r\n",
        "\0",
        "GET /health HTTP/1.1\r\nHost: t\r\n\r\n",
    ];
    for number in 0..3_000 {
        let count = 1 + number % 11;
        let body = join(&mut random, &parts, count);
        check(&server, &format!("POST /echo HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n{body}"));
    }
}

#[test]
fn a_target_that_is_too_long_is_a_414_and_other_long_heads_are_a_431() {
    let server = Server::patient();
    let long = "x".repeat(140_000);
    let medium = "x".repeat(70_000);
    for (head, status) in [
        (format!("GET /{medium} HTTP/1.1\r\nHost: t\r\n\r\n"), 414),
        (format!("GET /{long}"), 414),
        (format!("GET /health HTTP/1.1\r\nHost: t\r\nX: {long}"), 431),
        (format!("GET /health?{} HTTP/1.1\r\nHost: t\r\n\r\n", "x".repeat(60_000)), 200),
    ] {
        let mut client = server.connect();
        client.try_send(&head);
        assert_eq!(client.response().status, status, "{} bytes", head.len());
    }
}
