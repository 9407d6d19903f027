//! The framing of chunked bodies (RFC 9112, section 7.1).

use crate::api::BODY_LIMIT;
use crate::client::RawResponse;
use crate::server::Server;

const KIB: usize = 1024;

fn post(server: &Server, path: &str, chunks: &str) -> RawResponse {
    let mut client = server.connect();
    client.send(format!("POST {path} HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n"));
    client.try_send(chunks);
    client.response()
}

#[test]
fn framing_that_is_worth_its_data_is_read() {
    let server = Server::start();
    for (chunks, length) in [
        ("1\r\nx\r\n".repeat(2_000) + "0\r\n\r\n", 2_000),
        // 116 bytes of framing for 50 of data.
        (format!("32;{}\r\n{}\r\n", "a".repeat(109), "x".repeat(50)).repeat(1_000) + "0\r\n\r\n", 50_000),
        // 46 bytes of framing for 15 of data, whose size has one digit.
        (format!("f;{}\r\n{}\r\n", "a".repeat(40), "x".repeat(15)).repeat(1_000) + "0\r\n\r\n", 15_000),
        (format!("1;{}\r\nx\r\n0\r\n\r\n", "a".repeat(16 * KIB)), 1),
        (format!("1\r\nx\r\n0\r\nT: {}\r\n\r\n", "u".repeat(16 * KIB)), 1),
        (format!("{}1\r\nx\r\n0\r\n\r\n", "0".repeat(16 * KIB)), 1),
    ] {
        let response = post(&server, "/count", &chunks);
        assert_eq!(response.text(), format!("{{\"status\":\"{length}\"}}"));
    }
}

#[test]
fn framing_beyond_its_data_is_a_400_and_the_end() {
    let server = Server::start();
    let extended = |bytes: usize| format!("1;{}\r\nx\r\n", "a".repeat(bytes));
    for chunks in [
        extended(17 * KIB),
        extended(20).repeat(3_000),
        format!("1\r\nx\r\n0\r\nT: {}\r\n", "u".repeat(17 * KIB)),
        "1\r\nx\r\n0\r\n".to_owned() + &"T: u\r\n".repeat(3 * KIB),
        "0".repeat(17 * KIB),
        format!("1{}", " ".repeat(17 * KIB)),
        // Endless: 60,000 bytes for one of data.
        extended(60_000).repeat(2_000),
    ] {
        let shown: String = chunks.chars().take(20).collect();
        for path in ["/echo", "/count"] {
            let response = post(&server, path, &chunks);
            // A body that is read to its end, which does not arrive, is a 408.
            response.assert_problem(400, "incomplete_body");
            assert_eq!(response.header("connection"), Some("close"), "{shown:?}");
        }
        assert_eq!(
            post(&server, "/guarded", &chunks).header("connection"),
            Some("close"),
            "{shown:?} that nobody reads"
        );
    }
}

#[test]
fn a_chunk_beyond_the_limit_is_a_413_before_its_data() {
    let server = Server::start();
    for chunks in [
        format!("{:x}\r\n", BODY_LIMIT + 1),
        format!("1\r\nx\r\n{BODY_LIMIT:x}\r\n"),
        "ffffffffffffffff\r\nx".to_owned(),
    ] {
        for path in ["/echo", "/count"] {
            let response = post(&server, path, &chunks);
            // A server that waits for the data responds with 408.
            response.assert_problem(413, "body_too_large");
            assert_eq!(response.header("connection"), Some("close"), "{chunks:?}");
        }
    }
    // The end of what the client sends comes later than the announcement.
    let mut client = server.connect();
    client.send(format!(
        "POST /echo HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n{:x}\r\nabc",
        BODY_LIMIT + 1
    ));
    client.finish();
    client.response().assert_problem(413, "body_too_large");
    let exact = format!("{BODY_LIMIT:x}\r\n{}\r\n0\r\n\r\n", "x".repeat(BODY_LIMIT));
    assert_eq!(post(&server, "/echo", &exact).body.len(), BODY_LIMIT);
}

#[test]
fn a_size_that_no_number_has_is_a_400() {
    let server = Server::start();
    for chunks in ["10000000000000000\r\nx", "fffffffffffffffff", "1\r\nx\r\nffffffffffffffffffffffff\r\n"] {
        // A server that waits for more responds with 408.
        post(&server, "/echo", chunks).assert_problem(400, "incomplete_body");
    }
}
