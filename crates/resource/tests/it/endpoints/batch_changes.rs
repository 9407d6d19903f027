//! Batches of updates and deletes.

use std::rc::Rc;

use restwright::auth::Access;
use restwright::http::Method;
use restwright::prelude::*;
use restwright::schema::Mode;
use restwright::testing::TestClient;
use restwright_resource::{Endpoints, MemoryStore};
use serde::Serialize;
use serde_json::{Value, json};

use super::counting_store::CountingStore;
use super::declare::{Contract, Customer};
use super::tenants::{Tenants, configuration, outcome, scoped};

/// Contracts `c`, `d` and `e` of tenant `a`, with the titles `C`, `D` and `E`.
fn contracts() -> Tenants {
    let tenants = Tenants::new();
    for (id, title) in [("c", "C"), ("d", "D"), ("e", "E")] {
        tenants.create("a", "/contracts", json!({"id": id, "title": title}));
    }
    tenants
}

fn version(tenants: &Tenants, id: &str) -> Value {
    tenants.outcome("a", &format!("GET /contracts/{id}"), None).1["version"].clone()
}

fn titles(tenants: &Tenants) -> Vec<String> {
    let listed = tenants.outcome("a", "GET /contracts?order_by=id", None).1;
    listed.as_array().unwrap().iter().map(|one| one["title"].as_str().unwrap().to_owned()).collect()
}

const MISSING: &str = "01890000-0000-7000-8000-000000000000";

#[test]
fn updates_return_the_entities_in_the_order_of_the_request() {
    let tenants = contracts();
    let versions = ["d", "e"].map(|id| version(&tenants, id));
    tenants.store.take_calls();
    let body = json!({"data": [
        {"id": "d", "if_match": format!("\"{}\"", versions[0]), "changes": {"title": "D2"}},
        {"id": "c", "changes": {"title": "C2"}},
        // Read-only values may be sent unchanged.
        {"id": "e", "if_match": format!("\"{};gzip\"", versions[1]), "changes": {"id": "e", "version": versions[1]}},
    ]});
    let updated = tenants.outcome("a", "PATCH /contracts/batch", Some(body));
    let found: Vec<_> = updated.1.as_array().unwrap().iter().map(|one| one["title"].as_str().unwrap()).collect();
    assert_eq!((updated.0, found), (200, vec!["D2", "C2", "E"]));
    assert_ne!(updated.1[0]["version"], versions[0]);
    let calls = tenants.store.take_calls();
    assert_eq!(calls.iter().filter(|call| call.starts_with("begin") || call.starts_with("commit")).count(), 2);
    assert_eq!(titles(&tenants), ["C2", "D2", "E"]);
}

/// A page of a wiki.
#[derive(Clone, Debug, Serialize, Resource)]
#[resource(path = "/pages", batch)]
struct Page {
    #[property(id)]
    id: i64,
    title: String,
}

#[test]
fn weak_tags_satisfy_if_match_in_a_batch() {
    let endpoints = Endpoints::<Page>::new(MemoryStore::new(), Access::public());
    let api = Api::builder(Configuration::new("pages", "1.0.0").weak_tags()).module(&endpoints).build().unwrap();
    let client = TestClient::new(api);
    let created = client.post("/pages").json(&json!({"title": "a"})).send();
    let tag = created.assert_status(201).header("etag").unwrap().to_owned();
    assert!(tag.starts_with("W/\""), "{tag}");
    let change = |if_match: &str| {
        let body = json!({"data": [{"id": 1, "if_match": if_match, "changes": {"title": "b"}}]});
        let response = client.patch("/pages/batch").json(&body).send();
        response.assert_documented();
        response.status().as_u16()
    };
    assert_eq!([change("W/\"other\""), change(&tag), change(&tag)], [412, 200, 412]);
}

#[test]
fn deletes_respond_without_content() {
    let tenants = contracts();
    let body = json!({"data": [{"id": "e", "if_match": format!("\"{}\"", version(&tenants, "e"))}, {"id": "c"}]});
    assert_eq!(tenants.outcome("a", "POST /contracts/batch/delete", Some(body)), (204, Value::Null));
    assert_eq!(titles(&tenants), ["D"]);
}

/// Returns a batch with a valid first item and the given second item.
fn second(item: &Value) -> Value {
    let mut first = json!({"id": "e"});
    if item.get("changes").is_some() {
        first["changes"] = json!({"title": "E2"});
    }
    json!({"data": [first, item]})
}

