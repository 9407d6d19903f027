use std::collections::BTreeSet;

use super::Loopback;
use super::differential::Differential;

/// The building blocks of test requests, such as framing header fields and nearly valid variants of them.
const PARTS: &[&str] = &[
    "GET /a HTTP/1.1\r\n",
    "POST /a/b?c=d HTTP/1.1\r\n",
    "PUT /a HTTP/1.0\r\n",
    "POST /a HTTP/1.0\r\n",
    "HEAD /a HTTP/1.1\r\n",
    "OPTIONS * HTTP/1.1\r\n",
    "CONNECT t:80 HTTP/1.1\r\n",
    "GET http://t/a?b HTTP/1.1\r\n",
    "get /a#b HTTP/1.1\n",
    "GET /a HTTP/1.2\r\n",
    "GET  /a HTTP/1.1\r\n",
    "GET /a\r\n",
    "GET /\u{e4}#b HTTP/1.1\r\n",
    "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "Host: t\r\n",
    "Host: t\r\n",
    "Host: t\r\n",
    "Host: t\r\n\r\n",
    "Host: t\r\n\r\n",
    "Host: t\n\n",
    "Host: \r\n",
    "Host: a b\r\n",
    "Content-Length: 3\r\n",
    "Content-Length: 3\r\n\r\nabc",
    "content-length:\t0\r\n\r\n",
    "Content-Length: 03\r\n\r\nabc",
    "Content-Length : 3\r\n",
    "Content-Length: +3\r\n",
    "Content-Length: 3, 3\r\n",
    "Content-Length: 99999999999999999999\r\n",
    "Content-Length: \r\n",
    "Transfer-Encoding: chunked\r\n",
    "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
    "Transfer-Encoding: Chunked \r\n\r\n",
    "Transfer-Encoding: chunked\r\n\r\n3;a=\"b\"\r\nabc\r\n0A \t\r\n0123456789\r\n0\r\nT: u\r\nV:w\r\n\r\n",
    "Transfer-Encoding: identity\r\n",
    "Transfer-Encoding: gzip, chunked\r\n",
    "Transfer-Encoding: chunked, chunked\r\n",
    "Transfer-Encoding: xchunked\r\n",
    "Transfer-Encoding:\x0bchunked\r\n",
    "Connection: close\r\n",
    "Connection: keep-alive\r\n",
    "Connection: Upgrade\r\n",
    "Connection: a, Close\r\n",
    "Upgrade: websocket\r\n",
    "Expect: 100-continue\r\n",
    "X: \u{e4}\r\n",
    "X: a\0b\r\n",
    "X: a\tb\r\n b\r\n",
    "X:\r\n",
    "X\r\n",
    ": a\r\n",
    "X Y: a\r\n",
    "3\r\nabc\r\n",
    "3;a=\"b\r\"\r\nabc\r\n",
    "3 \r\nabc\r\n",
    "03\r\nabc",
    "3\nabc\n",
    "0\r\n\r\n",
    "0\r\nT: u\r\n\r\n",
    "0\r\nContent-Length: 5\r\nT:\r\n\r\n",
    "ffffffffffffffff\r\n",
    "fffffffffffffffff0\r\n",
    "-1\r\n",
    "abc",
    "\r\n",
    "\r\n",
    "\r\n\r\n",
    "\n",
    "\r",
    "\0",
    " ",
    "\t",
    ":",
    ",",
    "\u{7f}",
];

/// Returns a pseudo-random number below `end` (splitmix64). Every run returns the same sequence.
fn below(state: &mut u64, end: usize) -> usize {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mixed = (*state ^ (*state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    usize::try_from((mixed ^ (mixed >> 31)) >> 33).unwrap() % end
}

/// Generates the bytes of one or more requests. In every second request, one byte is replaced, repeated or removed.
fn text(state: &mut u64, number: usize) -> Vec<u8> {
    let begin = ["", "GET /a HTTP/1.1\r\nHost: t\r\n", "POST /a HTTP/1.1\r\nHost: t\r\n"][number % 3];
    let parts = (0..1 + number % 9).map(|_| PARTS[below(state, PARTS.len())]);
    let mut text: Vec<u8> = std::iter::once(begin).chain(parts).flat_map(str::bytes).collect();
    if number.is_multiple_of(2) {
        let place = below(state, text.len());
        let others = b"\r\n \t:;,\0\x7f\x80aZ0/%-";
        match below(state, 3) {
            0 => text[place] = others[below(state, others.len())],
            1 => text.insert(place, text[place]),
            _ => drop(text.remove(place)),
        }
    }
    text
}

#[test]
fn hyper_reads_the_same_requests_but_for_the_accepted_differences() {
    let differential = Differential::new();
    let loopback = Loopback::new(differential.api()).unwrap();
    let (mut state, mut differences) = (1, BTreeSet::new());
    let encodings = b"GET /%2a%41%a HTTP/1.1\r\nHost: t\r\n\r\n".to_vec();
    let texts = (0..20_000).map(|number| text(&mut state, number));
    let incomplete = format!("GET /a HTTP/1.1\r\nHost: t\r\n{}", "a: b\r\n".repeat(97));
    let fields = format!("{incomplete}\r\n").into_bytes();
    let trailers = "a: b\r\n".repeat(101);
    let trailers =
        format!("POST /a HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n{trailers}\r\n")
            .into_bytes();
    for text in [encodings, fields, incomplete.into_bytes(), trailers].into_iter().chain(texts) {
        differences.extend(differential.check(&text, |bytes| loopback.serve([bytes])));
    }
    assert_eq!(differences, Differential::reasons().collect(), "a reason that no difference has is to be removed");
}

#[test]
fn bytes_mean_the_same_in_any_pieces() {
    let differential = Differential::new();
    let loopback = Loopback::new(differential.api()).unwrap();
    let mut state = 2;
    for number in 0..2_000 {
        let text = text(&mut state, number);
        let whole = differential.outcome(&loopback.serve([&*text]));
        for size in [1, 2 + below(&mut state, 30)] {
            let pieces = differential.outcome(&loopback.serve(text.chunks(size)));
            assert_eq!(pieces, whole, "{:?} in pieces of {size}", String::from_utf8_lossy(&text));
        }
    }
}

#[test]
fn reads_a_long_head_in_single_bytes() {
    let differential = Differential::new();
    let loopback = Loopback::new(differential.api()).unwrap();
    let head = format!("GET /a HTTP/1.1\r\nHost: t\r\nX: {}\r\n\r\n", "x".repeat(100_000));
    let sent = loopback.serve(head.as_bytes().chunks(1));
    assert!(sent.starts_with(b"HTTP/1.1 200 "), "{}", String::from_utf8_lossy(&sent));
}
