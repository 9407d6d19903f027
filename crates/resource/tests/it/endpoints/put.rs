//! Replacements.

use restwright::auth::{Access, CrudAccess};
use restwright::prelude::*;
use restwright::schema::Mode;
use restwright::testing::TestClient;
use restwright_resource::{Endpoints, Resource};
use serde_json::{Value, json};

use super::counting_store::CountingStore;
use super::declare::{Contract, Customer, Project};
use super::tenants::{Tenants, configuration, outcome, scoped};

/// Two tenants, and the tag of the only contract `c`.
fn tenants() -> (Tenants, String) {
    let tenants = Tenants::new();
    let created = tenants.send("a", "POST /contracts", &[], Some(json!({"id": "c", "title": "Rent"})));
    let tag = created.header("etag").unwrap().to_owned();
    tenants.create("a", "/contracts", json!({"id": "d", "title": "Loan"}));
    (tenants, tag)
}

#[test]
fn a_put_replaces_or_creates() {
    let violation = |errors: &str| json!(["invalid_request", errors]);
    for (request, header, body, expected) in [
        ("PUT /contracts/c", None, json!({"id": "c", "title": "Lease"}), (200, json!("Lease"))),
        ("PUT /contracts/c", Some(("If-Match", "{tag}")), json!({"id": "c", "title": "Lease"}), (200, json!("Lease"))),
        ("PUT /contracts/c", Some(("If-Match", "*")), json!({"id": "c", "title": "Lease"}), (200, json!("Lease"))),
        ("PUT /contracts/e", None, json!({"id": "e", "title": "Lease"}), (201, json!("Lease"))),
        ("PUT /contracts/e", Some(("If-None-Match", "*")), json!({"id": "e", "title": "Lease"}), (201, json!("Lease"))),
        ("PUT /contracts/%62%20%2F", None, json!({"id": "b /", "title": "Lease"}), (201, json!("Lease"))),
        (
            "PUT /contracts/c",
            Some(("If-None-Match", "*")),
            json!({"id": "c", "title": "Lease"}),
            (412, json!(["precondition_failed", ""])),
        ),
        (
            "PUT /contracts/c",
            Some(("If-Match", "\"7\"")),
            json!({"id": "c", "title": "Lease"}),
            (412, json!(["precondition_failed", ""])),
        ),
        (
            "PUT /contracts/e",
            Some(("If-Match", "*")),
            json!({"id": "e", "title": "Lease"}),
            (412, json!(["precondition_failed", ""])),
        ),
        ("PUT /contracts/c", None, json!({"id": "e", "title": "Lease"}), (422, violation("/id read_only"))),
        ("PUT /contracts/e", None, json!({"id": "c", "title": "Lease"}), (422, violation("/id read_only"))),
        ("PUT /contracts/c", None, json!({"id": "c"}), (422, violation("/title required"))),
        ("PUT /contracts/c", None, json!([]), (422, violation(" type"))),
        (
            "PUT /contracts/c",
            None,
            json!({"id": "c", "title": "Rent", "colour": 7, "version": 7}),
            (422, violation("/colour unknown_property")),
        ),
        (
            "PUT /contracts/c",
            None,
            json!({"id": "c", "title": "Rent", "tenant": "b", "version": 7, "created_at": null}),
            (422, violation("/tenant read_only, /created_at read_only, /version read_only")),
        ),
        // There is no stored value that it could equal.
        (
            "PUT /contracts/e",
            None,
            json!({"id": "e", "title": "Lease", "tenant": "a", "version": 7}),
            (422, violation("/version read_only")),
        ),
        ("PUT /contracts/e", None, json!({"id": "e", "title": "Lease", "tenant": "a"}), (201, json!("Lease"))),
        ("PUT /contracts/c", None, json!({"id": "c", "title": "Loan"}), (409, json!(["conflict", "/title conflict"]))),
        ("PUT /contracts/e", None, json!({"id": "e", "title": "Loan"}), (409, json!(["conflict", "/title conflict"]))),
    ] {
        let (tenants, tag) = tenants();
        let header = header.map(|(name, value)| (name, value.replace("{tag}", &tag)));
        let headers: Vec<_> = header.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let response = tenants.send("a", request, &headers, Some(body.clone()));
        let (status, shown) = outcome(&response);
        let shown = if status < 400 { shown["title"].clone() } else { shown };
        assert_eq!((status, shown), expected, "{request} {headers:?} {body}");
        assert_eq!(response.header("etag"), None);
    }
}

