//! Parents in the path.

use serde_json::{Value, json};

use super::tenants::Tenants;

#[test]
fn the_path_contains_the_parent() {
    let tenants = Tenants::new();
    for id in ["c", "d/d ü"] {
        tenants.create("a", "/contracts", json!({"id": id, "title": id}));
    }
    let created = tenants.send("a", "POST /contracts/d%2Fd%20%C3%BC/invoices", &[], Some(json!({"title": "May"})));
    created.assert_status(201).assert_header("location", "/contracts/d%2Fd%20%C3%BC/invoices/1");
    assert_eq!(created.json::<Value>()["data"]["contract_id"], "d/d ü");
    tenants.create("a", "/contracts/c/invoices", json!({"title": "May"}));
    let may = json!({"title": "May", "customer_id": null, "id": 2, "tenant": "a", "contract_id": "c"});
    for (request, body, expected) in [
        ("GET /contracts/c/invoices", None, (200, json!([may]))),
        ("GET /contracts/c/invoices/2", None, (200, may.clone())),
        ("GET /contracts/c/invoices/1", None, (404, json!(["not_found", ""]))),
        ("GET /contracts/e/invoices", None, (404, json!(["not_found", ""]))),
        ("POST /contracts/e/invoices", Some(json!({"title": "June"})), (404, json!(["not_found", ""]))),
        ("POST /contracts/c/invoices", Some(json!({"title": "May"})), (409, json!(["conflict", "/title conflict"]))),
        (
            "POST /contracts/c/invoices",
            Some(json!({"title": "June", "contract_id": "d", "id": 7})),
            (422, json!(["invalid_request", "/contract_id unknown_property, /id unknown_property"])),
        ),
        (
            "PATCH /contracts/c/invoices/2",
            Some(json!({"contract_id": "d"})),
            (422, json!(["invalid_request", "/contract_id read_only"])),
        ),
        (
            "PUT /contracts/c/invoices/2",
            Some(json!({"title": "June", "contract_id": "d", "id": 1})),
            (422, json!(["invalid_request", "/id read_only, /contract_id read_only"])),
        ),
        ("PUT /contracts/c/invoices/2", Some(may.clone()), (200, may.clone())),
        ("PATCH /contracts/c/invoices/2", Some(may.clone()), (200, may.clone())),
        ("PUT /contracts/c/invoices/1", Some(json!({"title": "June"})), (404, json!(["not_found", ""]))),
        ("DELETE /contracts/c/invoices/1", None, (404, json!(["not_found", ""]))),
    ] {
        assert_eq!(tenants.outcome("a", request, body), expected, "{request}");
    }
    // Invoices are deleted with their contract.
    tenants.send("a", "DELETE /contracts/c", &[], None).assert_status(204);
    tenants.create("a", "/contracts", json!({"id": "c", "title": "c"}));
    assert_eq!(tenants.outcome("a", "GET /contracts/c/invoices", None), (200, json!([])));
}

#[test]
fn nested_parents_must_belong_together() {
    let tenants = Tenants::new();
    let id = |created: Value| created["id"].as_str().unwrap().to_owned();
    let [ada, eve] = ["Ada", "Eve"].map(|title| id(tenants.create("a", "/customers", json!({"title": title}))));
    let roof = id(tenants.create("a", &format!("/customers/{ada}/projects"), json!({"title": "Roof"})));
    let tasks = format!("/customers/{ada}/projects/{roof}/tasks");
    let created = tenants.send("a", &format!("POST {tasks}"), &[], Some(json!({"title": "Tiles"})));
    created.assert_status(201).assert_header("location", &format!("{tasks}/1"));
    let shown = created.json::<Value>()["data"].clone();
    assert_eq!((&shown["customer_id"], &shown["project_id"]), (&json!(ada), &json!(roof)));
    assert_eq!(tenants.outcome("a", &format!("GET {tasks}"), None), (200, json!([shown])));
    let missing = "01890000-0000-7000-8000-000000000000";
    for (customer, project) in [(&*eve, &*roof), (missing, &*roof), (&*ada, missing), (missing, missing)] {
        let tasks = format!("/customers/{customer}/projects/{project}/tasks");
        for (request, body) in [
            (format!("GET {tasks}"), None),
            (format!("POST {tasks}"), Some(json!({"title": "Beams"}))),
            (format!("POST {tasks}/batch"), Some(json!({"data": [{"title": "Beams"}]}))),
            (format!("GET {tasks}/1"), None),
            (format!("PATCH {tasks}/1"), Some(json!({"title": "Beams"}))),
            (format!("PUT {tasks}/1"), Some(json!({"title": "Beams"}))),
            (format!("DELETE {tasks}/1"), None),
        ] {
            assert_eq!(tenants.outcome("a", &request, body), (404, json!(["not_found", ""])), "{request}");
        }
    }
    let malformed = tenants.send("a", "GET /customers/7/projects/8/tasks/x", &[], None);
    malformed.assert_violations([
        ("path", "/project_id", "format"),
        ("path", "/customer_id", "format"),
        ("path", "/id", "type"),
    ]);
    // A customer with projects cannot be deleted. A project is deleted with its tasks.
    let refused = tenants.send("a", &format!("DELETE /customers/{ada}"), &[], None);
    assert!(refused.assert_status(409).text().contains("\"referenced_by\":\"projects\""), "{refused:?}");
    tenants.send("a", &format!("DELETE /customers/{ada}/projects/{roof}"), &[], None).assert_status(204);
    tenants.send("a", &format!("DELETE /customers/{ada}"), &[], None).assert_status(200);
}
