//! Steps that run on the body of a request, before the transaction of the operation begins.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use restwright::auth::Access;
use restwright::prelude::*;
use restwright::problem::{ProblemKind, catalogue};
use restwright::schema::{Code, Patch, Schema, Violation, Violations};
use restwright::testing::TestClient;
use restwright_resource::{Endpoints, HookContext, Hooks, InputContext, Resource, StoreError};
use serde_json::{Value, json};

use super::FailingStore;
use super::counting_store::CountingStore;
use super::declare::{Contract, ContractDraft, Customer, CustomerDraft, NewContract, NewCustomer};
use super::tenants::{configuration, outcome, scoped};

/// The steps and hooks that ran, in their order.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<String>>>);

impl Log {
    fn note(&self, what: impl Into<String>) {
        self.0.lock().unwrap().push(what.into());
    }

    fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().unwrap())
    }

    /// Fails, waits or writes a long title if the title is the name of such a step. Appends a mark to any other title.
    async fn step(&self, body: &str, title: &mut String, context: &InputContext<'_>) -> Result<()> {
        let caller = context.identity().subject().unwrap_or_default();
        self.note(format!("{caller} {} {body} {title}", context.method()));
        match title.as_str() {
            "reject" => return Err(Problem::new(FULL)),
            "violate" => return Err(Violations::one(Violation::new("/title", Code::INVALID, "is rude")).into()),
            "long" => *title = "x".repeat(41),
            "sleep" => tokio::time::sleep(Duration::from_secs(60)).await,
            _ => title.push('!'),
        }
        Ok(())
    }
}

const FULL: ProblemKind = ProblemKind::new(restwright::http::StatusCode::CONFLICT, "full", "Full");

/// Notes what hooks see. The transaction of the title `again!` is repeated twice.
impl Hooks<Customer> for Log {
    async fn before_create(&self, _: &mut HookContext<'_>, entity: &mut Customer) -> Result<()> {
        self.hook(&entity.title)
    }

    async fn before_update(&self, _: &mut HookContext<'_>, _: &Customer, entity: &mut Customer) -> Result<()> {
        self.hook(&entity.title)
    }
}

impl Log {
    fn hook(&self, title: &str) -> Result<()> {
        self.note(format!("hook {title}"));
        let attempts = self.0.lock().unwrap().iter().filter(|entry| *entry == "hook again!").count();
        match title {
            "again!" if attempts < 3 => Err(Problem::internal(StoreError::StaleVersion)),
            _ => Ok(()),
        }
    }
}

type CustomerChanges = <CustomerDraft as Schema>::Changes;
type ContractChanges = <ContractDraft as Schema>::Changes;

fn title(patch: &mut Patch<String>) -> &mut String {
    match patch {
        Patch::Value(title) => title,
        Patch::Absent => panic!("every request of these tests sets the title"),
    }
}

fn customers(store: &CountingStore, log: &Log) -> Endpoints<Customer> {
    let (new, update, act) = (log.clone(), log.clone(), log.clone());
    let endpoints = scoped::<Customer>(store).put().batch().hook_timeout(Duration::from_secs(1)).problem(FULL);
    let endpoints = endpoints.prepare_new(async move |body: &mut NewCustomer, context: &InputContext<'_>| {
        new.step("new", &mut body.title, context).await
    });
    let endpoints = endpoints.prepare_update(async move |body: &mut CustomerChanges, context: &InputContext<'_>| {
        update.step("update", title(&mut body.title), context).await
    });
    let rename = async |customer: &mut Customer, title: String, _: &mut HookContext<'_>| {
        customer.title = title;
        Ok(())
    };
    let prepare = async move |Title { mut title }: Title, context: &InputContext<'_>| {
        act.step("action", &mut title, context).await?;
        Ok(title)
    };
    endpoints.prepared_action("rename", Access::authenticated("caller"), prepare, rename)
}

fn contracts(store: &CountingStore, log: &Log) -> Endpoints<Contract> {
    let (new, update) = (log.clone(), log.clone());
    let endpoints = scoped::<Contract>(store).put();
    let endpoints = endpoints.prepare_new(async move |body: &mut NewContract, context: &InputContext<'_>| {
        new.step("new", &mut body.title, context).await?;
        if body.title == "move!" {
            "other".clone_into(&mut body.id);
        }
        Ok(())
    });
    endpoints.prepare_update(async move |body: &mut ContractChanges, context: &InputContext<'_>| {
        update.step("update", title(&mut body.title), context).await
    })
}

/// The body of an action. It is not `Clone`.
#[derive(serde::Deserialize, Schema)]
struct Title {
    #[property(min_length = 1, max_length = 40)]
    title: String,
}

struct World {
    client: TestClient,
    store: CountingStore,
    log: Log,
    ada: String,
}

impl World {
    /// A world whose customers have hooks, in addition to the steps.
    fn hooked() -> Self {
        Self::with(|endpoints, log| endpoints.hooks(log.clone()))
    }