#[test]
fn a_put_accepts_a_viewed_entity() {
    let (tenants, tag) = tenants();
    let shown = tenants.outcome("a", "GET /contracts/c", None).1;
    let replaced = tenants.send("a", "PUT /contracts/c", &[("If-Match", &tag)], Some(shown.clone()));
    let (status, replaced) = outcome(&replaced);
    assert_eq!(status, 200);
    assert_ne!(replaced["version"], shown["version"]);
    for name in ["id", "title", "tenant", "created_at", "customer_id"] {
        assert_eq!(replaced[name], shown[name], "{name}");
    }
    // The tag contains the version.
    let viewed = tenants.send("a", "GET /contracts/c", &[], None);
    assert_eq!(viewed.header("etag").unwrap(), format!("\"{}\"", replaced["version"]));
    tenants.send("a", "PUT /contracts/c", &[("If-Match", &tag)], Some(shown)).assert_status(412);
}

#[test]
fn a_put_of_a_missing_entity_is_404_if_the_store_generates_identifiers() {
    let (tenants, _) = tenants();
    let missing = "PUT /customers/01890000-0000-7000-8000-000000000000";
    let body = || Some(json!({"title": "Ada"}));
    assert_eq!(tenants.outcome("a", missing, body()), (404, json!(["not_found", ""])));
    let id = tenants.create("a", "/customers", json!({"title": "Ada"}))["id"].as_str().unwrap().to_owned();
    let replaced = tenants.outcome("a", &format!("PUT /customers/{id}"), Some(json!({"title": "Eve", "id": id})));
    assert_eq!((replaced.0, &replaced.1["title"]), (200, &json!("Eve")));
    let swapped = json!({"title": "Eve", "id": "01890000-0000-7000-8000-000000000000"});
    let refused = (422, json!(["invalid_request", "/id read_only"]));
    assert_eq!(tenants.outcome("a", &format!("PUT /customers/{id}"), Some(swapped)), refused);
    let deleted = tenants.outcome("a", &format!("DELETE /customers/{id}"), None);
    assert_eq!((deleted.0, &deleted.1["title"]), (200, &json!("Eve")));
}

/// Read-only members do not count towards the limit of violations.
#[test]
fn a_put_accepts_a_viewed_entity_with_any_limit_of_violations() {
    let tenants = Tenants::with(configuration().max_violations(1));
    tenants.create("a", "/contracts", json!({"id": "c", "title": "Rent"}));
    let shown = tenants.outcome("a", "GET /contracts/c", None).1;
    assert_eq!(tenants.outcome("a", "PATCH /contracts/c", Some(shown.clone())).0, 200);
    let shown = tenants.outcome("a", "GET /contracts/c", None).1;
    assert_eq!(tenants.outcome("a", "PUT /contracts/c", Some(shown)).0, 200);
}

#[test]
fn replacements_may_require_preconditions() {
    let store = CountingStore::default();
    let contracts = scoped::<Contract>(&store).put().require_preconditions();
    // Contracts refer to customers.
    let api = Api::builder(configuration()).module(&contracts).module(&scoped::<Customer>(&store));
    let client = TestClient::new(api.build().unwrap());
    let put = |name: &str, value: &str| {
        let body = json!({"id": "c", "title": "Rent"});
        client.put("/contracts/c").header("X-Caller", "a").header(name, value).json(&body).send()
    };
    for (name, value, status) in
        [("X-No", "1", 428), ("If-None-Match", "*", 201), ("X-No", "1", 428), ("If-Match", "*", 200)]
    {
        put(name, value).assert_status(status).assert_documented();
    }
}

/// The required access to creates and updates, for each kind of identifier.
#[test]
fn a_put_that_may_create_requires_the_access_to_creates() {
    fn statuses<R: Resource>(path: &str, body: &Value) -> Vec<u16> {
        let deny = |mode: Mode| CrudAccess::from(Access::authenticated("caller")).with(mode, denied());
        let accesses = [Access::authenticated("caller").into(), deny(Mode::Create), deny(Mode::Update)];
        let send = |access: CrudAccess| {
            let store = CountingStore::default();
            let endpoints = Endpoints::<R>::new(store.clone(), access).scope_claim("tenant", "tenant").put();
            // The parents of projects must be declared too.
            let api = Api::builder(configuration()).module(&endpoints).module(&scoped::<Project>(&store));
            let client = TestClient::new(api.build().unwrap());
            let response = client.put(path).header("X-Caller", "a").json(body).send();
            response.assert_documented().status().as_u16()
        };
        accesses.into_iter().map(send).collect()
    }
    fn denied() -> Access {
        Access::authenticated("caller").all_permissions(["nobody"]).into()
    }
    assert_eq!(statuses::<Contract>("/contracts/c", &json!({"id": "c", "title": "Rent"})), [201, 403, 403]);
    let missing = "/customers/01890000-0000-7000-8000-000000000000";
    assert_eq!(statuses::<Customer>(missing, &json!({"title": "Ada"})), [404, 404, 403]);
}
