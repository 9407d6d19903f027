//! Batches.

use restwright::prelude::*;
use restwright::testing::TestClient;
use serde_json::{Value, json};

use super::counting_store::CountingStore;
use super::declare::{Contract, Customer};
use super::tenants::{Tenants, configuration, scoped};

fn contracts(ids: &[(&str, &str)]) -> Value {
    json!({"data": ids.iter().map(|(id, title)| json!({"id": id, "title": title})).collect::<Vec<_>>()})
}

#[test]
fn a_batch_creates_entities_in_order() {
    let tenants = Tenants::new();
    let titles: Vec<_> = (0..100).map(|number| format!("customer {}", 99 - number)).collect();
    let body = json!({"data": titles.iter().map(|title| json!({"title": title})).collect::<Vec<_>>()});
    let response = tenants.send("a", "POST /customers/batch", &[], Some(body));
    assert_eq!((response.assert_status(201).header("location"), response.header("etag")), (None, None));
    let created: Value = response.json();
    let found: Vec<_> = created["data"].as_array().unwrap().iter().map(|one| one["title"].as_str().unwrap()).collect();
    assert_eq!(found, titles);
    assert_eq!(tenants.send("a", "GET /customers", &[], None).json::<Value>()["pagination"]["total"], 100);
    let calls = tenants.store.take_calls();
    assert_eq!(calls.iter().filter(|call| call.starts_with("begin") || call.starts_with("commit")).count(), 2);
}

#[test]
fn a_batch_creates_all_entities_or_none() {
    let tenants = Tenants::new();
    tenants.create("a", "/contracts", json!({"id": "c", "title": "Rent"}));
    let many = json!({"data": vec![json!({"id": "d", "title": "D"}); 101]});
    let missing = "01890000-0000-7000-8000-000000000000";
    for (body, status, code, errors) in [
        (contracts(&[]), 422, "invalid_request", "/data min_items"),
        (many, 422, "invalid_request", "/data max_items"),
        (json!([]), 422, "invalid_request", " type"),
        (json!({}), 422, "invalid_request", "/data required"),
        (json!({"data": null}), 422, "invalid_request", "/data null"),
        (
            json!({"data": [7, null], "more": 1}),
            422,
            "invalid_request",
            "/data/0 type, /data/1 null, /more unknown_property",
        ),
        (contracts(&[("d", "D"), ("e", "")]), 422, "invalid_request", "/data/1/title min_length"),
        (
            json!({"data": [{"id": "d", "title": "D", "tenant": "b"}]}),
            422,
            "invalid_request",
            "/data/0/tenant unknown_property",
        ),
        (contracts(&[("d", "D"), ("e", "E"), ("f", "F"), ("g", "Rent")]), 409, "conflict", "/data/3/title conflict"),
        (contracts(&[("d", "D"), ("c", "E")]), 409, "conflict", "/data/1/id conflict"),
        // Two equal values within the batch.
        (contracts(&[("d", "D"), ("e", "E"), ("f", "D")]), 409, "conflict", "/data/2/title conflict"),
        (contracts(&[("d", "D"), ("d", "E")]), 409, "conflict", "/data/1/id conflict"),
        (
            json!({"data": [{"id": "d", "title": "D"}, {"id": "e", "title": "E", "customer_id": missing}]}),
            422,
            "invalid_request",
            "/data/1/customer_id missing_reference",
        ),
        (contracts(&[("d", "D"), ("e\0", "E")]), 422, "invalid_request", "/data/1/id invalid"),
        (contracts(&[("batch", "D"), ("", "E")]), 422, "invalid_request", "/data/0/id conflict, /data/1/id conflict"),
    ] {
        let found = tenants.outcome("a", "POST /contracts/batch", Some(body.clone()));
        assert_eq!(found, (status, json!([code, errors])), "{body}");
        assert_eq!(tenants.outcome("a", "GET /contracts", None).1.as_array().unwrap().len(), 1, "{body}");
    }
}

#[test]
fn rejects_the_path_of_an_operation_as_an_identifier() {
    let tenants = Tenants::new();
    let refused = (422, json!(["invalid_request", "/id conflict"]));
    for id in ["batch", "", ".", ".."] {
        assert_eq!(tenants.outcome("a", "POST /contracts", Some(json!({"id": id, "title": "B"}))), refused, "{id}");
    }
    // The path belongs to the batch in any percent-encoding.
    for path in ["/contracts/batch", "/contracts/%62atch"] {
        let body = json!({"id": "batch", "title": "B"});
        tenants
            .send("a", &format!("PUT {path}"), &[], Some(body))
            .assert_status(405)
            .assert_header("allow", "OPTIONS, PATCH, POST");
    }
    tenants.create("a", "/contracts", json!({"id": "Batch", "title": "B"}));
}

#[test]
fn accepts_batch_as_an_identifier_without_a_batch() {
    let store = CountingStore::default();
    // Contracts refer to customers.
    let api = Api::builder(configuration()).module(&scoped::<Contract>(&store)).module(&scoped::<Customer>(&store));
    let client = TestClient::new(api.build().unwrap());
    let body = json!({"id": "batch", "title": "B"});
    let response = client.post("/contracts").header("X-Caller", "a").json(&body).send();
    response.assert_documented().assert_status(201).assert_header("location", "/contracts/batch");
}

#[test]
fn a_batch_belongs_to_its_parent() {
    let tenants = Tenants::new();
    tenants.create("a", "/contracts", json!({"id": "c", "title": "Rent"}));
    let body = || Some(json!({"data": [{"title": "May"}, {"title": "June"}]}));
    let created = tenants.outcome("a", "POST /contracts/c/invoices/batch", body());
    assert_eq!((created.0, &created.1[1]["contract_id"]), (201, &json!("c")));
    let again = (409, json!(["conflict", "/data/0/title conflict"]));
    assert_eq!(tenants.outcome("a", "POST /contracts/c/invoices/batch", body()), again);
    assert_eq!(tenants.outcome("a", "POST /contracts/d/invoices/batch", body()), (404, json!(["not_found", ""])));
}