    fn with(configure: impl FnOnce(Endpoints<Customer>, &Log) -> Endpoints<Customer>) -> Self {
        let (store, log) = (CountingStore::default(), Log::default());
        let customers = configure(customers(&store, &log), &log);
        let api = Api::builder(configuration()).module(&customers).module(&contracts(&store, &log));
        let mut world = Self { client: TestClient::new(api.build().unwrap()), store, log, ada: String::new() };
        let created = world.send("POST /customers", &json!({"title": "Ada"}));
        world.ada = created.1["id"].as_str().unwrap().to_owned();
        world.log.take();
        world
    }

    #[track_caller]
    fn send(&self, request: &str, body: &Value) -> (u16, Value) {
        let (method, path) = request.split_once(' ').unwrap();
        let path = path.replace("{ada}", &self.ada);
        let response = self.client.request(method.parse().unwrap(), &path).header("X-Caller", "a").json(body).send();
        response.assert_documented();
        outcome(&response)
    }

    /// Returns the titles of all customers, in the order of the identifiers.
    fn titles(&self) -> Vec<String> {
        let response = self.client.get("/customers?order_by=id").header("X-Caller", "a").send();
        let listed = outcome(&response).1;
        listed.as_array().unwrap().iter().map(|one| one["title"].as_str().unwrap().to_owned()).collect()
    }
}

/// A request of each kind with a body, the steps that run, and the titles in the response.
#[test]
fn each_operation_with_a_body_runs_its_step_once() {
    for world in [World::with(|endpoints, _| endpoints), World::hooked()] {
        let batch = |items: &[Value]| json!({ "data": items });
        let change = |title: &str| batch(&[json!({"id": world.ada, "changes": {"title": title}})]);
        for (request, body, status, steps, titles) in [
            ("POST /customers", json!({"title": "B"}), 201, &["ada POST new B"][..], json!("B!")),
            ("PATCH /customers/{ada}", json!({"title": "C"}), 200, &["ada PATCH update C"], json!("C!")),
            ("PUT /customers/{ada}", json!({"title": "D"}), 200, &["ada PUT new D"], json!("D!")),
            ("PUT /contracts/one", json!({"id": "one", "title": "E"}), 201, &["ada PUT new E"], json!("E!")),
            ("PUT /contracts/one", json!({"id": "one", "title": "F"}), 200, &["ada PUT new F"], json!("F!")),
            (
                "POST /customers/batch",
                batch(&[json!({"title": "G"}), json!({"title": "H"})]),
                201,
                &["ada POST new G", "ada POST new H"],
                json!(["G!", "H!"]),
            ),
            ("PATCH /customers/batch", change("I"), 200, &["ada PATCH update I"], json!(["I!"])),
            ("POST /customers/{ada}/rename", json!({"title": "J"}), 200, &["ada POST action J"], json!("J!")),
        ] {
            let (found, body) = world.send(request, &body);
            let title = |entity: &Value| entity["title"].clone();
            let shown = body.as_array().map_or_else(|| title(&body), |all| all.iter().map(title).collect());
            assert_eq!((found, shown), (status, titles), "{request}");
            let log = world.log.take();
            let (hooks, ran): (Vec<_>, Vec<_>) = log.into_iter().partition(|entry| entry.starts_with("hook"));
            assert_eq!(ran, steps, "{request}");
            // Hooks receive what the step made of the body.
            assert!(hooks.iter().all(|hook| hook.ends_with('!')), "{hooks:?}");
        }
        let changed: Value =
            world.client.get(format!("/customers/{}", world.ada)).header("X-Caller", "a").send().json();
        assert_eq!(changed["data"]["title"], "J!");
    }
}

#[test]
fn a_step_rejects_a_request_before_anything_is_stored() {
    let world = World::hooked();
    world.store.take_calls();
    for (request, place) in [
        ("POST /customers", ""),
        ("PATCH /customers/{ada}", ""),
        ("PUT /customers/{ada}", ""),
        ("POST /customers/{ada}/rename", ""),
        ("POST /customers/batch", "/data/1"),
        ("PATCH /customers/batch", "/data/1/changes"),
    ] {
        let body = |title: &str| match request {
            "POST /customers/batch" => json!({"data": [{"title": "Bo"}, {"title": title}]}),
            "PATCH /customers/batch" => {
                let other = "01890000-0000-7000-8000-000000000000";
                json!({"data": [{"id": other, "changes": {"title": "Bo"}}, {"id": world.ada, "changes": {"title": title}}]})
            }
            _ => json!({ "title": title }),
        };
        assert_eq!(world.send(request, &body("reject")), (409, json!(["full", ""])), "{request}");
        let violation = json!(["invalid_request", format!("{place}/title invalid")]);
        assert_eq!(world.send(request, &body("violate")), (422, violation), "{request}");
        assert_eq!(world.send(request, &body("sleep")), (503, json!(["deadline_exceeded", ""])), "{request}");
        assert!(!world.log.take().iter().any(|entry| entry.starts_with("hook")), "{request}");
        assert_eq!(world.store.take_calls(), Vec::<String>::new(), "{request}");
        // An invalid body reaches no step.
        assert_eq!(world.send(request, &body("")).0, 422, "{request}");
        assert!(!world.log.take().iter().any(|entry| entry.ends_with(' ')), "{request}");
    }
    assert_eq!(world.titles(), ["Ada!"]);
}

