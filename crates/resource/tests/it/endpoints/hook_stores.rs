//! The entity stores of hooks, which are restricted to the scope of the operation.

use std::sync::{Arc, Mutex};

use restwright::list::{Expression, Offset, SortBag};
use restwright::prelude::*;
use restwright::testing::TestClient;
use restwright_resource::{HookContext, Hooks, ListQuery};
use serde_json::{Value, json};
use uuid::Uuid;

use super::counting_store::CountingStore;
use super::declare::{ByTitle, Contract, Customer};
use super::tenants::{configuration, scoped};

/// Hooks that run the statement in `X-Do` on the identifier in `X-Id` and record the result.
#[derive(Clone, Default)]
struct Probe {
    found: Arc<Mutex<Vec<String>>>,
}

impl Hooks<Contract> for Probe {
    async fn before_create(&self, context: &mut HookContext<'_>, _: &mut Contract) -> Result<()> {
        let header = |name: &str| context.headers().get(name).map(|value| value.to_str().unwrap().to_owned());
        let Some(what) = header("x-do") else { return Ok(()) };
        let id: Uuid = header("x-id").unwrap().parse().unwrap();
        let customer = Customer { id, tenant: "a".to_owned(), title: "Probe".to_owned() };
        let mut customers = context.store::<Customer>();
        let found = match what.as_str() {
            "find" => format!("{:?}", customers.find(&id).await?.is_some()),
            "count" => customers.count(Customer::FIELDS.id.eq(id)).await?.to_string(),
            "count all" => customers.count(Expression::TRUE).await?.to_string(),
            "first" => customers.first(&(), 10).await?.len().to_string(),
            "list" => {
                let (order, window) = (SortBag::<ByTitle>::by([]).unwrap(), Offset::new(0, 10).unwrap());
                customers.list(&ListQuery::new(&(), &order, &window)).await?.items.len().to_string()
            }
            "update" => format!("{:?}", customers.update(customer, None).await.map(|_| ())),
            "delete" => format!("{:?}", customers.delete(&id, None).await),
            _ => {
                // An identifier that is set would be kept, and must be unique in all scopes.
                let customer = Customer { id: Uuid::nil(), ..customer };
                format!("{:?}", customers.insert(customer).await.map(|inserted| inserted.tenant))
            }
        };
        self.found.lock().unwrap().push(found);
        Ok(())
    }
}

#[test]
fn hooks_do_not_see_entities_of_another_scope() {
    let (store, probe) = (CountingStore::default(), Probe::default());
    let contracts = scoped::<Contract>(&store).hooks(probe.clone());
    let api = Api::builder(configuration()).module(&contracts).module(&scoped::<Customer>(&store));
    let client = TestClient::new(api.build().unwrap());
    let create = |caller: &str, path: &str, headers: &[(&str, &str)], body: Value| {
        let request = client.post(path).header("X-Caller", caller);
        let response =
            headers.iter().fold(request, |request, (name, value)| request.header(name, value)).json(&body).send();
        response.assert_documented();
        response
    };
    let ada: Value = create("a", "/customers", &[], json!({"title": "Ada"})).json();
    let ada = ada["data"]["id"].as_str().unwrap();
    create("b", "/customers", &[], json!({"title": "Own"}));
    let missing = "01890000-0000-7000-8000-000000000000";
    for (number, what) in
        ["find", "count", "count all", "first", "list", "update", "delete", "insert"].into_iter().enumerate()
    {
        let observed = [ada, missing].map(|id| {
            store.take_calls();
            let body = json!({"id": format!("{number}{id}"), "title": format!("{number}{id}")});
            let status = create("b", "/contracts", &[("X-Do", what), ("X-Id", id)], body).status().as_u16();
            let found = probe.found.lock().unwrap().pop().unwrap();
            client.delete(format!("/contracts/{number}{id}")).header("X-Caller", "b").send();
            (status, found, store.take_calls())
        });
        let [there, nothing] = observed;
        if what == "insert" {
            // The entity gets the scope of the caller, regardless of the value that it has. Its title conflicts with the first entity.
            assert_eq!((there.0, there.1.as_str()), (201, "Ok(\"b\")"));
            assert!(nothing.1.contains("conflict"), "{nothing:?}");
            continue;
        }
        assert_eq!(there, nothing, "{what}");
        let expected = ["false", "0", "1", "1", "1", "not_found", "not_found"][number];
        assert!(there.1.contains(expected), "{what}: {there:?}");
    }
    let viewed: Value = client.get(format!("/customers/{ada}")).header("X-Caller", "a").send().json();
    assert_eq!(viewed["data"]["title"], "Ada");
}
