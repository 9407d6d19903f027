//! Headers and statuses of `QUERY` (RFC 10008), in process and over a socket.

use std::process::Command;

use restwright::auth::Access;
use restwright_resource::Endpoints;
use serde_json::json;

use super::super::socket::with_server;
use super::super::{FailingStore, api};
use super::Queries;

const JSON: &str = "\"application/json\"";

#[test]
fn responses_name_the_media_type_of_queries() {
    let queries = Queries::new();
    let client = &queries.0;
    let allow = "GET, HEAD, OPTIONS, POST, QUERY";
    let options = client.options("/tickets").send();
    options.assert_status(204).assert_header("accept-query", JSON);
    let mut methods: Vec<_> = options.header("allow").unwrap().split(", ").collect();
    methods.sort_unstable();
    assert_eq!(methods.join(", "), allow);
    client.get("/tickets").header("X-Caller", "ann").send().assert_status(200).assert_header("accept-query", JSON);
    let queried = queries.query("ann", &json!({}));
    queried.assert_status(200).assert_header("accept-query", JSON);
    assert_eq!(queried.header("link"), None);
    let posted = client.post("/tickets/query").header("X-Caller", "ann").json(&json!({})).send();
    assert_eq!(posted.assert_status(200).header("accept-query"), None);
    assert_eq!(client.options("/tickets/1").send().header("accept-query"), None);
}

#[test]
fn rejects_other_media_types() {
    let queries = Queries::new();
    let send =
        |content_type: &str| queries.0.query("/tickets").header("X-Caller", "ann").body(content_type, "{}").send();
    send("application/json; charset=utf-8").assert_status(200);
    let other = send("application/sql");
    other.assert_problem("unsupported_media_type").assert_header("accept-query", JSON);
    let missing = queries.0.query("/tickets").header("X-Caller", "ann").send();
    assert_eq!(missing.status(), 400, "{missing:?}");
    missing.assert_problem("malformed_request");
}

/// curl sends `QUERY` as any other method with a body.
#[test]
fn curl_queries_over_a_socket() {
    let api = api(&Endpoints::new(FailingStore::default(), Access::public()));
    with_server(api, |address| {
        let url = format!("http://{address}/animals");
        let curl = |method: &str, body: &str| {
            let mut command = Command::new("curl");
            command.args(["-sS", "-i", "-X", method, "-H", "Content-Type: application/json", "-d", body, &url]);
            let output = command.output().unwrap();
            String::from_utf8(output.stdout).unwrap()
        };
        for name in ["Ada", "Rex"] {
            let body = json!({"name": name, "species": "dog"}).to_string();
            assert!(curl("POST", &body).starts_with("HTTP/1.1 201"));
        }
        let response = curl("QUERY", r#"{"filter": {"not": {"name": {"contains": "A"}}}}"#);
        assert!(response.starts_with("HTTP/1.1 200"), "{response}");
        assert!(response.contains("Rex") && !response.contains("Ada"), "{response}");
        let response = curl("QUERY", r#"{"filter": {"not": {"nom": {}}}}"#);
        assert!(response.starts_with("HTTP/1.1 422") && response.contains("/filter/not/nom"), "{response}");
    });
}
