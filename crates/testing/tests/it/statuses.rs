//! Every status, in process; each response holds against its description.

use restwright::http::BodyError;
use restwright_testing::{TestClient, TestRequest};
use serde_json::json;

use crate::app::{Note, client};

/// The response to a request, documented, with a status and the code of a problem; an empty one for success.
#[track_caller]
fn check(request: impl FnOnce(&TestClient) -> TestRequest<'_>, status: u16, code: &str) {
    let client = client();
    let response = request(&client).send();
    response.assert_status(status).assert_documented();
    if !code.is_empty() {
        response.assert_problem(code);
    }
}

#[test]
fn success() {
    check(|client| client.get("/notes"), 200, "");
    check(|client| client.post("/notes").json(&json!({ "text": "a", "rank": 1 })), 201, "");
    check(|client| client.delete("/notes/7"), 204, "");
    check(|client| client.put("/upload").body("image/png", "bytes"), 200, "");
    check(|client| client.get("/private").bearer("secrets"), 204, "");
}

#[test]
fn failure() {
    let json = "application/json";
    check(|client| client.post("/notes").body(json, "{\"text\": "), 400, "malformed_body");
    check(|client| client.post("/notes").body(json, &b"\"\xff\""[..]), 400, "malformed_body");
    check(|client| client.get("/notes/%FF"), 400, "malformed_request");
    check(|client| client.get("/notes?page=%FF"), 400, "malformed_request");
    check(|client| client.post("/notes").header("content-type", json).body(json, "{}"), 400, "malformed_request");
    check(|client| client.put("/upload").header("content-type", "a/b").body("a/b", ""), 400, "malformed_request");
    check(|client| client.post("/notes").header("content-type", json).stream(broken()), 400, "incomplete_body");
    check(|client| client.get("/private"), 401, "unauthenticated");
    check(|client| client.get("/private").bearer("wrong"), 401, "unauthenticated");
    check(|client| client.get("/private").bearer("other"), 403, "forbidden");
    check(|client| client.get("/notes/8"), 404, "note_not_found");
    check(|client| client.get("/nowhere"), 404, "not_found");
    check(|client| client.put("/notes"), 405, "method_not_allowed");
    check(|client| client.get("/notes").header("accept", "text/html"), 406, "not_acceptable");
    check(|client| client.post("/notes").body(json, "x".repeat(61)), 413, "body_too_large");
    check(|client| client.post("/notes").body("text/plain", "{}"), 415, "unsupported_media_type");
    check(|client| client.post("/notes").body("", "{}"), 415, "unsupported_media_type");
    check(
        |client| client.post("/notes").header("content-encoding", "gzip").body(json, "{}"),
        415,
        "unsupported_media_type",
    );
    check(|client| client.post("/notes").json(&json!({ "text": "", "rank": 1 })), 422, "invalid_request");
    check(|client| client.get("/panics"), 500, "internal_error");
    check(|client| client.get("/private").bearer("down"), 503, "unavailable");
    check(|client| client.get("/slow"), 503, "deadline_exceeded");
}

fn broken() -> restwright::http::BodyStream {
    restwright::http::BodyStream::new(crate::app::Each::new([Ok("{\"te".into()), Err(BodyError::Incomplete)]))
}

#[test]
fn head_and_options() {
    let client = client();
    let length = client.get("/notes").send().bytes().len().to_string();
    let head = client.head("/notes").send();
    head.assert_status(200).assert_header("content-length", &length).assert_documented();
    assert!(head.bytes().is_empty());
    client
        .options("/notes")
        .send()
        .assert_status(204)
        .assert_header("allow", "GET, HEAD, OPTIONS, POST")
        .assert_documented();
    client.options("/notes/%FF").send().assert_problem("malformed_request").assert_documented();
}

#[test]
fn values_are_read_from_the_response() {
    let client = client();
    let created = client.post("/notes").json(&json!({ "text": "buy milk", "rank": 3 })).send();
    let note: Note = created.assert_header("location", "/notes/7").json();
    assert_eq!((note.text.as_str(), note.rank), ("buy milk", 3));
    created.assert_json(&json!({ "rank": 3, "text": "buy milk" }));
    assert_eq!(client.put("/upload").body("text/plain", "bytes").send().text(), "bytes");
}

#[test]
fn violations_of_all_parts_come_back() {
    let client = client();
    let request = client.get("/notes?page=0").header("x-mood", "melancholic");
    request.send().assert_violations([("query", "/page", "minimum"), ("header", "/X-Mood", "max_length")]);
    let refused = client.post("/notes").json(&json!({ "text": "", "rank": 10 })).send();
    refused.assert_violations([("body", "/rank", "maximum"), ("body", "/text", "min_length")]);
    let rank = refused.violations().into_iter().find(|violation| violation.pointer == "/rank").unwrap();
    assert_eq!((rank.params["maximum"].clone(), rank.message.is_empty()), (json!(9), false));
}

#[test]
fn a_stream_is_collected_and_its_end_is_seen() {
    let client = client();
    let whole = client.get("/download?broken=false").send();
    assert_eq!((whole.assert_documented().text(), whole.cut_off()), ("one two", None));
    let broken = client.get("/download?broken=true").send();
    assert_eq!((broken.text(), broken.cut_off()), ("one ", Some("the disk is gone")));
}
