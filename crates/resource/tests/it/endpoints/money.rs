//! Exact decimals in bodies, filters, orders and responses.

use restwright::auth::Access;
use restwright::list::{CursorKey, Operator};
use restwright::prelude::*;
use restwright::schema::{decimal, int64};
use restwright::testing::{TestClient, TestResponse};
use restwright_resource::{Endpoints, HookContext, Hooks, IdentifierKind, ResourceDefinition};
use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::counting_store::CountingStore;

/// An item of an invoice.
#[derive(Clone, Debug, Serialize, Deserialize, Resource)]
#[resource(path = "/items", pagination = cursor(default = 2))]
struct Item {
    #[property(id)]
    id: i64,
    #[property(scale = 2, minimum = 0, filter(eq, ne, in, gt, gte, lt, lte, between), sort)]
    price: Decimal,
    #[property(filter(eq, is_null), sort)]
    factor: Option<Decimal>,
}

/// Writes a price without its zeros, which the stores add again.
struct Normalized;

impl Hooks<Item> for Normalized {
    async fn before_create(&self, _: &mut HookContext<'_>, item: &mut Item) -> Result<()> {
        item.price = item.price.normalize();
        Ok(())
    }
}

fn client() -> TestClient {
    let items = Endpoints::<Item>::new(CountingStore::default(), Access::public()).put().hooks(Normalized);
    let configuration = Configuration::new("shop", "1.0.0").with(CursorKey::new([7; 32]));
    TestClient::new(Api::builder(configuration).module(&items).build().unwrap())
}

fn send(client: &TestClient, request: &str, body: Option<Value>) -> TestResponse {
    let (method, path) = request.split_once(' ').unwrap();
    let request = client.request(method.parse().unwrap(), path);
    let response = match body {
        Some(body) => request.json(&body).send(),
        None => request.send(),
    };
    response.assert_documented();
    response
}

/// Creates items with these prices.
fn filled(prices: &[&str]) -> TestClient {
    let client = client();
    for price in prices {
        send(&client, "POST /items", Some(json!({"price": price}))).assert_status(201);
    }
    client
}

fn prices(client: &TestClient, query: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut cursor = String::new();
    loop {
        let listed: Value = send(client, &format!("GET /items?{query}{cursor}"), None).assert_status(200).json();
        let items = listed["data"].as_array().unwrap();
        found.extend(items.iter().map(|item| item["price"].as_str().unwrap().to_owned()));
        match listed["pagination"]["next_cursor"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => return found,
        }
    }
}

#[test]
fn every_response_has_the_digits_of_the_scale() {
    let client = client();
    let created = json!({"data": {"id": 1, "price": "12.50", "factor": "1.5"}});
    let body = json!({"price": "12.5", "factor": "1.500"});
    send(&client, "POST /items", Some(body)).assert_status(201).assert_json(&created);
    send(&client, "GET /items/1", None).assert_json(&created);
    let changed = json!({"data": {"id": 1, "price": "7.00", "factor": null}});
    let patch = send(&client, "PATCH /items/1", Some(json!({"price": "7", "factor": null})));
    patch.assert_status(200).assert_json(&changed);
    let replaced = json!({"data": {"id": 1, "price": "0.00", "factor": "100"}});
    let body = json!({"price": "-0.00", "factor": "100.00"});
    send(&client, "PUT /items/1", Some(body)).assert_status(200).assert_json(&replaced);
    assert_eq!(prices(&client, ""), ["0.00"]);
}

#[test]
fn values_that_no_column_stores_exactly_are_violations() {
    let client = client();
    for (body, expected) in [
        (json!({"price": 12.5}), "/price type"),
        (json!({"price": "12.505"}), "/price multiple_of"),
        (json!({"price": "-0.01"}), "/price minimum"),
        (json!({"price": "1".repeat(40)}), "/price format"),
        (json!({"price": "1", "factor": "0.".to_owned() + &"1".repeat(29)}), "/factor format"),
    ] {
        let problem: Value = send(&client, "POST /items", Some(body.clone())).assert_status(422).json();
        let found = &problem["errors"][0];
        assert_eq!(format!("{} {}", found["pointer"].as_str().unwrap(), found["code"].as_str().unwrap()), expected);
    }
    for query in ["price=1,5", "price[gt]=1e2", "price[in]=1,x", "price[between]=1", "factor=1_0"] {
        send(&client, &format!("GET /items?{query}"), None).assert_status(422);
    }
}

#[test]
fn filters_and_orders_compare_exactly() {
    let client = filled(&["9.99", "10", "0.3", "100.00", "0.30", "99999999999999999999999999.99", "2"]);
    for (query, expected) in [
        (
            "order_by=price",
            &["0.30", "0.30", "2.00", "9.99", "10.00", "100.00", "99999999999999999999999999.99"] as &[_],
        ),
        ("order_by=-price", &["99999999999999999999999999.99", "100.00", "10.00", "9.99", "2.00", "0.30", "0.30"]),
        ("price=0.3", &["0.30", "0.30"]),
        ("price=10.0", &["10.00"]),
        ("price[in]=2.00,100", &["100.00", "2.00"]),
        ("price[ne]=0.30&price[lt]=11", &["9.99", "10.00", "2.00"]),
        ("price[between]=2,9.99&order_by=price", &["2.00", "9.99"]),
        ("price[gte]=99999999999999999999999999.98", &["99999999999999999999999999.99"]),
        ("price[gt]=99999999999999999999999999.99", &[]),
        ("factor[is_null]=true&price[lte]=0.3", &["0.30", "0.30"]),
    ] {
        assert_eq!(prices(&client, query), expected, "{query}");
    }
}

#[test]
fn a_run_time_resource_has_the_same_decimals() {
    let shape = PropertyCollection::new("Fee")
        .property(int64("id").read_only())
        .property(decimal("amount").scale(2).minimum(0.01))
        .property(decimal("rate").optional());
    let fees = ResourceDefinition::new("/fees", "fees", shape, "id", IdentifierKind::Integer)
        .filter("amount", [Operator::Eq, Operator::Gt])
        .sort("amount");
    let fees = Endpoints::from_definition(fees, CountingStore::default(), Access::public());
    let client = TestClient::new(Api::builder(Configuration::new("shop", "1.0.0")).module(&fees).build().unwrap());
    for (body, expected) in [
        (json!({"amount": "10", "rate": "0.250"}), json!({"id": 1, "amount": "10.00", "rate": "0.25"})),
        (json!({"amount": "9.9"}), json!({"id": 2, "amount": "9.90"})),
    ] {
        let created = send(&client, "POST /fees", Some(body));
        created.assert_status(201).assert_json(&json!({"data": expected}));
        let id = expected["id"].as_i64().unwrap();
        send(&client, &format!("GET /fees/{id}"), None).assert_json(&json!({"data": expected}));
    }
    for (query, expected) in [("order_by=amount", vec![2, 1]), ("amount=9.90", vec![2]), ("amount[gt]=9.9", vec![1])] {
        let listed: Value = send(&client, &format!("GET /fees?{query}"), None).assert_status(200).json();
        let ids: Vec<_> = listed["data"].as_array().unwrap().iter().filter_map(|item| item["id"].as_i64()).collect();
        assert_eq!(ids, expected, "{query}");
    }
    send(&client, "POST /fees", Some(json!({"amount": "0"}))).assert_status(422);
    send(&client, "POST /fees", Some(json!({"amount": 1}))).assert_status(422);
}
