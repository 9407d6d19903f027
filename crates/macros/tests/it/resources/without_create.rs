//! `without(create)`: the name of the type `NewX` is free for the application.

use restwright::auth::Access;
use restwright::prelude::*;
use restwright::resource::{Endpoints, EntityStore, MemoryStore, Resource, Scope};
use restwright::testing::TestClient;
use restwright_openapi::Document;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// An order. The application creates it together with its items.
#[derive(Clone, Serialize, Deserialize, Resource)]
#[resource(path = "/orders", without(create))]
pub(crate) struct Order {
    #[property(id)]
    id: i64,
    /// The generated type must not hide the type of a field.
    customer: NewCustomer,
    #[property(read_only)]
    count: i64,
}

/// A customer of an order, whose resource has no create either.
#[derive(Clone, Serialize, Deserialize, Schema)]
pub(crate) struct NewCustomer {
    name: String,
}

/// The customer as a resource.
#[derive(Clone, Serialize, Resource)]
#[resource(path = "/customers", without(create))]
struct Customer {
    #[property(id)]
    id: i64,
    first: NewCustomer,
}

/// An order with its items.
#[derive(Deserialize, Schema)]
struct NewOrder {
    customer: NewCustomer,
    #[property(min_items = 1)]
    items: Vec<String>,
}

#[derive(Request)]
struct CreateOrder {
    #[body]
    order: NewOrder,
}

async fn create(store: &MemoryStore, NewOrder { customer, items }: NewOrder) -> Result<Data<Order>> {
    let count = i64::try_from(items.len()).unwrap();
    let scope = Scope::new();
    let order = EntityStore::<Order>::new(store, &scope).insert(Order { id: 0, customer, count }).await?;
    Ok(Data(order))
}

#[test]
fn the_application_defines_the_body_of_a_custom_create() {
    let store = MemoryStore::new();
    let of = store.clone();
    let route = Route::post("/orders").id("createOrder").public();
    let route = route.handler(async move |CreateOrder { order }| create(&of, order).await);
    let api = Api::builder(Configuration::new("shop", "1.0.0"))
        .module(&Endpoints::<Order>::new(store.clone(), Access::public()))
        .module(&Endpoints::<Customer>::new(store, Access::public()))
        .controller(route)
        .build()
        .unwrap();
    let document: Value = serde_json::from_str(&Document::from_api(&api).to_json()).unwrap();
    let body = &document["components"]["schemas"]["NewOrder"];
    assert_eq!(body["required"], json!(["customer", "items"]), "{document:#}");
    let order = json!({"customer": {"name": "Ada"}, "items": ["tea", "cake"]});
    let created = TestClient::new(api).post("/orders").json(&order).send();
    created.assert_json(&json!({"data": {"id": 1, "customer": {"name": "Ada"}, "count": 2}}));
}

/// The endpoints can still replace such an entity.
#[test]
fn endpoints_use_the_type_without_a_name() {
    let endpoints = Endpoints::<Customer>::new(MemoryStore::new(), Access::public()).put();
    let api = Api::builder(Configuration::new("shop", "1.0.0")).module(&endpoints).build();
    let found = api.unwrap_err().to_string();
    // `NewCustomer` is the type of a field and the body of the replacement.
    assert!(found.contains("NewCustomer"), "{found}");
}

mod named {
    //! The settings that generate the type.

    use super::*;

    #[derive(Clone, Serialize, Resource)]
    #[resource(path = "/drafts", without(create), new = "FirstDraft")]
    struct Draft {
        #[property(id)]
        id: i64,
        text: String,
    }

    #[derive(Clone, Serialize, Resource)]
    #[resource(path = "/words", without(create), new)]
    struct Word {
        #[property(id)]
        id: i64,
        text: String,
    }

    #[derive(Clone, Serialize, Resource)]
    #[resource(path = "/codes", without(create), put)]
    struct Code {
        #[property(id)]
        id: i64,
        text: String,
    }

    #[derive(Clone, Serialize, Resource)]
    #[resource(path = "/many", without(create), batch)]
    struct Many {
        #[property(id)]
        id: i64,
        text: String,
    }

    #[test]
    fn a_setting_or_an_operation_generates_the_type() {
        let text = || "a".to_owned();
        let texts = [
            Draft::create(FirstDraft { text: text() }).text,
            Word::create(NewWord { text: text() }).text,
            Code::create(NewCode { text: text() }).text,
            Many::create(NewMany { text: text() }).text,
        ];
        assert_eq!(texts, ["a"; 4]);
    }
}
