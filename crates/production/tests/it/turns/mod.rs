//! The work that one connection does between two turns of another connection of its worker, for each kind of request.
//!
//! The other connection waits for nothing: its request counts its own turns. What is handled between two of them is counted where it is
//! handled: pieces of bodies as they are read, strings of JSON as they are read and written, pieces of responses as they are sent.

mod api;
mod work;

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use flate2::read::GzEncoder;
use serde_json::{Value, json};

use crate::server::{Reply, Server};
use api::{BODY_LIMIT, api, letters};

const KIB: usize = 1024;

/// The reads and writes of a socket between two turns: tokio's budget of a task.
const OPERATIONS: usize = 128;
/// The bytes of such a read.
const READ: usize = 16 * KIB;
/// The bytes that are decoded or compressed between two turns.
const STEP: usize = 64 * KIB;

/// The work that a request makes.
struct Found {
    /// The turns of the other connection from the beginning of the request to the end of its response.
    turns: u64,
    /// The most bytes or items that were handled between two of them.
    most: usize,
    /// All of them.
    total: usize,
}

/// Sends a request next to one that counts its turns.
fn measure(line: &str, headers: &[&str], body: &[u8]) -> Found {
    let server = Server::start(api());
    let mut other = connect(&server);
    other.write_all(b"GET /turns HTTP/1.1\r\nHost: t\r\nConnection: close\r\n\r\n").unwrap();
    assert_eq!(server.send("POST", "/begin", &[]).status(), 204);
    let mut request = format!("{line} HTTP/1.1\r\nHost: t\r\nConnection: close\r\nContent-Length: {}\r\n", body.len());
    headers.iter().for_each(|line| request.extend([line, "\r\n"]));
    let mut stream = connect(&server);
    stream.write_all(format!("{request}\r\n").as_bytes()).unwrap();
    stream.write_all(body).unwrap();
    let mut response = Vec::new();
    stream.read_to_end(&mut response).unwrap();
    let head = String::from_utf8_lossy(&response[..response.len().min(300)]).into_owned();
    assert!(head.starts_with("HTTP/1.1 20"), "{line}: {head}");
    assert_eq!(server.send("POST", "/end", &[]).status(), 204);
    let mut counted = String::new();
    other.read_to_string(&mut counted).unwrap();
    let counted: Value = Reply::from(counted).json()["data"].clone();
    let number = |name: &str| counted[name].as_u64().unwrap();
    let size = |name: &str| usize::try_from(number(name)).unwrap();
    Found { turns: number("turns"), most: size("most"), total: size("total") }
}

fn connect(server: &Server) -> TcpStream {
    let stream = TcpStream::connect(server.address()).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    stream
}

/// Checks that a request handles `total`, and at most `bound` of it between two turns.
#[track_caller]
fn check(found: &Found, total: usize, bound: usize) {
    let Found { turns, most, total: handled } = *found;
    assert!(handled >= total, "{handled} of {total} were counted");
    assert!(most <= bound, "{most} between two of {turns} turns, more than {bound}");
    let least = u64::try_from(handled / bound).unwrap();
    assert!(turns >= least, "{turns} turns for {handled}");
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut coded = Vec::new();
    GzEncoder::new(bytes, flate2::Compression::fast()).read_to_end(&mut coded).unwrap();
    coded
}

fn zstd(bytes: &[u8]) -> Vec<u8> {
    zstd::stream::encode_all(bytes, 1).unwrap()
}

/// A JSON body of strings that have so many bytes together.
fn strings(size: usize) -> Vec<u8> {
    let words: Vec<_> = (0..size / 64).map(|_| "x".repeat(64)).collect();
    json!(words).to_string().into_bytes()
}

const JSON: &str = "Content-Type: application/json";

#[test]
fn a_large_json_body_is_read_in_one_turn_within_the_body_limit() {
    let size = 900 * KIB;
    check(&measure("POST /words", &[JSON], &strings(size)), size, BODY_LIMIT);
}

#[test]
fn the_pieces_of_a_json_body_are_read_within_the_budget_of_a_task() {
    let size = 900 * KIB;
    check(&measure("POST /words/pieces", &[JSON], &strings(size)), size, OPERATIONS * READ);
}

#[test]
fn the_pieces_of_a_coded_json_body_are_decoded_in_steps() {
    let size = 900 * KIB;
    let body = strings(size);
    for (coding, body) in [("gzip", gzip(&body)), ("zstd", zstd(&body))] {
        let coding = format!("Content-Encoding: {coding}");
        check(&measure("POST /words/pieces", &[JSON, &coding], &body), size, STEP + READ);
    }
}

#[test]
fn an_upload_is_read_within_the_budget_of_a_task() {
    let size = 8 * KIB * KIB;
    check(&measure("POST /uploads", &[], &letters(size)), size, OPERATIONS * READ);
}

#[test]
fn a_coded_upload_is_decoded_in_steps() {
    let size = 8 * KIB * KIB;
    for (coding, body) in [("gzip", gzip(&vec![0; size])), ("zstd", zstd(&vec![0; size]))] {
        let coding = format!("Content-Encoding: {coding}");
        check(&measure("POST /uploads", &[&coding], &body), size, STEP + READ);
    }
}

#[test]
fn a_large_list_is_written_in_one_turn_and_has_at_most_the_items_of_a_page() {
    let items = 100;
    let found = measure("GET /lines?limit=100", &[], b"");
    check(&found, items * api::LINE, items * api::LINE);
}

#[test]
fn a_large_response_is_compressed_in_steps() {
    let size = 4 * KIB * KIB;
    for coding in ["gzip", "br", "zstd"] {
        for path in ["/letters", "/letters/stream"] {
            let found = measure(&format!("GET {path}"), &[&format!("Accept-Encoding: {coding}")], b"");
            // Letters are compressed to about three quarters of their size.
            check(&found, size / 2, STEP + KIB);
        }
    }
}

#[test]
fn a_batch_is_one_turn_and_has_at_most_100_items() {
    let items = 100;
    let body = json!({"data": vec![json!({"text": "a"}); items]}).to_string();
    check(&measure("POST /notes/batch", &[JSON], body.as_bytes()), items, items);
}