#[test]
fn batches_change_all_entities_or_none() {
    let update = |id: &str, changes: Value| second(&json!({"id": id, "changes": changes}));
    let many = json!({"data": vec![json!({"id": "c", "changes": {}}); 101]});
    let refused = "invalid_request";
    for (request, body, status, code, errors) in [
        ("PATCH", json!({"data": []}), 422, refused, "/data min_items"),
        ("PATCH", many, 422, refused, "/data max_items"),
        ("PATCH", json!([]), 422, refused, " type"),
        ("PATCH", json!({}), 422, refused, "/data required"),
        (
            "PATCH",
            json!({"data": [7, {}]}),
            422,
            refused,
            "/data/0 type, /data/1/id required, /data/1/changes required",
        ),
        ("PATCH", second(&json!({"id": 7, "changes": {}})), 422, refused, "/data/1/id type"),
        ("PATCH", second(&json!({"id": null, "changes": {}})), 422, refused, "/data/1/id null"),
        (
            "PATCH",
            second(&json!({"id": "c", "changes": {}, "title": "C"})),
            422,
            refused,
            "/data/1/title unknown_property",
        ),
        (
            "PATCH",
            second(&json!({"id": "c", "changes": {}, "if_match": "3"})),
            422,
            refused,
            "/data/1/if_match pattern",
        ),
        (
            "PATCH",
            second(&json!({"id": "c", "changes": {}, "if_match": "*"})),
            422,
            refused,
            "/data/1/if_match pattern",
        ),
        ("PATCH", update("c", json!(null)), 422, refused, "/data/1/changes null"),
        ("PATCH", update("c", json!([])), 422, refused, "/data/1/changes type"),
        (
            "PATCH",
            update("c", json!({"title": "", "colour": 7})),
            422,
            refused,
            "/data/1/changes/title min_length, /data/1/changes/colour unknown_property",
        ),
        ("PATCH", update("c", json!({"title": "C\u{0}"})), 422, refused, "/data/1/changes/title invalid"),
        ("PATCH", update("c", json!({"tenant": "b"})), 422, refused, "/data/1/changes/tenant read_only"),
        (
            "PATCH",
            update("c", json!({"customer_id": MISSING})),
            422,
            refused,
            "/data/1/changes/customer_id missing_reference",
        ),
        ("PATCH", update("e", json!({})), 422, refused, "/data/1/id unique_items"),
        ("PATCH", update("f", json!({})), 422, refused, "/data/1/id missing_reference"),
        ("PATCH", update("f\u{0}", json!({})), 422, refused, "/data/1/id invalid"),
        ("PATCH", update("c", json!({"title": "D"})), 409, "conflict", "/data/1/changes/title conflict"),
        // Unique values cannot be exchanged.
        ("PATCH", update("c", json!({"title": "E"})), 200, "", ""),
        (
            "PATCH",
            second(&json!({"id": "c", "changes": {}, "if_match": "\"other\""})),
            412,
            "precondition_failed",
            "/data/1/if_match conflict",
        ),
        ("POST", json!({"data": []}), 422, refused, "/data min_items"),
        ("POST", second(&json!({"id": "f"})), 422, refused, "/data/1/id missing_reference"),
        ("POST", second(&json!({"id": "e"})), 422, refused, "/data/1/id unique_items"),
        (
            "POST",
            second(&json!({"id": "c", "if_match": "\"other\""})),
            412,
            "precondition_failed",
            "/data/1/if_match conflict",
        ),
        ("POST", json!({"data": [{"id": "c", "more": 1}]}), 422, refused, "/data/0/more unknown_property"),
    ] {
        let tenants = contracts();
        let path = if request == "PATCH" { "PATCH /contracts/batch" } else { "POST /contracts/batch/delete" };
        let found = tenants.outcome("a", path, Some(body.clone()));
        if status == 200 {
            assert_eq!(found.0, status, "{request} {body}: {found:?}");
            continue;
        }
        assert_eq!(found, (status, json!([code, errors])), "{request} {body}");
        assert_eq!(titles(&tenants), ["C", "D", "E"], "{request} {body}");
    }
}

/// Entities that refer to each other are deleted from the youngest to the oldest.
#[test]
fn a_referenced_entity_is_not_deleted() {
    let tenants = Tenants::new();
    let customer = tenants.create("a", "/customers", json!({"title": "Ada"}))["id"].clone();
    let free = tenants.create("a", "/customers", json!({"title": "Bo"}))["id"].clone();
    tenants.create("a", "/contracts", json!({"id": "c", "title": "C", "customer_id": customer}));
    let body = json!({"data": [{"id": free}, {"id": customer}]});
    let deleted = tenants.outcome("a", "POST /customers/batch/delete", Some(body));
    assert_eq!(deleted, (409, json!(["conflict", "/data/1/id conflict"])));
    assert_eq!(tenants.outcome("a", "GET /customers", None).1.as_array().unwrap().len(), 2);
}

