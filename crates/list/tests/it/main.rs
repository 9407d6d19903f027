//! Lists through an Api in process.

#![cfg(test)]

restwright_tests::facade!(cursor, list, openapi, testing);

mod bad_input;
mod compared;
mod constraints;
mod cursor;
mod declaration;
mod document;
mod failures;
mod filter;
mod made;
mod names;
mod page;
mod pets;
mod plain_names;
mod shared_items;
mod sort;

use restwright::testing::{TestClient, TestResponse};
use serde_json::Value;

/// Sends a request whose response has to be as documented.
fn get(client: &TestClient, target: &str) -> TestResponse {
    let response = client.get(target).send();
    response.assert_documented();
    response
}

/// Returns the ids of the items of a response.
fn ids(response: &TestResponse) -> Vec<i64> {
    response.assert_status(200);
    let body: Value = response.json();
    body["data"].as_array().unwrap().iter().map(|item| item["id"].as_i64().unwrap()).collect()
}

/// Returns the code and the pointer of each violation.
fn violations(response: &TestResponse) -> Vec<(String, String)> {
    response.assert_status(422);
    let body: Value = response.json();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let errors = body["errors"].as_array().unwrap().iter();
    errors
        .map(|error| {
            assert_eq!(error["in"], "query", "{error}");
            (text(&error["code"]), text(&error["pointer"]))
        })
        .collect()
}

/// Returns the target of each link, by its relation.
fn links(response: &TestResponse) -> Vec<(String, String)> {
    let header = response.header("link").unwrap_or_default();
    let links = header.split(", ").filter(|link| !link.is_empty());
    links
        .map(|link| {
            let (target, relation) = link.split_once(">; rel=\"").unwrap();
            (relation.trim_end_matches('"').to_owned(), target.trim_start_matches('<').to_owned())
        })
        .collect()
}

/// Resolves a link of a response of `path`: its query replaces the query of the request (RFC 3986, section 5.2.2).
fn link(path: &str, response: &TestResponse, relation: &str) -> Option<String> {
    let (_, reference) = links(response).into_iter().find(|(known, _)| known == relation)?;
    assert!(reference.starts_with('?'), "{reference}");
    Some(format!("{path}{reference}"))
}
