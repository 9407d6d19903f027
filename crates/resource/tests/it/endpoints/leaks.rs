//! Checks every way in which a tenant could learn about entities of another tenant. They must look like missing entities.

use restwright::testing::TestResponse;
use serde_json::{Value, json};

use super::tenants::Tenants;

/// The part of a response that a caller can observe, and the calls of the store, without values that differ between any two requests.
fn observed(response: &TestResponse, calls: &[String], hidden: &[&str]) -> (u16, String) {
    let mut headers: Vec<_> = response
        .headers()
        .iter()
        .filter(|(name, _)| *name != "x-request-id")
        .map(|(name, value)| format!("{name}: {}", value.to_str().unwrap()))
        .collect();
    headers.sort();
    let mut body: Value = serde_json::from_slice(response.bytes()).unwrap_or_default();
    if let Some(body) = body.as_object_mut() {
        body.remove("request_id");
    }
    // Values that the caller sent, and generated identifiers and versions.
    let mut text = json!([headers, body, calls]).to_string();
    for hidden in hidden.iter().filter(|hidden| !hidden.is_empty()) {
        text = text.replace(hidden, "?");
    }
    (response.status().as_u16(), text)
}

/// Two tenants. `a` has an entity of each kind.
struct Leaks {
    tenants: Tenants,
    customer: String,
    tag: String,
}

const MISSING: &str = "01890000-0000-7000-8000-000000000000";

impl Leaks {
    /// Creates the entities of `a`, or only the entities that `b` needs.
    fn new(has_other: bool) -> Self {
        let tenants = Tenants::new();
        let mut customer = (MISSING.to_owned(), "\"7\"".to_owned());
        tenants.create("b", "/customers", json!({"title": "Own"}));
        tenants.create("b", "/contracts", json!({"id": "own", "title": "Own"}));
        if has_other {
            let created = tenants.send("a", "POST /customers", &[], Some(json!({"title": "Ada"})));
            let id = created.json::<Value>()["data"]["id"].as_str().unwrap().to_owned();
            customer = (id.clone(), created.header("etag").unwrap().to_owned());
            tenants.create("a", "/contracts", json!({"id": "c", "title": "Rent", "customer_id": id}));
            tenants.create("a", "/contracts/c/invoices", json!({"title": "May"}));
            let project = tenants.create("a", &format!("/customers/{id}/projects"), json!({"title": "Roof"}));
            let path = format!("/customers/{id}/projects/{}/tasks", project["id"].as_str().unwrap());
            tenants.create("a", &path, json!({"title": "Tiles"}));
        }
        tenants.store.take_calls();
        Self { tenants, customer: customer.0, tag: customer.1 }
    }

    fn observe(&self, request: &str, headers: &[(&str, &str)], body: Option<&str>) -> (u16, String) {
        let fill = |text: &str| text.replace("{customer}", &self.customer).replace("{tag}", &self.tag);
        let filled: Vec<_> = headers.iter().map(|(name, value)| (*name, fill(value))).collect();
        let filled: Vec<_> = filled.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let body = body.map(|body| serde_json::from_str(&fill(body)).unwrap());
        let response = self.tenants.send("b", &fill(request), &filled, body);
        let shown: Value = serde_json::from_slice(response.bytes()).unwrap_or_default();
        let mut made: Vec<String> = vec![self.customer.clone()];
        for one in shown["data"].as_array().map_or(vec![&shown["data"]], |all| all.iter().collect()) {
            // A generated UUID, and times.
            for name in ["id", "created_at", "updated_at"] {
                made.extend(one[name].as_str().filter(|id| id.len() > 8).map(str::to_owned));
            }
            made.extend(one["version"].as_i64().map(|version| version.to_string()));
        }
        made.extend(response.header("etag").map(|tag| tag.trim_matches('"').to_owned()));
        let hidden: Vec<_> = made.iter().map(String::as_str).collect();
        observed(&response, &self.tenants.store.take_calls(), &hidden)
    }
}

/// Sends a request of `b` with and without the entity of `a`. Both responses must be equal and have the expected status.
#[track_caller]
fn check(request: &str, headers: &[(&str, &str)], body: Option<&str>, status: u16) {
    let [there, missing] = [true, false].map(|has_other| Leaks::new(has_other).observe(request, headers, body));
    assert_eq!(there, missing, "{request} {headers:?} {body:?}");
    assert_eq!(there.0, status, "{request} {headers:?} {body:?}: {}", there.1);
}

