//! Presenters, which change entities before they are written to a response.

use restwright::list::Expression;
use restwright::prelude::*;
use restwright::testing::TestClient;
use restwright_resource::{HookContext, Presenter};
use serde_json::{Value, json};

use super::counting_store::CountingStore;
use super::declare::{Contract, Customer};
use super::tenants::{configuration, outcome, scoped};

/// Hides titles from callers other than the one in the title, and reads from the store.
struct OwnTitles;

impl Presenter<Customer> for OwnTitles {
    async fn present(&self, context: &mut HookContext<'_>, entities: &mut [Customer]) -> Result<()> {
        let count = context.store::<Customer>().count(Expression::from(&())).await?;
        let subject = context.identity().subject().unwrap_or_default().to_owned();
        for entity in entities {
            entity.title = format!("{subject} of {count}");
        }
        Ok(())
    }
}

#[test]
fn a_presenter_changes_every_response_but_not_the_store() {
    let store = CountingStore::default();
    let customers = scoped::<Customer>(&store).put().batch().delete_returns_entity().presenter(OwnTitles);
    let client = TestClient::new(Api::builder(configuration()).module(&customers).build().unwrap());
    let mut id = String::new();
    for (request, body, expected) in [
        ("POST /customers", json!({"title": "Ada"}), json!("ada of 1")),
        ("GET /customers/{id}", Value::Null, json!("ada of 1")),
        ("GET /customers", Value::Null, json!(["ada of 1"])),
        ("PATCH /customers/{id}", json!({"title": "Eve"}), json!("ada of 1")),
        ("PUT /customers/{id}", json!({"title": "Bo"}), json!("ada of 1")),
        ("POST /customers/batch", json!({"data": [{"title": "C"}, {"title": "D"}]}), json!(["ada of 3", "ada of 3"])),
        ("DELETE /customers/{id}", Value::Null, json!("ada of 2")),
    ] {
        let (method, path) = request.split_once(' ').unwrap();
        let sent = client.request(method.parse().unwrap(), path.replace("{id}", &id)).header("X-Caller", "a");
        let response = if body.is_null() { sent.send() } else { sent.json(&body).send() };
        response.assert_documented();
        let data = outcome(&response).1;
        let titles = match data.as_array() {
            Some(items) => items.iter().map(|item| item["title"].clone()).collect(),
            None => data["title"].clone(),
        };
        assert_eq!(titles, expected, "{request}");
        if id.is_empty() {
            id = data["id"].as_str().unwrap().to_owned();
        }
    }
}

/// Hides the version of each contract.
struct HiddenVersion;

impl Presenter<Contract> for HiddenVersion {
    async fn present(&self, _: &mut HookContext<'_>, entities: &mut [Contract]) -> Result<()> {
        entities.iter_mut().for_each(|entity| entity.version = 0);
        Ok(())
    }
}

#[test]
fn compares_read_only_members_with_the_presented_entity() {
    let store = CountingStore::default();
    let contracts = scoped::<Contract>(&store).put().presenter(HiddenVersion);
    let client = TestClient::new(Api::builder(configuration()).module(&contracts).build().unwrap());
    let send = |method: &str, body: Value| {
        let path = if method == "POST" { "/contracts" } else { "/contracts/c" };
        outcome(&client.request(method.parse().unwrap(), path).header("X-Caller", "a").json(&body).send())
    };
    assert_eq!(send("POST", json!({"id": "c", "title": "Rent"})).0, 201);
    for method in ["PATCH", "PUT"] {
        for version in 0..4 {
            let body = json!({"id": "c", "title": "Rent", "version": version});
            let (status, shown) = send(method, body);
            // Only the value that the caller sees is accepted, so no request can find out the stored version.
            let expected = if version == 0 { 200 } else { 422 };
            assert_eq!(status, expected, "{method} {version}: {shown}");
        }
    }
}
