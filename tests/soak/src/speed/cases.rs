//! The requests, and the required content of their responses.

use serde_json::{Value, json};

use super::table::ID;
use crate::http::{API_KEY, Response};

pub struct Case {
    pub name: &'static str,
    pub status: u16,
}

pub const CASES: &[Case] = &[
    Case { name: "view", status: 200 },
    Case { name: "create", status: 201 },
    Case { name: "patch", status: 200 },
    Case { name: "list", status: 200 },
];

impl Case {
    /// Returns the request for a kind of server. It is the same each time.
    pub fn request(&self, kind: &str) -> Vec<u8> {
        let one = format!("/animals/{ID}");
        let is_crudcrate = kind == "crudcrate";
        let (method, path, body) = match self.name {
            "view" => ("GET", one, None),
            "create" => {
                ("POST", "/animals".to_owned(), Some(json!({"name": "Ada", "species": "cat", "weight_kg": 4.2})))
            }
            "patch" => {
                (if is_crudcrate { "PUT" } else { "PATCH" }, one, Some(json!({"name": "Bob", "weight_kg": 5.5})))
            }
            _ if is_crudcrate => {
                // {"species":"cat","weight_kg_gte":99}, ["name","ASC"], [0,19]
                let query = "filter=%7B%22species%22%3A%22cat%22%2C%22weight_kg_gte%22%3A99%7D&sort=%5B%22name%22%2C%22ASC%22%5D&range=%5B0%2C19%5D";
                ("GET", format!("/animals?{query}"), None)
            }
            _ => ("GET", "/animals?species=cat&weight_kg%5Bgte%5D=99&order_by=name&limit=20".to_owned(), None),
        };
        request(method, &path, body)
    }

    /// Panics unless a response is correct for this case.
    pub fn check(&self, kind: &str, response: &Response) {
        let shown = String::from_utf8_lossy(&response.body);
        assert_eq!(response.status, self.status, "{} of {kind}: {shown}", self.name);
        let body = response.json();
        let data = body.get("data").unwrap_or(&body);
        match self.name {
            "list" => {
                let items = data.as_array().expect("a list");
                assert_eq!(items.len(), 20, "{kind}: {shown}");
                let is_found = |item: &Value| item["species"] == "cat" && item["weight_kg"].as_f64() >= Some(99.0);
                assert!(items.iter().all(is_found), "{kind}: {shown}");
                assert!(items.is_sorted_by_key(|item| item["name"].as_str()), "{kind}: {shown}");
                let total = body["pagination"]["total"].as_u64();
                let range = response.header("content-range").and_then(|range| range.rsplit('/').next()?.parse().ok());
                assert!(total.or(range) > Some(20), "{kind} has no total: {shown}");
            }
            "view" => assert_eq!(data["id"], ID, "{kind}: {shown}"),
            "create" => assert_eq!(data["weight_kg"], 4.2, "{kind}: {shown}"),
            _ => assert_eq!(data["name"], "Bob", "{kind}: {shown}"),
        }
    }
}

fn request(method: &str, path: &str, body: Option<Value>) -> Vec<u8> {
    let head = format!("{method} {path} HTTP/1.1\r\nHost: localhost\r\nX-Api-Key: {API_KEY}\r\n");
    match body.map(|body| body.to_string()) {
        Some(body) => format!("{head}Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}", body.len()),
        None => format!("{head}\r\n"),
    }
    .into_bytes()
}
