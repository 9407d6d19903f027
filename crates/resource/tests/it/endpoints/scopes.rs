//! Scopes: the entities that callers of a tenant see, and errors when an Api is built.

use restwright::auth::Access;
use restwright::prelude::*;
use restwright::schema::Mode;
use restwright_resource::{Endpoints, Export, Resource};
use serde_json::{Value, json};

use super::counting_store::CountingStore;
use super::declare::{Contract, Customer, Invoice, Writable};
use super::tenants::{Tenants, configuration, scoped};

#[test]
fn each_tenant_has_separate_entities() {
    let tenants = Tenants::new();
    for tenant in ["a", "b"] {
        let customer = tenants.create(tenant, "/customers", json!({"title": "Ada"}));
        assert_eq!(customer["tenant"], tenant);
        // Given identifiers and unique values are separate for each tenant.
        let contract = tenants.create(tenant, "/contracts", json!({"id": "c", "title": "Rent"}));
        assert_eq!(contract["tenant"], tenant);
        tenants.create(tenant, "/contracts/c/invoices", json!({"title": "May", "customer_id": customer["id"]}));
        let again = tenants.outcome(tenant, "POST /contracts", Some(json!({"id": "d", "title": "Rent"})));
        assert_eq!(again, (409, json!(["conflict", "/title conflict"])));
        let again = tenants.outcome(tenant, "POST /contracts", Some(json!({"id": "c", "title": "Loan"})));
        assert_eq!(again, (409, json!(["conflict", "/id conflict"])));
    }
    for (path, counted) in [("/customers", true), ("/contracts", false), ("/contracts/c/invoices", true)] {
        let list: Value = tenants.send("a", &format!("GET {path}"), &[], None).json();
        let found: Vec<_> = list["data"].as_array().unwrap().iter().map(|one| &one["tenant"]).collect();
        assert_eq!(
            (found, &list["pagination"]["total"]),
            (vec![&json!("a")], &if counted { json!(1) } else { Value::Null })
        );
    }
    tenants.send("a", "DELETE /contracts/c", &[], None).assert_status(204);
    assert_eq!(tenants.outcome("b", "GET /contracts/c/invoices/2", None).0, 200);
}

#[test]
fn callers_without_a_tenant_are_rejected_first() {
    let tenants = Tenants::new();
    tenants.create("a", "/contracts", json!({"id": "c", "title": "Rent"}));
    tenants.store.take_calls();
    for caller in ["-", "null", "empty", "7"] {
        for (request, body) in [
            ("POST /customers", Some(json!({"title": 7}))),
            ("POST /customers/batch", Some(json!({}))),
            ("GET /customers?limit=0", None),
            ("GET /customers/7", None),
            ("PATCH /customers/7", Some(json!([]))),
            ("PUT /customers/7", Some(json!([]))),
            ("DELETE /customers/7", None),
            ("GET /contracts?cursor=x", None),
            ("GET /contracts/c", None),
            ("PUT /contracts/c", Some(json!({"id": "c", "title": "Rent"}))),
            ("GET /contracts/c/invoices", None),
            ("GET /contracts/c/invoices/x", None),
            ("POST /contracts/c/invoices", Some(json!({"title": "May"}))),
            ("GET /customers/x/projects/y/tasks", None),
        ] {
            let response = tenants.send(caller, request, &[], body);
            response.assert_status(403).assert_problem("forbidden");
            assert!(response.text().contains("contain no value for `tenant`"), "{response:?}");
        }
    }
    assert_eq!(tenants.store.take_calls(), [""; 0]);
}

#[test]
fn permissions_lift_scopes_in_their_operations() {
    let tenants = Tenants::new();
    let ada = tenants.create("a", "/customers", json!({"title": "Ada"}));
    let one = format!("/customers/{}", ada["id"].as_str().unwrap());
    for caller in ["b auditor", "- auditor"] {
        assert_eq!(tenants.outcome(caller, &format!("GET {one}"), None), (200, ada.clone()));
        // A changed entity stays in its scope.
        let changed = tenants.outcome(caller, &format!("PATCH {one}"), Some(json!({"title": "Eve"})));
        assert_eq!((changed.0, &changed.1["tenant"]), (200, &json!("a")));
        let replaced = tenants.outcome(caller, &format!("PUT {one}"), Some(json!({"title": "Ada"})));
        assert_eq!((replaced.0, &replaced.1["tenant"]), (200, &json!("a")));
    }
    tenants.create("b", "/contracts", json!({"id": "c", "title": "Rent"}));
    tenants.create("a", "/contracts", json!({"id": "c", "title": "Rent"}));
    let listed = tenants.outcome("- auditor", "GET /contracts", None).1;
    assert_eq!(listed.as_array().unwrap().len(), 2);
    // The scope is not lifted in lists of customers and in creates.
    assert_eq!(tenants.outcome("b auditor", "GET /customers", None), (200, json!([])));
    assert_eq!(tenants.outcome("- auditor", "GET /customers", None).0, 403);
    assert_eq!(tenants.outcome("- auditor", "POST /customers", Some(json!({"title": "Bo"}))).0, 403);
    assert_eq!(tenants.create("b auditor", "/customers", json!({"title": "Ada"}))["tenant"], "b");
    let deleted = tenants.outcome("- auditor", &format!("DELETE {one}"), None);
    assert_eq!((deleted.0, &deleted.1["title"]), (200, &json!("Ada")));
}

