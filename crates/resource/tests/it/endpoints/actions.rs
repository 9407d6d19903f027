//! Actions, which are custom operations on one entity.

use std::sync::{Arc, Mutex};
use std::thread;

use restwright::auth::Access;
use restwright::http::StatusCode;
use restwright::prelude::*;
use restwright::problem::{ProblemKind, catalogue};
use restwright::testing::{TestClient, TestResponse};
use restwright_resource::{
    CommittedChange, Endpoints, HookContext, Hooks, NoBody, Presenter, Repository, Resource, Statement,
};
use serde_json::{Value, json};

use super::counting_store::CountingStore;
use super::declare::{Audit, Customer};
use super::tenants::{configuration, outcome, scoped};

/// A suffix for the title of a customer.
#[derive(Clone, serde::Deserialize, Schema)]
struct Close {
    #[property(max_length = 100)]
    suffix: String,
}

async fn close(customer: &mut Customer, close: Close, context: &mut HookContext<'_>) -> Result<()> {
    if customer.title.ends_with("closed") {
        return Err(Problem::new(catalogue::CONFLICT).detail("It is closed already."));
    }
    let title = format!("{} of {}", customer.title, context.identity().subject().unwrap());
    context.insert(Audit { id: 0, tenant: String::new(), count: 0, title }).await?;
    customer.title += &close.suffix;
    Ok(())
}

/// Records what happens to customers, and presents their titles in capitals.
#[derive(Clone, Default)]
struct Notes(Arc<Mutex<Vec<String>>>);

impl Hooks<Customer> for Notes {
    async fn before_update(&self, _: &mut HookContext<'_>, before: &Customer, customer: &mut Customer) -> Result<()> {
        self.0.lock().unwrap().push(format!("{} -> {}", before.title, customer.title));
        Ok(())
    }

    async fn after_commit(&self, change: &CommittedChange<Customer>) {
        if let CommittedChange::Updated { after, .. } = change {
            self.0.lock().unwrap().push(format!("committed {}", after.title));
        }
    }
}

impl Presenter<Customer> for Notes {
    async fn present(&self, _: &mut HookContext<'_>, customers: &mut [Customer]) -> Result<()> {
        customers.iter_mut().for_each(|customer| customer.title = customer.title.to_uppercase());
        Ok(())
    }
}

fn customers(store: &CountingStore) -> Endpoints<Customer> {
    let access = || Access::authenticated("caller");
    scoped::<Customer>(store).action("close", access(), close).action(
        "send-again",
        access(),
        async |customer: &mut Customer, _: NoBody, _: &mut HookContext<'_>| {
            customer.title.clear();
            Ok(())
        },
    )
}

fn api(store: &CountingStore, customers: &Endpoints<Customer>) -> Api {
    Api::builder(configuration()).module(customers).module(&scoped::<Audit>(store)).build().unwrap()
}

fn send(client: &TestClient, request: &str, headers: &[(&str, &str)], body: Option<&Value>) -> TestResponse {
    let (caller, path) = request.split_once(' ').unwrap();
    let request = client.post(path).header("X-Caller", caller);
    let request = headers.iter().fold(request, |request, (name, value)| request.header(name, value));
    let response = body.into_iter().fold(request, |request, body| request.json(body)).send();
    response.assert_documented();
    response
}

/// Creates a customer of the tenant `a` and returns its path.
fn create(client: &TestClient, title: &str) -> String {
    let created = send(client, "a /customers", &[], Some(&json!({"title": title})));
    format!("/customers/{}", created.assert_status(201).json::<Value>()["data"]["id"].as_str().unwrap())
}

