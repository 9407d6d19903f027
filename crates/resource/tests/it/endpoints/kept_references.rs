//! References that stay after a delete of their target: `references(Product, on_delete = keep)`.

use restwright::auth::Access;
use restwright::prelude::*;
use restwright::testing::TestClient;
use restwright_resource::Endpoints;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::counting_store::CountingStore;

/// A product.
#[derive(Clone, Debug, Serialize, Deserialize, Resource)]
#[resource(path = "/products")]
struct Product {
    #[property(id)]
    id: i64,
    name: String,
}

/// A sale of a product. The product can be deleted.
#[derive(Clone, Debug, Serialize, Deserialize, Resource)]
#[resource(path = "/sales", put, include(product(filter(name(eq, is_null)))))]
struct Sale {
    #[property(id)]
    id: i64,
    #[property(references(Product, on_delete = keep), filter(eq))]
    product_id: i64,
    note: String,
}

fn client() -> TestClient {
    let store = CountingStore::default();
    let products = Endpoints::<Product>::new(store.clone(), Access::public());
    let sales = Endpoints::<Sale>::new(store, Access::public());
    let api = Api::builder(Configuration::new("shop", "1.0.0")).module(&products).module(&sales);
    TestClient::new(api.build().unwrap())
}

/// Sends a request. Returns the status, and the data or the code and the pointer of the first violation.
#[track_caller]
fn outcome(client: &TestClient, request: &str, body: &Value) -> (u16, Value) {
    let (method, path) = request.split_once(' ').unwrap();
    let request = client.request(method.parse().unwrap(), path);
    let response = if body.is_null() { request.send() } else { request.json(body).send() };
    response.assert_documented();
    let status = response.status().as_u16();
    if status == 204 {
        return (status, Value::Null);
    }
    let shown: Value = response.json();
    let error = &shown["errors"][0];
    (status, if error.is_null() { shown["data"].clone() } else { json!([error["code"], error["pointer"]]) })
}

#[test]
fn a_deleted_target_is_missing_for_new_references_only() {
    let client = client();
    let send = |request: &str, body: Value| outcome(&client, request, &body);
    let sale = |product: i64, note: &str| json!({"product_id": product, "note": note});
    let missing = (422, json!(["missing_reference", "/product_id"]));
    for name in ["a", "b"] {
        assert_eq!(send("POST /products", json!({"name": name})).0, 201);
    }
    assert_eq!(send("POST /sales", sale(1, "first")).0, 201);
    assert_eq!(send("POST /sales", sale(2, "second")).0, 201);
    assert_eq!(send("DELETE /products/1", Value::Null).0, 204);
    let first = |note: &str| json!({"id": 1, "product_id": 1, "note": note});
    assert_eq!(send("GET /sales/1", Value::Null), (200, first("first")));
    // A new reference to a product that never existed, and to the deleted product.
    assert_eq!(send("POST /sales", sale(7, "-")), missing);
    assert_eq!(send("POST /sales", sale(1, "-")), missing);
    assert_eq!(send("PATCH /sales/2", json!({"product_id": 1})), missing);
    assert_eq!(send("PUT /sales/2", sale(1, "-")), missing);
    // The unchanged reference.
    assert_eq!(send("PATCH /sales/1", json!({"note": "changed"})), (200, first("changed")));
    assert_eq!(send("PATCH /sales/1", json!({"product_id": 1})), (200, first("changed")));
    assert_eq!(send("PUT /sales/1", sale(1, "replaced")), (200, first("replaced")));
    assert_eq!(send("PATCH /sales/1", json!({"product_id": 7})), missing);
    // It can change to an existing product, and not back.
    assert_eq!(send("PATCH /sales/1", json!({"product_id": 2})).0, 200);
    assert_eq!(send("PATCH /sales/1", json!({"product_id": 1})), missing);
    assert_eq!(send("DELETE /products/2", Value::Null).0, 204);
    assert_eq!(send("DELETE /sales/1", Value::Null).0, 204);
}

#[test]
fn a_deleted_target_is_null_in_includes_and_matches_no_filter() {
    let client = client();
    for name in ["a", "b"] {
        assert_eq!(outcome(&client, "POST /products", &json!({"name": name})).0, 201);
    }
    for product in [1, 2] {
        assert_eq!(outcome(&client, "POST /sales", &json!({"product_id": product, "note": ""})).0, 201);
    }
    assert_eq!(outcome(&client, "DELETE /products/1", &Value::Null).0, 204);
    let (_, sale) = outcome(&client, "GET /sales/1?include=product", &Value::Null);
    assert_eq!(sale, json!({"id": 1, "product_id": 1, "note": "", "product": null}));
    for (query, expected) in [
        ("product.name=a", vec![]),
        ("product.name=b", vec![2]),
        ("product.name[is_null]=true", vec![1]),
        ("product_id=1", vec![1]),
    ] {
        let (_, listed) = outcome(&client, &format!("GET /sales?{query}"), &Value::Null);
        let ids: Vec<_> = listed.as_array().unwrap().iter().map(|sale| sale["id"].as_i64().unwrap()).collect();
        assert_eq!(ids, expected, "{query}");
    }
}