/// The response contains no details, and the log names the step.
#[test]
fn an_invalid_entity_after_a_step_is_a_500() {
    let world = World::with(|endpoints, _| endpoints);
    world.send("PUT /contracts/one", &json!({"id": "one", "title": "E"}));
    let change = json!({"data": [{"id": world.ada, "changes": {"title": "long"}}]});
    for (request, body, expected) in [
        ("POST /customers", json!({"title": "long"}), "`prepare_new` left an invalid customer"),
        ("PUT /customers/{ada}", json!({"title": "long"}), "`prepare_new` left an invalid customer"),
        ("PATCH /customers/{ada}", json!({"title": "long"}), "`prepare_update` left an invalid customer"),
        ("POST /customers/batch", json!({"data": [{"title": "long"}]}), "`prepare_new` left an invalid customer"),
        ("PATCH /customers/batch", change, "`prepare_update` left an invalid customer"),
        ("POST /customers/{ada}/rename", json!({"title": "long"}), "`rename` left an invalid customer"),
        ("PUT /contracts/two", json!({"id": "two", "title": "long"}), "`prepare_new` left an invalid contract"),
        ("PUT /contracts/two", json!({"id": "two", "title": "move"}), "`prepare_new` changed the identifier"),
    ] {
        let (method, path) = request.split_once(' ').unwrap();
        let path = path.replace("{ada}", &world.ada);
        let sent = world.client.request(method.parse().unwrap(), path).header("X-Caller", "a");
        let response = sent.json(&body).send();
        response.assert_status(500).assert_problem("internal_error").assert_documented();
        let cause = response.cause().unwrap();
        assert!(cause.contains(expected), "{request}: {cause}");
        assert!(!response.text().contains("prepare"), "{response:?}");
    }
    assert_eq!(world.titles(), ["Ada!"]);
}

#[test]
fn a_step_runs_once_when_the_transaction_is_repeated() {
    let world = World::hooked();
    let again = json!({"title": "again"});
    let change = json!({"data": [{"id": world.ada, "changes": {"title": "again"}}]});
    for (request, body, step) in [
        ("PATCH /customers/{ada}", again.clone(), "ada PATCH update again"),
        ("PUT /customers/{ada}", again.clone(), "ada PUT new again"),
        ("PATCH /customers/batch", change, "ada PATCH update again"),
        ("POST /customers/{ada}/rename", again.clone(), "ada POST action again"),
    ] {
        assert_eq!(world.send(request, &body).0, 200, "{request}");
        assert_eq!(world.log.take(), [step, "hook again!", "hook again!", "hook again!"], "{request}");
        world.send("PATCH /customers/{ada}", &json!({"title": "Ada"}));
        world.log.take();
    }
    assert_eq!(world.send("POST /customers", &again).0, 201);
    assert_eq!(world.log.take(), ["ada POST new again", "hook again!", "hook again!", "hook again!"]);
    let again = json!({"data": [{"title": "two"}]});
    world.store.fail_commits(std::iter::repeat_with(|| StoreError::TransactionConflict).take(2));
    assert_eq!(world.send("POST /customers/batch", &again).0, 201);
    assert_eq!(world.log.take(), ["ada POST new two", "hook two!", "hook two!", "hook two!"]);
}

#[test]
fn rejects_steps_that_cannot_run() {
    let error = |endpoints: &Endpoints<Customer>| {
        Api::builder(configuration()).module(endpoints).build().unwrap_err().to_string()
    };
    let (store, log) = (CountingStore::default(), Log::default());
    let found = error(&customers(&store, &log).json_patch());
    let expected = "`customers` has a step `Endpoints::prepare_update` and accepts a JSON Patch, but the changes of a JSON Patch depend on the \
         stored entity, which is read in the transaction after the step; remove `Endpoints::json_patch`, or do the work in a hook `before_update`";
    assert!(found.contains(expected), "{found}");

    let prepared = || scoped::<Customer>(&store).prepare_new(async |_: &mut NewCustomer, _: &InputContext<'_>| Ok(()));
    let found = error(&prepared().hook_timeout(Duration::from_secs(30)));
    assert!(found.contains("is 30000 ms, but must be shorter than the deadline of the route"), "{found}");
    // A JSON Patch has no steps of creates.
    Api::builder(configuration()).module(&prepared().json_patch()).build().unwrap();

    // Steps need no transaction.
    type NewAnimal = <super::Animal as Resource>::New;
    let animals = Endpoints::<super::Animal>::new(FailingStore::default(), Access::public());
    let animals =
        animals.prepare_new(async |_: &mut NewAnimal, _: &InputContext<'_>| Err(Problem::new(catalogue::CONFLICT)));
    let client = TestClient::new(Api::builder(configuration()).module(&animals).build().unwrap());
    let created = client.post("/animals").json(&json!({"name": "Rex", "species": "dog"})).send();
    created.assert_status(409).assert_documented();
}