#[test]
fn an_action_updates_an_entity_with_a_function() {
    let store = CountingStore::default();
    let notes = Notes::default();
    let endpoints = customers(&store).hooks(notes.clone()).presenter(notes.clone());
    let client = TestClient::new(api(&store, &endpoints));
    let path = create(&client, "Ada");
    notes.0.lock().unwrap().clear();
    let close = |caller: &str, headers: &[(&str, &str)], body: Value| {
        send(&client, &format!("{caller} {path}/close"), headers, Some(&body))
    };
    let suffix = |suffix: &str| json!({"suffix": suffix});
    let titles = || {
        let listed = client.get("/audits").header("X-Caller", "a").send();
        let listed: Value = listed.assert_status(200).json();
        listed["data"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| one["title"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    // Another tenant, a caller without a tenant, a stale state, a body of another shape, an invalid entity.
    assert_eq!(outcome(&close("b", &[], suffix(" closed"))), (404, json!(["not_found", ""])));
    assert_eq!(close("-", &[], suffix(" closed")).status(), 403);
    assert_eq!(close("a", &[("If-Match", "\"other\"")], suffix(" closed")).status(), 412);
    assert_eq!(outcome(&close("a", &[], json!({}))), (422, json!(["invalid_request", "/suffix required"])));
    assert_eq!(close("a", &[], suffix(&"x".repeat(60))).status(), 500);
    assert_eq!(send(&client, &format!("a {path}/send-again"), &[], None).status(), 500);
    assert_eq!((titles(), notes.0.lock().unwrap().len()), (vec![], 0), "nothing was changed");
    let closed = close("a", &[], suffix(" closed"));
    assert!(closed.header("etag").is_some());
    assert_eq!(outcome(&closed).1["title"], "ADA CLOSED", "the presenter has run");
    assert_eq!(*notes.0.lock().unwrap(), ["Ada -> Ada closed", "committed Ada closed"]);
    assert_eq!(titles(), ["Ada of ada"]);
    assert_eq!(outcome(&close("a", &[], suffix(" closed"))), (409, json!(["conflict", ""])));
    assert_eq!(titles().len(), 1);
}

/// An older version of the application may have stored it.
#[test]
fn an_action_may_leave_an_entity_as_invalid_as_it_was() {
    const TOO_LONG: usize = 41;
    let store = CountingStore::default();
    let client = TestClient::new(api(&store, &customers(&store)));
    let ada = Customer { id: uuid::Uuid::nil(), tenant: "a".to_owned(), title: "x".repeat(TOO_LONG) };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let stored = runtime.block_on(store.insert(Statement::new(&Customer::definition()), ada)).unwrap();
    let path = format!("/customers/{}", stored.entity.id);
    let act = |name: &str, body: &Value| {
        client.post(format!("{path}/{name}")).header("X-Caller", "a").json(body).send().status().as_u16()
    };
    assert_eq!(act("close", &json!({"suffix": "x"})), 200);
    // An empty title is another violation.
    assert_eq!(act("send-again", &json!({})), 500);
}

#[test]
fn concurrent_actions_are_all_applied() {
    const CALLERS: usize = 40;
    let store = CountingStore::default();
    let api = api(&store, &customers(&store));
    let client = TestClient::new(api.clone());
    let path = create(&client, "Ada");
    let mut statuses: Vec<u16> = thread::scope(|scope| {
        let callers: Vec<_> = (0..4)
            .map(|_| {
                let (api, path) = (api.clone(), &path);
                scope.spawn(move || {
                    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
                    runtime.block_on(tokio::task::LocalSet::new().run_until(async {
                        let client = std::rc::Rc::new(TestClient::new(api));
                        let requests = (0..CALLERS / 4).map(|_| {
                            let (client, path) = (std::rc::Rc::clone(&client), format!("{path}/close"));
                            tokio::task::spawn_local(async move {
                                let request = client.post(path).header("X-Caller", "a");
                                request.json(&json!({"suffix": " closed"})).await.status().as_u16()
                            })
                        });
                        let mut statuses = Vec::new();
                        for request in requests.collect::<Vec<_>>() {
                            statuses.push(request.await.unwrap());
                        }
                        statuses
                    }))
                })
            })
            .collect();
        callers.into_iter().flat_map(|caller| caller.join().unwrap()).collect()
    });
    statuses.sort_unstable();
    let mut expected = [409; CALLERS];
    expected[0] = 200;
    assert_eq!(statuses, expected);
}

#[test]
fn rejects_action_names_that_are_no_path_segments() {
    for name in ["", "Close", "close/all", "close_all", "close-", "7", "{name}"] {
        let nothing = async |_: &mut Customer, _: NoBody, _: &mut HookContext<'_>| Ok(());
        let endpoints = scoped(&CountingStore::default()).action(name, Access::authenticated("caller"), nothing);
        let error = Api::builder(configuration()).module(&endpoints).build().unwrap_err().to_string();
        assert!(
            error.contains(&format!("the name of the action `{name}` is a path segment and must consist of")),
            "{error}"
        );
    }
}

#[test]
fn an_action_is_documented_like_an_update() {
    let store = CountingStore::default();
    let api = api(&store, &customers(&store).require_preconditions());
    let document = serde_json::to_value(restwright::openapi::Document::from_api(&api)).unwrap();
    let operation = &document["paths"]["/customers/{id}/send-again"]["post"];
    assert_eq!(
        (&operation["operationId"], &operation["summary"]),
        (&json!("sendAgainCustomer"), &json!("Send again one customer"))
    );
    let mut statuses: Vec<_> = operation["responses"].as_object().unwrap().keys().map(String::as_str).collect();
    statuses.sort_unstable();
    assert_eq!(statuses, ["200", "400", "401", "403", "404", "406", "409", "412", "422", "428", "500", "503"]);
}

/// The problem of a hook, which no operation documents by itself.
const PAUSED: ProblemKind = ProblemKind::new(StatusCode::FORBIDDEN, "paused", "Paused");

/// Rejects what ends with `paused`.
struct Paused;

impl Hooks<Customer> for Paused {
    async fn before_create(&self, _: &mut HookContext<'_>, customer: &mut Customer) -> Result<()> {
        if customer.title.ends_with("paused") { Err(Problem::new(PAUSED)) } else { Ok(()) }
    }
}

#[test]
fn problems_of_hooks_and_actions_are_documented() {
    let documenting = |document: bool| {
        let store = CountingStore::default();
        let customers = customers(&store).hooks(Paused);
        let customers = if document { customers.problem(PAUSED).problem(catalogue::RATE_LIMITED) } else { customers };
        TestClient::new(api(&store, &customers))
    };
    let send = |client: &TestClient, title: &str| {
        client.post("/customers").header("X-Caller", "a").json(&json!({"title": title})).send()
    };
    let client = documenting(true);
    send(&client, "is paused").assert_status(403).assert_problem("paused").assert_documented();
    let kinds = |id: &str| {
        let operation = client.api().operations().find(|operation| operation.id == id).unwrap();
        [PAUSED, catalogue::RATE_LIMITED].map(|kind| operation.problems.iter().any(|known| known.code == kind.code))
    };
    for (id, expected) in [
        ("createCustomer", true),
        ("closeCustomer", true),
        // The hook declares `before_create` only, but hooks are not known by operation.
        ("updateCustomer", true),
        ("listCustomers", false),
        ("viewCustomer", false),
    ] {
        assert_eq!(kinds(id), [expected; 2], "{id}");
    }
    let client = documenting(false);
    let undocumented = || send(&client, "is paused").assert_status(403).assert_documented().status();
    let panic = std::panic::catch_unwind(std::panic::AssertUnwindSafe(undocumented)).unwrap_err();
    let message = panic.downcast_ref::<String>().unwrap();
    let expected = "the code `paused` is not documented for 403 (documented: forbidden); add `.problem(..)` or `.problems::<..>()`";
    assert!(message.contains(expected), "{message}");
}

#[test]
fn a_group_documents_problems_of_all_its_routes() {
    let store = CountingStore::default();
    let group = Group::new("/v1").problem(PAUSED).module(customers(&store));
    let api = Api::builder(configuration()).group(group).module(&scoped::<Audit>(&store)).build().unwrap();
    for operation in api.operations() {
        let documents = operation.problems.iter().any(|kind| kind.code == "paused");
        assert_eq!(documents, operation.path.starts_with("/v1"), "{}", operation.path);
    }
}
