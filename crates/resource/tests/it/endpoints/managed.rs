//! Times and versions that the service sets.

use std::time::Duration;

use jiff::Timestamp;
use restwright::Clock;
use restwright_resource::{EntityStore, MemoryStore, Scope};
use serde_json::json;
use uuid::Uuid;

use super::declare::{Contract, Customer};
use super::tenants::{Tenants, configuration};

#[test]
fn managed_times_come_from_the_clock_of_the_api() {
    let clock = Clock::manual(1_700_000_000);
    let tenants = Tenants::with(configuration().clock(clock.clone()));
    let [first, second, third] = ["2023-11-14T22:13:20Z", "2023-11-14T22:13:21.5Z", "2023-11-14T22:13:23Z"];
    let check = |request: &str, body: Option<_>, expected: [&str; 2]| {
        let (_, shown) = tenants.outcome("a", request, body);
        let shown = if shown.is_array() { shown[0].clone() } else { shown };
        assert_eq!([&shown["created_at"], &shown["updated_at"]], expected, "{request}: {shown}");
    };
    check("POST /contracts", Some(json!({"id": "c", "title": "Rent"})), [first, first]);
    clock.advance(Duration::from_millis(1_500));
    check("PATCH /contracts/c", Some(json!({"title": "Loan"})), [first, second]);
    check("PUT /contracts/c", Some(json!({"id": "c", "title": "Rent"})), [first, second]);
    clock.advance(Duration::from_millis(1_500));
    check("GET /contracts/c", None, [first, second]);
    check("PATCH /contracts/c", Some(json!({})), [first, third]);
    check("PUT /contracts/c", Some(json!({"id": "c", "title": "Rent"})), [first, third]);
    check("PUT /contracts/d", Some(json!({"id": "d", "title": "Loan"})), [third, third]);
    check("POST /contracts/batch", Some(json!({"data": [{"id": "e", "title": "E"}]})), [third, third]);
}

#[tokio::test]
async fn an_entity_store_sets_the_scope_and_the_times() {
    let (store, scope) = (MemoryStore::new(), Scope::new().with("tenant", "a"));
    let [none, first, second] = [0, 1, 2].map(|second| Timestamp::from_second(second).unwrap());
    let (id, title, tenant) = ("c".to_owned(), "Rent".to_owned(), String::new());
    let contract = Contract { id, title, tenant, customer_id: None, created_at: none, updated_at: none, version: 0 };
    let contracts = || EntityStore::<Contract>::new(&store, &scope);
    let inserted = contracts().at(first).insert(contract).await.unwrap();
    assert_eq!((inserted.tenant.as_str(), inserted.created_at, inserted.updated_at), ("a", first, first));
    let updated = contracts().at(second).update(inserted.clone(), None).await.unwrap();
    assert_eq!([updated.created_at, updated.updated_at], [first, second]);
    assert!(inserted.version != 0 && updated.version != inserted.version);
}

#[tokio::test]
async fn an_entity_store_needs_the_whole_scope() {
    let (store, a) = (MemoryStore::new(), Scope::new().with("tenant", "a"));
    let now = Timestamp::UNIX_EPOCH;
    let contract = |id: &str, tenant: &str| Contract {
        id: id.to_owned(),
        title: id.to_owned(),
        tenant: tenant.to_owned(),
        customer_id: None,
        created_at: now,
        updated_at: now,
        version: 0,
    };
    let of = |scope: &Scope| EntityStore::<Contract>::new(&store, scope);
    let stored = of(&a).insert(contract("1", "")).await.unwrap();
    of(&Scope::new().with("tenant", "b")).insert(contract("2", "")).await.unwrap();
    let lacks = "lacks the field `tenant`";
    let unknown = "contains `tenant_id`, which is not one of its scope fields (`tenant`)";
    for (scope, message) in [
        (Scope::new(), lacks),
        (Scope::new().with("tenant_id", "a"), unknown),
        (a.clone().with("tenant_id", "a"), unknown),
    ] {
        let query = of(&scope).first(&(), 9).await.map(drop).unwrap_err();
        for problem in [
            query,
            of(&scope).find(&"1".to_owned()).await.map(drop).unwrap_err(),
            of(&scope).count(&()).await.map(drop).unwrap_err(),
            of(&scope).insert(contract("3", "a")).await.map(drop).unwrap_err(),
            of(&scope).update(stored.clone(), None).await.map(drop).unwrap_err(),
            of(&scope).delete(&"1".to_owned(), None).await.unwrap_err(),
        ] {
            let cause = format!("{problem:?}");
            assert!(problem.status() == 500 && cause.contains(message), "{scope:?}: {cause}");
        }
    }
    let misspelt = of(&Scope::new().with("tenant_id", "a")).all_scopes().count(&()).await.unwrap_err();
    assert!(format!("{misspelt:?}").contains(unknown), "{misspelt:?}");
    let all = || of(&Scope::new()).all_scopes();
    assert_eq!((all().count(&()).await.unwrap(), of(&a).all_scopes().count(&()).await.unwrap()), (2, 1));
    let everywhere = Scope::new();
    let customers = || EntityStore::<Customer>::new(&store, &everywhere).all_scopes();
    let customer = |tenant: &str| Customer { id: Uuid::nil(), tenant: tenant.to_owned(), title: "Ann".to_owned() };
    let [c, d] = [customers().insert(customer("c")).await.unwrap(), customers().insert(customer("d")).await.unwrap()];
    assert_eq!([&*c.tenant, &*d.tenant], ["c", "d"]);
    customers().delete(&c.id, None).await.unwrap();
    assert_eq!(customers().count(&()).await.unwrap(), 1);
}

#[test]
fn clients_cannot_write_managed_values() {
    let tenants = Tenants::new();
    tenants.create("a", "/contracts", json!({"id": "c", "title": "Rent"}));
    let shown = tenants.outcome("a", "GET /contracts/c", None).1;
    for (name, other) in
        [("created_at", json!("2024-01-01T00:00:00Z")), ("updated_at", json!(null)), ("version", json!(7))]
    {
        let with = |value| json!({"id": "d", "title": "Loan", name: value});
        let refused = tenants.outcome("a", "POST /contracts", Some(with(&other)));
        assert_eq!(refused, (422, json!(["invalid_request", format!("/{name} unknown_property")])));
        for value in [&other, &json!({"deep": [1]})] {
            let refused = tenants.outcome("a", "PATCH /contracts/c", Some(json!({name: value})));
            assert_eq!(refused, (422, json!(["invalid_request", format!("/{name} read_only")])));
        }
    }
    // Unchanged values are accepted.
    let changed = tenants.outcome("a", "PATCH /contracts/c", Some(shown.clone()));
    assert_eq!((changed.0, &changed.1["created_at"]), (200, &shown["created_at"]));
}

#[test]
fn a_version_field_is_returned_and_every_resource_has_an_etag() {
    let tenants = Tenants::new();
    let created = tenants.send("a", "POST /contracts", &[], Some(json!({"id": "c", "title": "Rent"})));
    let version = created.json::<serde_json::Value>()["data"]["version"].clone();
    assert_eq!(created.header("etag").unwrap(), format!("\"{version}\""));
    let created = tenants.send("a", "POST /customers", &[], Some(json!({"title": "Ada"})));
    assert!(created.header("etag").is_some() && !created.text().contains("version"));
}