#[test]
fn cursors_belong_to_a_scope() {
    let tenants = Tenants::new();
    for tenant in ["a", "b"] {
        for id in ["c", "d", "e"] {
            tenants.create(tenant, "/contracts", json!({"id": id, "title": id}));
        }
    }
    let next = |caller: &str| {
        let page: Value = tenants.send(caller, "GET /contracts?limit=1", &[], None).json();
        page["pagination"]["next_cursor"].as_str().unwrap().to_owned()
    };
    let callers = ["a", "b", "- auditor"];
    for maker in callers {
        let cursor = next(maker);
        for caller in callers {
            let response = tenants.send(caller, &format!("GET /contracts?limit=1&cursor={cursor}"), &[], None);
            assert_eq!(response.status(), if caller == maker { 200 } else { 422 }, "{maker} {caller}");
        }
    }
}

/// Returns the errors of an Api with these endpoints.
fn errors<R: Resource>(endpoints: &Endpoints<R>) -> Vec<String> {
    let built = Api::builder(configuration()).module(endpoints).build();
    built.err().map(|errors| errors.errors().iter().map(ToString::to_string).collect()).unwrap_or_default()
}

#[test]
fn rejects_invalid_scopes() {
    fn check<R: Resource>(endpoints: &Endpoints<R>, expected: &[&str]) {
        let found = errors(endpoints);
        assert_eq!(found.len(), expected.len(), "{found:#?}");
        for (found, expected) in found.iter().zip(expected) {
            assert!(found.contains(expected), "{found} lacks {expected}");
        }
    }
    let store = CountingStore::default();
    let bare = || Endpoints::<Customer>::new(store.clone(), Access::authenticated("caller"));
    check(&bare(), &["the field `tenant` of `customers` is a scope field without a source of its values"]);
    check(
        &bare().scope_claim("tenant", "tenant").scope_claim("title", "title"),
        &["`title` of `customers` is restricted to a value of the caller, but is not a scope field"],
    );
    // The order of the calls does not matter.
    check(&bare().lift_scope("tenant", Mode::List, "auditor").scope_claim("tenant", "tenant"), &[]);
    check(
        &bare().scope_claim("tenant", "tenant").lift_scope("tenent", Mode::List, "auditor"),
        &["`lift_scope` names the field `tenent` of `customers`, which is not a scope"],
    );
    check(
        &scoped::<Customer>(&store).lift_scope("tenant", Mode::Create, "auditor"),
        &["lifts the scope `tenant` of `customers` for creates"],
    );
    check(
        &scoped::<Contract>(&store).lift_scope("tenant", Mode::View, "auditor"),
        &["for an operation on one of the `contracts`, but their identifiers are unique only within a scope"],
    );
    check(
        &scoped::<Contract>(&store).lift_scope("tenant", Mode::List, "auditor").export(Export::new()),
        &["lifts the scope `tenant` of `contracts` for lists, but their identifiers are unique only within a scope"],
    );
    check(
        &scoped::<Invoice>(&store).lift_scope("tenant", Mode::List, "auditor"),
        &["for an operation on one of the `contracts`, but their identifiers are unique only within a scope"],
    );
    check(
        &scoped::<Invoice>(&store).scope_claim("contract_id", "contract"),
        &["`contract_id` of `invoices` is restricted to a value of the caller, but is not a scope field"],
    );
    check(
        &scoped::<Writable>(&store),
        &[
            "the field `project_id` of `writables` must have the same type as the identifier of its parent",
            "the body contains `tenant` of `writables`, which clients cannot set",
        ],
    );
}

#[test]
fn a_function_returns_the_value_of_a_scope() {
    let store = CountingStore::default();
    let customers = Endpoints::<Customer>::new(store, Access::authenticated("caller"));
    let customers = customers.scope("tenant", |identity| {
        identity.claims().get("tenant").and_then(Value::as_i64).map(|tenant| format!("number {tenant}").into())
    });
    let api = Api::builder(configuration()).module(&customers).build().unwrap();
    let client = restwright::testing::TestClient::new(api);
    let send =
        |caller: &str| client.post("/customers").header("X-Caller", caller).json(&json!({"title": "Ada"})).send();
    assert_eq!(send("7").json::<Value>()["data"]["tenant"], "number 7");
    send("a").assert_status(403).assert_documented();
}