const PRECONDITIONS: [&[(&str, &str)]; 6] = [
    &[],
    &[("If-Match", "{tag}")],
    &[("If-Match", "*")],
    &[("If-Match", "\"other\"")],
    &[("If-None-Match", "{tag}")],
    &[("If-None-Match", "*")],
];

#[test]
fn an_identifier_of_another_tenant_looks_missing() {
    let changes = [None, Some(r#"{"title": "Eve"}"#)];
    for headers in PRECONDITIONS {
        for path in [
            "/customers/{customer}",
            "/contracts/c/invoices/1",
            "/contracts/own/invoices/1",
            "/customers/{customer}/projects/{customer}",
            "/customers/{customer}/projects/{customer}/tasks/1",
        ] {
            check(&format!("GET {path}"), headers, None, 404);
            check(&format!("HEAD {path}"), headers, None, 404);
            check(&format!("PATCH {path}"), headers, changes[1], 404);
            check(&format!("DELETE {path}"), headers, None, 404);
        }
        for path in
            ["/customers/{customer}", "/contracts/c/invoices/1", "/customers/{customer}/projects/{customer}/tasks/1"]
        {
            check(&format!("PUT {path}"), headers, changes[1], 404);
        }
    }
    let item = r#"{"data": [{"id": "{customer}", "if_match": "\"1\"", "changes": {"title": "Eve"}}]}"#;
    check("PATCH /customers/batch", &[], Some(item), 422);
    check("POST /customers/batch/delete", &[], Some(r#"{"data": [{"id": "{customer}"}]}"#), 422);
    check("PATCH /contracts/batch", &[], Some(r#"{"data": [{"id": "c", "changes": {}}]}"#), 422);
    check("POST /contracts/batch/delete", &[], Some(r#"{"data": [{"id": "c"}]}"#), 422);
    check("PATCH /contracts/c/invoices/batch", &[], Some(r#"{"data": [{"id": 1, "changes": {}}]}"#), 422);
    // Read-only values are not compared with the hidden entity.
    check("PATCH /customers/{customer}", &[], Some(r#"{"id": "{customer}", "tenant": "a"}"#), 404);
    check("PUT /customers/{customer}", &[], Some(r#"{"id": "{customer}", "tenant": "a", "title": "Ada"}"#), 404);
}

#[test]
fn a_given_identifier_of_another_tenant_is_free() {
    for headers in PRECONDITIONS {
        check("GET /contracts/c", headers, None, 404);
        check("PATCH /contracts/c", headers, Some(r#"{"title": "Loan"}"#), 404);
        check("DELETE /contracts/c", headers, None, 404);
        let creates = headers.first().is_none_or(|(name, _)| *name == "If-None-Match");
        let status = if creates { 201 } else { 412 };
        check("PUT /contracts/c", headers, Some(r#"{"id": "c", "title": "Rent"}"#), status);
    }
    check("POST /contracts", &[], Some(r#"{"id": "c", "title": "Loan"}"#), 201);
    check(
        "POST /contracts/batch",
        &[],
        Some(r#"{"data": [{"id": "c", "title": "Loan"}, {"id": "d", "title": "Rent"}]}"#),
        201,
    );
}

#[test]
fn a_unique_value_of_another_tenant_is_free() {
    check("POST /customers", &[], Some(r#"{"title": "Ada"}"#), 201);
    check("POST /customers/batch", &[], Some(r#"{"data": [{"title": "Bo"}, {"title": "Ada"}]}"#), 201);
    check("POST /contracts", &[], Some(r#"{"id": "d", "title": "Rent"}"#), 201);
    check("PATCH /contracts/own", &[], Some(r#"{"title": "Rent"}"#), 200);
    check("PATCH /contracts/batch", &[], Some(r#"{"data": [{"id": "own", "changes": {"title": "Rent"}}]}"#), 200);
    check("PUT /contracts/own", &[], Some(r#"{"id": "own", "title": "Rent"}"#), 200);
    check("POST /contracts/own/invoices", &[], Some(r#"{"title": "May", "customer_id": null, "id": 1}"#), 422);
}

#[test]
fn a_reference_to_an_entity_of_another_tenant_is_missing() {
    let reference = r#"{"title": "New", "customer_id": "{customer}"}"#;
    let contract = r#"{"id": "d", "title": "New", "customer_id": "{customer}"}"#;
    let own = r#"{"id": "own", "title": "New", "customer_id": "{customer}"}"#;
    check("POST /contracts", &[], Some(contract), 422);
    check("PUT /contracts/d", &[], Some(contract), 422);
    check("PUT /contracts/own", &[], Some(own), 422);
    check("PATCH /contracts/own", &[], Some(r#"{"customer_id": "{customer}"}"#), 422);
    check("POST /contracts/own/invoices", &[], Some(reference), 422);
    check(
        "POST /contracts/batch",
        &[],
        Some(r#"{"data": [{"id": "d", "title": "New", "customer_id": "{customer}"}]}"#),
        422,
    );
}

#[test]
fn a_parent_of_another_tenant_looks_missing() {
    let body = Some(r#"{"title": "New"}"#);
    for path in
        ["/contracts/c/invoices", "/customers/{customer}/projects", "/customers/{customer}/projects/{customer}/tasks"]
    {
        check(&format!("GET {path}"), &[], None, 404);
        check(&format!("GET {path}?title=Rent&limit=1&order_by=-title"), &[], None, 404);
        check(&format!("POST {path}"), &[], body, 404);
    }
    check("POST /contracts/c/invoices/batch", &[], Some(r#"{"data": [{"title": "New"}]}"#), 404);
    check(
        "POST /customers/{customer}/projects/{customer}/tasks/batch",
        &[],
        Some(r#"{"data": [{"title": "New"}]}"#),
        404,
    );
}

#[test]
fn lists_and_totals_exclude_entities_of_other_tenants() {
    for query in
        ["", "?title=Ada", "?title=Own", "?title[contains]=a", "?order_by=-title", "?limit=1&page=2", "?page=3"]
    {
        check(&format!("GET /customers{query}"), &[], None, 200);
    }
    for query in
        ["", "?title=Rent", "?customer_id={customer}", "?customer_id[in]={customer}", "?limit=1&order_by=-title"]
    {
        check(&format!("GET /contracts{query}"), &[], None, 200);
    }
}

/// A cursor of another tenant is rejected like a cursor of another list.
#[test]
fn rejects_a_cursor_of_another_tenant() {
    let leaks = Leaks::new(true);
    leaks.tenants.create("a", "/contracts", json!({"id": "d", "title": "Loan"}));
    leaks.tenants.create("b", "/contracts", json!({"id": "d", "title": "Loan"}));
    let next = |caller: &str, query: &str| {
        let page: Value = leaks.tenants.send(caller, &format!("GET /contracts?limit=1{query}"), &[], None).json();
        page["pagination"]["next_cursor"].as_str().unwrap().to_owned()
    };
    let cursors = [next("a", ""), next("b", "&order_by=-title")];
    let [others, own] = cursors.map(|cursor| {
        leaks.tenants.store.take_calls();
        leaks.observe(&format!("GET /contracts?limit=1&cursor={cursor}"), &[], None)
    });
    assert_eq!(others, own);
    assert!(others.0 == 422 && others.1.ends_with(",[]]"), "{others:?}");
}

/// Entities of another tenant cannot refer to the caller's entity, so they do not prevent its deletion.
#[test]
fn entities_of_another_tenant_do_not_prevent_a_delete() {
    for caller_has_contract in [true, false] {
        let tenants = Tenants::new();
        let own = tenants.create("b", "/customers", json!({"title": "Own"}));
        let id = own["id"].as_str().unwrap();
        let refused =
            tenants.outcome("a", "POST /contracts", Some(json!({"id": "c", "title": "C", "customer_id": id})));
        assert_eq!(refused, (422, json!(["invalid_request", "/customer_id missing_reference"])));
        if caller_has_contract {
            tenants.create("b", "/contracts", json!({"id": "c", "title": "C", "customer_id": id}));
        }
        let deleted = tenants.outcome("b", &format!("DELETE /customers/{id}"), None).0;
        assert_eq!(deleted, if caller_has_contract { 409 } else { 200 });
    }
}
