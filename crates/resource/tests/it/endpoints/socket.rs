//! The endpoints over a socket.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::thread;
use std::time::Duration;

use restwright::auth::Access;
use restwright::prelude::*;
use restwright::{Host, run};
use restwright_resource::{Endpoints, StoreError};
use serde_json::Value;

use super::counting_store::CountingStore;
use super::declare::{Contract, Customer};
use super::tenants::{configuration, scoped};
use super::{FailingStore, api};

/// Serves an Api on a free port while a test runs.
pub(super) fn with_server(api: Api, test: impl FnOnce(SocketAddr)) {
    let bound = Host::new(api).workers(1).body_timeout(Duration::from_millis(300)).bind("127.0.0.1:0").unwrap();
    let (address, stop) = (bound.addresses()[0], bound.stop_handle());
    let server = thread::spawn(|| run(bound.serve()).unwrap());
    test(address);
    stop.stop();
    server.join().unwrap();
}

/// Sends the head and the body of a request and keeps the connection open.
pub(super) fn begin(address: SocketAddr, request: &str, headers: &[&str], length: usize, body: &str) -> TcpStream {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    let mut head = format!("{request} HTTP/1.1\r\nHost: shelter\r\nConnection: close\r\nContent-Length: {length}\r\n");
    if !headers.iter().any(|header| header.starts_with("Content-Type")) {
        head.push_str("Content-Type: application/json\r\n");
    }
    headers.iter().for_each(|header| head.push_str(&format!("{header}\r\n")));
    write!(stream, "{head}\r\n{body}").unwrap();
    stream
}

fn send(address: SocketAddr, request: &str, headers: &[&str], body: &str) -> String {
    let mut response = String::new();
    begin(address, request, headers, body.len(), body).read_to_string(&mut response).unwrap();
    response
}

fn status(response: &str) -> &str {
    response.split(' ').nth(1).unwrap_or(response)
}

#[test]
fn an_entity_is_created_changed_and_deleted() {
    let api = api(&Endpoints::new(FailingStore::default(), Access::public()));
    with_server(api, |address| {
        let created = send(address, "POST /animals", &[], r#"{"name": "Ada", "species": "dog"}"#);
        let path = created.lines().find_map(|line| line.strip_prefix("location: ")).unwrap_or(&created);
        let mut found = vec![created.as_str()];
        let rest = [("PATCH", r#"{"name": "Bo"}"#), ("GET", ""), ("HEAD", ""), ("DELETE", ""), ("GET", "")]
            .map(|(method, body)| send(address, &format!("{method} {path}"), &[], body));
        found.extend(rest.iter().map(String::as_str));
        let statuses: Vec<_> = found.iter().map(|response| status(response)).collect();
        assert_eq!(statuses, ["201", "200", "200", "200", "204", "404"]);
        assert!(rest[1].contains("\"name\":\"Bo\""), "{}", rest[1]);
        assert!(rest[2].contains("\r\netag: \"") && rest[2].ends_with("\r\n\r\n"), "{}", rest[2]);
    });
}

/// Each status of the endpoints, over a socket.
#[test]
fn each_status_is_sent() {
    const A: &str = "X-Caller: a";
    const PATCH: &str = "Content-Type: application/merge-patch+json";
    let store = CountingStore::default();
    let api = Api::builder(configuration().body_limit(1000))
        .module(&scoped::<Contract>(&store).put().batch())
        .module(&scoped::<Customer>(&store).put().require_preconditions());
    with_server(api.build().unwrap(), |address| {
        let customer = send(address, "POST /customers", &[A], r#"{"title": "Ada"}"#);
        let body: Value = serde_json::from_str(customer.split("\r\n\r\n").nth(1).unwrap()).unwrap();
        let id = body["data"]["id"].as_str().unwrap();
        let own = format!("/customers/{id}");
        let contract = format!(r#"{{"id": "c", "title": "Rent", "customer_id": "{id}"}}"#);
        let large = format!(r#"{{"id": "d", "title": "{}"}}"#, "x".repeat(1000));
        let batch = r#"{"data": [{"id": "d", "title": "Loan"}, {"id": "e", "title": "Lease"}]}"#;
        let created = send(address, "POST /contracts", &[A], &contract);
        assert_eq!(status(&created), "201", "{created}");
        let tag = created.lines().find_map(|line| line.strip_prefix("etag: ")).unwrap();
        let unchanged = format!("If-None-Match: {tag}");
        for (request, headers, body, expected) in [
            ("GET /contracts", &[A][..], "", "200"),
            ("GET /contracts/c", &[A], "", "200"),
            ("HEAD /contracts/c", &[A], "", "200"),
            ("GET /contracts/c", &[A, &unchanged], "", "304"),
            ("HEAD /contracts/c", &[A, &unchanged], "", "304"),
            ("OPTIONS /contracts/c", &[A], "", "204"),
            ("PUT /contracts/p", &[A], r#"{"id": "p", "title": "Put"}"#, "201"),
            ("PUT /contracts/p", &[A], r#"{"id": "p", "title": "Again"}"#, "200"),
            ("PATCH /contracts/p", &[A, PATCH], r#"{"title": "Patched"}"#, "200"),
            ("DELETE /contracts/p", &[A], "", "204"),
            ("POST /contracts", &[A], "{", "400"),
            ("GET /contracts/c", &[], "", "401"),
            ("GET /contracts/c", &["X-Caller: -"], "", "403"),
            ("GET /contracts/c", &["X-Caller: b"], "", "404"),
            ("DELETE /contracts/p", &[A], "", "404"),
            ("PUT /contracts/batch", &[A], r#"{"id": "batch", "title": "B"}"#, "405"),
            ("GET /contracts/c", &[A, "Accept: text/html"], "", "406"),
            ("POST /contracts", &[A], &contract, "409"),
            (&format!("DELETE {own}"), &[A, "If-Match: *"], "", "409"),
            ("PATCH /contracts/c", &[A, &unchanged], "{}", "412"),
            ("PUT /contracts/c", &[A, "If-None-Match: *"], &contract, "412"),
            ("POST /contracts", &[A], &large, "413"),
            ("PATCH /contracts/c", &[A, "Content-Type: text/plain"], "{}", "415"),
            ("POST /contracts", &[A], r#"{"id": 7}"#, "422"),
            ("GET /contracts?cursor=x", &[A], "", "422"),
            (&format!("DELETE {own}"), &[A], "", "428"),
            ("POST /contracts/batch", &[A], batch, "500"),
            ("POST /contracts/batch", &[A], batch, "503"),
            ("POST /contracts/batch", &[A], batch, "201"),
        ] {
            match expected {
                "500" => store.fail_commits([StoreError::failed("the disk is broken")]),
                "503" => store.fail_commits([StoreError::unavailable("the disk is away")]),
                _ => {}
            }
            let response = send(address, request, headers, body);
            assert_eq!(status(&response), expected, "{request} {headers:?} {body}: {response}");
            assert!(!response.contains("the disk"), "{response}");
            let is_problem = response.contains("application/problem+json");
            assert_eq!(is_problem, expected.starts_with(['4', '5']), "{request}: {response}");
        }
        // The body never arrives.
        let mut response = String::new();
        begin(address, "POST /contracts", &[A], 100, "{").read_to_string(&mut response).unwrap();
        assert_eq!(status(&response), "408", "{response}");
    });
}