#[test]
fn batches_require_preconditions_like_other_changes() {
    let store = CountingStore::default();
    let contracts = scoped::<Contract>(&store).batch().require_preconditions();
    let api = Api::builder(configuration()).module(&contracts).module(&scoped::<Customer>(&store));
    let client = TestClient::new(api.build().unwrap());
    let send = |method: Method, path: &str, body: Value| {
        let response = client.request(method, path).header("X-Caller", "a").json(&body).send();
        response.assert_documented();
        outcome(&response)
    };
    let created = send(Method::POST, "/contracts", json!({"id": "c", "title": "C"})).1;
    let required = (422, json!(["invalid_request", "/data/0/if_match required"]));
    let (id, tag) = (
        json!({"id": "c", "changes": {}}),
        json!({"id": "c", "if_match": format!("\"{}\"", created["version"]), "changes": {}}),
    );
    assert_eq!(send(Method::PATCH, "/contracts/batch", json!({"data": [id]})), required);
    assert_eq!(send(Method::PATCH, "/contracts/batch", json!({"data": [tag]})).0, 200);
    assert_eq!(send(Method::POST, "/contracts/batch/delete", json!({"data": [{"id": "c"}]})), required);
}

#[test]
fn batches_are_absent_without_the_operation() {
    let store = CountingStore::default();
    let contracts = scoped::<Contract>(&store).batch().without(Mode::Update).without(Mode::Delete);
    let api = Api::builder(configuration()).module(&contracts).module(&scoped::<Customer>(&store)).build().unwrap();
    let client = TestClient::new(api);
    let send = |method: Method, path: &str| client.request(method, path).header("X-Caller", "a").send();
    send(Method::PATCH, "/contracts/batch").assert_status(405).assert_header("allow", "OPTIONS, POST");
    send(Method::POST, "/contracts/batch/delete").assert_status(404);
}

#[test]
fn a_batch_of_changes_belongs_to_its_parent() {
    let tenants = contracts();
    for contract in ["c", "d"] {
        tenants.create("a", &format!("/contracts/{contract}/invoices"), json!({"title": contract}));
    }
    let changes = |id: i64| Some(json!({"data": [{"id": id, "changes": {"title": "New"}}]}));
    assert_eq!(tenants.outcome("a", "PATCH /contracts/c/invoices/batch", changes(1)).0, 200);
    let missing = (422, json!(["invalid_request", "/data/0/id missing_reference"]));
    assert_eq!(tenants.outcome("a", "PATCH /contracts/c/invoices/batch", changes(2)), missing);
    let integer = json!({"data": [{"id": 1.0, "changes": {"title": "Newer"}}, {"id": "1", "changes": {}}]});
    let text = (422, json!(["invalid_request", "/data/1/id type"]));
    assert_eq!(tenants.outcome("a", "PATCH /contracts/c/invoices/batch", Some(integer)), text);
    // As a double, this number is the integer below.
    let body = r#"{"data": [{"id": 9007199254740993.0, "changes": {}}]}"#.parse().unwrap();
    let double = (422, json!(["invalid_request", "/data/0/id invalid"]));
    assert_eq!(tenants.outcome("a", "PATCH /contracts/c/invoices/batch", Some(body)), double);
    let deleted = tenants.outcome("a", "POST /contracts/d/invoices/batch/delete", Some(json!({"data": [{"id": 2.0}]})));
    assert_eq!(deleted, (204, Value::Null));
}

/// Batches of the same entities in different orders do not fail, and none is mixed with another.
#[tokio::test(flavor = "local")]
async fn concurrent_batches_are_applied_as_a_whole() {
    let tenants = Rc::new(Tenants::new());
    let send = |tenants: Rc<Tenants>, method: Method, path: &'static str, body: Value| async move {
        tenants.client.request(method, path).header("X-Caller", "a").json(&body).await
    };
    let new: Vec<_> = ["c", "d", "e"].map(|id| json!({"id": id, "title": id})).into();
    send(tenants.clone(), Method::POST, "/contracts/batch", json!({"data": new})).await.assert_status(201);
    let tasks = (0..8).map(|number| {
        let mut items = ["c", "d", "e"].map(|id| json!({"id": id, "changes": {"title": format!("{id}{number}")}}));
        items.rotate_left(number % 3);
        let request = send(tenants.clone(), Method::PATCH, "/contracts/batch", json!({"data": items}));
        tokio::task::spawn_local(request)
    });
    for task in tasks.collect::<Vec<_>>() {
        task.await.unwrap().assert_status(200).assert_documented();
    }
    let listed: Value = send(tenants, Method::GET, "/contracts?order_by=id", json!({})).await.json();
    let titles = listed["data"].as_array().unwrap().iter().map(|one| one["title"].as_str().unwrap());
    let (ids, numbers): (String, Vec<_>) = titles.map(|title| title.split_at(1)).unzip();
    assert!(ids == "cde" && numbers.iter().all(|number| *number == numbers[0]), "{listed}");
}
