//! Hooks: when they run, what they may change, and the responses to their errors.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use restwright::ApiBuilder;
use restwright::auth::Access;
use restwright::list::Expression;
use restwright::prelude::*;
use restwright::problem::catalogue;
use restwright::schema::{Code, Mode, Violation, Violations};
use restwright::testing::TestClient;
use restwright_resource::{CommittedChange, Endpoints, HookContext, Hooks, ListQuery, MemoryStore, StoreError};
use serde_json::{Value, json};

use super::FailingStore;
use super::counting_store::CountingStore;
use super::declare::{Audit, Customer};
use super::tenants::{configuration, outcome, scoped};

fn audit(title: impl Into<String>) -> Audit {
    Audit { id: 0, tenant: String::new(), count: 0, title: title.into() }
}

/// The hooks of a test, for any store of both entity types.
///
/// The title of a customer specifies what they do, such as `refuse after_create`.
#[derive(Clone, Default)]
struct Script {
    log: Arc<Mutex<Vec<String>>>,
}

impl Script {
    fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.log.lock().unwrap())
    }

    fn note(&self, what: impl Into<String>) {
        self.log.lock().unwrap().push(what.into());
    }

    async fn run(&self, moment: &str, title: &str, context: &mut HookContext<'_>) -> Result<()> {
        self.note(moment);
        let Some(what) = title.strip_suffix(moment) else { return Ok(()) };
        match what.trim() {
            "refuse" => Err(Problem::new(catalogue::FORBIDDEN).detail("not today")),
            "violate" => Err(Violations::one(Violation::new("/title", Code::INVALID, "is rude")).into()),
            "sleep" => {
                tokio::time::sleep(Duration::from_secs(60)).await;
                Ok(())
            }
            "stale" => {
                let stale = context.store::<Audit>().insert(audit("stale")).await?;
                Err(Problem::internal(StoreError::StaleVersion).member("audit", stale.id))
            }
            "panic" => panic!("a hook of a test"),
            "break" => {
                // A failed statement ends the transaction, even if the hook ignores the error.
                let twin = Customer { id: uuid::Uuid::nil(), tenant: String::new(), title: "Ada".to_owned() };
                assert_eq!(context.insert(twin).await.unwrap_err().status(), 409);
                Ok(())
            }
            _ => Ok(()),
        }
    }
}

impl Hooks<Customer> for Script {
    const MODES: &'static [Mode] = &[Mode::Create, Mode::View, Mode::List, Mode::Update, Mode::Delete];

    async fn before_create(&self, context: &mut HookContext<'_>, entity: &mut Customer) -> Result<()> {
        assert_eq!(entity.tenant, "a", "the scope is set before hooks run");
        self.run("before_create", &entity.title, context).await?;
        match entity.title.as_str() {
            "capitals" => "CAPITALS".clone_into(&mut entity.title),
            "long" => entity.title = "x".repeat(41),
            "move" => "b".clone_into(&mut entity.tenant),
            _ => {}
        }
        Ok(())
    }

    async fn after_create(&self, context: &mut HookContext<'_>, entity: &Customer) -> Result<()> {
        let by = context.identity().subject().unwrap_or_default().to_owned();
        let title = format!("{by} {} {} created {}", context.method(), context.path(), entity.title);
        context.insert(audit(title)).await?;
        self.run("after_create", &entity.title, context).await
    }

    async fn before_view(&self, context: &mut HookContext<'_>, id: &uuid::Uuid) -> Result<()> {
        let found = context.store::<Customer>().find(id).await?;
        self.run("before_view", &found.map(|found| found.entity.title).unwrap_or_default(), context).await
    }

    async fn before_list(&self, context: &mut HookContext<'_>, query: &mut ListQuery<'_>) -> Result<()> {
        query.filter = query.filter.clone().and(!Customer::FIELDS.title.eq("Secret"));
        self.run("before_list", "", context).await
    }

    async fn before_update(
        &self,
        context: &mut HookContext<'_>,
        before: &Customer,
        entity: &mut Customer,
    ) -> Result<()> {
        assert_eq!(before.id, entity.id);
        self.run("before_update", &entity.title, context).await?;
        match entity.title.as_str() {
            "long" => entity.title = "x".repeat(41),
            "swap" => entity.id = uuid::Uuid::nil(),
            _ => {}
        }
        Ok(())
    }

    async fn after_update(&self, context: &mut HookContext<'_>, _: &Customer, entity: &Customer) -> Result<()> {
        self.run("after_update", &entity.title, context).await
    }

    async fn before_delete(&self, context: &mut HookContext<'_>, entity: &Customer) -> Result<()> {
        self.run("before_delete", &entity.title, context).await
    }

    async fn after_delete(&self, context: &mut HookContext<'_>, entity: &Customer) -> Result<()> {
        let audits = context.store::<Audit>().count(Expression::from(&())).await?;
        self.note(format!("{audits} audits"));
        self.run("after_delete", &entity.title, context).await
    }

    async fn after_commit(&self, change: &CommittedChange<Customer>) {
        let shown = match change {
            CommittedChange::Created(entity) => format!("created {}", entity.title),
            CommittedChange::Updated { before, after } => format!("updated {} to {}", before.title, after.title),
            CommittedChange::Deleted(entity) => format!("deleted {}", entity.title),
            other => panic!("an unknown change: {other:?}"),
        };
        self.note(shown);
        assert!(!matches!(change, CommittedChange::Created(entity) if entity.title == "panic after_commit"));
    }
}

/// Hooks that run only in updates.
struct OfUpdates(Script);

impl Hooks<Customer> for OfUpdates {
    const MODES: &'static [Mode] = &[Mode::Update];

    async fn after_commit(&self, _: &CommittedChange<Customer>) {
        self.0.note("second");
    }
}

struct World {
    client: TestClient,
    store: CountingStore,
    script: Script,
    ada: String,
}

impl World {
    fn new() -> Self {
        let (store, script) = (CountingStore::default(), Script::default());
        let customers = scoped::<Customer>(&store).put().batch().hook_timeout(Duration::from_secs(1));
        let customers = customers.hooks(script.clone()).hooks(OfUpdates(script.clone()));
        let api = Api::builder(configuration()).module(&customers).module(&scoped::<Audit>(&store));
        let mut world = Self { client: TestClient::new(api.build().unwrap()), store, script, ada: String::new() };
        let created = world.send("POST /customers", Some(json!({"title": "Ada"})));
        world.ada = created.1["id"].as_str().unwrap().to_owned();
        world.script.take();
        world
    }

    #[track_caller]
    fn send(&self, request: &str, body: Option<Value>) -> (u16, Value) {
        let request = request.replace("{ada}", &self.ada);
        let (method, path) = request.split_once(' ').unwrap();
        let mut sent = self.client.request(method.parse().unwrap(), path).header("X-Caller", "a");
        if let Some(body) = body {
            sent = sent.json(&body);
        }
        let response = sent.send();
        response.assert_documented();
        outcome(&response)
    }

    /// Returns the titles in a list.
    #[track_caller]
    fn titles(&self, path: &str) -> Vec<String> {
        let listed = self.send(&format!("GET {path}?order_by=id"), None).1;
        listed.as_array().unwrap().iter().map(|one| one["title"].as_str().unwrap().to_owned()).collect()
    }
}

#[test]
fn hooks_run_before_and_after_each_operation() {
    let world = World::new();
    let title = |title: &str| Some(json!({"title": title}));
    for (request, body, status, expected) in [
        ("POST /customers", title("Bo"), 201, &["before_create", "after_create", "created Bo"][..]),
        ("GET /customers/{ada}", None, 200, &["before_view"]),
        ("GET /customers", None, 200, &["before_list"]),
        (
            "PATCH /customers/{ada}",
            title("Eve"),
            200,
            &["before_update", "after_update", "updated Ada to Eve", "second"],
        ),
        ("PUT /customers/{ada}", title("Ada"), 200, &["before_update", "after_update", "updated Eve to Ada", "second"]),
        ("DELETE /customers/{ada}", None, 204, &["before_delete", "2 audits", "after_delete", "deleted Ada"]),
        ("GET /customers/{ada}", None, 404, &["before_view"]),
        ("DELETE /customers/{ada}", None, 404, &[]),
        (
            "POST /customers/batch",
            Some(json!({"data": [{"title": "C"}, {"title": "D"}]})),
            201,
            &["before_create", "after_create", "before_create", "after_create", "created C", "created D"],
        ),
    ] {
        assert_eq!(world.send(request, body).0, status, "{request}");
        assert_eq!(world.script.take(), expected, "{request}");
    }
}

#[test]
fn writes_of_hooks_are_committed_with_the_entity_or_undone() {
    let world = World::new();
    let first = "ada POST /customers created Ada";
    assert_eq!(world.titles("/audits"), [first]);
    for (title, expected) in [
        ("refuse before_create", (403, json!(["forbidden", ""]))),
        ("refuse after_create", (403, json!(["forbidden", ""]))),
        ("violate before_create", (422, json!(["invalid_request", "/title invalid"]))),
        ("violate after_create", (422, json!(["invalid_request", "/title invalid"]))),
        ("sleep after_create", (503, json!(["deadline_exceeded", ""]))),
        ("panic after_create", (500, json!(["internal_error", ""]))),
        ("break after_create", (500, json!(["internal_error", ""]))),
        ("stale after_create", (500, json!(["internal_error", ""]))),
        ("Ada", (409, json!(["conflict", "/title conflict"]))),
    ] {
        assert_eq!(world.send("POST /customers", Some(json!({"title": title}))), expected, "{title}");
        let log = world.script.take();
        assert!(!log.iter().any(|entry| entry.starts_with("created")), "{log:?}");
        // After a concurrent change, the operation runs again, including the hooks.
        let attempts = log.iter().filter(|entry| *entry == "before_create").count();
        assert_eq!(attempts, if title.starts_with("stale") { 32 } else { 1 }, "{title}");
    }
    let batch = json!({"data": [{"title": "C"}, {"title": "violate before_create"}]});
    let violation = (422, json!(["invalid_request", "/data/1/title invalid"]));
    assert_eq!(world.send("POST /customers/batch", Some(batch)), violation);
    for (request, body) in [
        ("PATCH /customers/{ada}", Some(json!({"title": "refuse after_update"}))),
        ("PUT /customers/{ada}", Some(json!({"title": "refuse after_update"}))),
    ] {
        assert_eq!(world.send(request, body).0, 403);
    }
    assert_eq!(world.titles("/audits"), [first]);
    assert_eq!(world.titles("/customers"), ["Ada"]);
    world.send("POST /customers", Some(json!({"title": "refuse before_delete"})));
    let id = world.send("GET /customers?title=refuse%20before_delete", None).1[0]["id"].as_str().unwrap().to_owned();
    assert_eq!(world.send(&format!("DELETE /customers/{id}"), None).0, 403);
    assert_eq!(world.titles("/customers").len(), 2);
}

#[test]
fn hooks_run_for_each_change_of_a_batch() {
    let world = World::new();
    let bo = world.send("POST /customers", Some(json!({"title": "Bo"}))).1["id"].clone();
    let change = |titles: [&str; 2]| {
        let item = |id: &Value, title: &str| json!({"id": id, "changes": {"title": title}});
        Some(json!({"data": [item(&json!(world.ada), titles[0]), item(&bo, titles[1])]}))
    };
    let violation = (422, json!(["invalid_request", "/data/0/changes/title invalid"]));
    assert_eq!(world.send("PATCH /customers/batch", change(["violate before_update", "B"])), violation);
    assert_eq!(world.titles("/customers"), ["Ada", "Bo"]);
    world.script.take();
    assert_eq!(world.send("PATCH /customers/batch", change(["A", "refuse before_delete"])).0, 200);
    let each = ["before_update", "after_update"];
    let committed = ["updated Ada to A", "second", "updated Bo to refuse before_delete", "second"];
    assert_eq!(world.script.take(), [each.as_slice(), &each, &committed].concat());
    let both = Some(json!({"data": [{"id": world.ada}, {"id": bo}]}));
    assert_eq!(world.send("POST /customers/batch/delete", both.clone()).0, 403);
    assert_eq!(world.titles("/customers").len(), 2);
    world.send("PATCH /customers/batch", change(["A", "B"]));
    world.script.take();
    assert_eq!(world.send("POST /customers/batch/delete", both).0, 204);
    let each = ["before_delete", "2 audits", "after_delete"];
    assert_eq!(world.script.take(), [each.as_slice(), &each, &["deleted A", "deleted B"]].concat());
}

#[test]
fn hooks_may_change_stored_listed_and_returned_entities() {
    let world = World::new();
    assert_eq!(world.send("POST /customers", Some(json!({"title": "capitals"}))).1["title"], "CAPITALS");
    world.send("POST /customers", Some(json!({"title": "Secret"})));
    assert_eq!(world.titles("/customers"), ["Ada", "CAPITALS"]);
    assert_eq!(world.send("GET /customers/{ada}", None).1["title"], "Ada");
}

/// The response contains no details, and the log names the hook.
#[test]
fn an_invalid_entity_after_a_hook_is_a_500() {
    let world = World::new();
    for (request, title, expected) in [
        ("POST /customers", "long", "left an invalid customer"),
        ("PATCH /customers/{ada}", "long", "left an invalid customer"),
        ("PUT /customers/{ada}", "long", "left an invalid customer"),
        ("POST /customers", "move", "changed the identifier or the scope of the customer"),
        ("PATCH /customers/{ada}", "swap", "changed the identifier or the scope of the customer"),
    ] {
        let (method, path) = request.split_once(' ').unwrap();
        let path = path.replace("{ada}", &world.ada);
        let sent = world.client.request(method.parse().unwrap(), path).header("X-Caller", "a");
        let response = sent.json(&json!({"title": title})).send();
        response.assert_status(500).assert_problem("internal_error").assert_documented();
        let cause = response.cause().unwrap();
        assert!(cause.contains("Script") && cause.contains(expected), "{cause}");
        assert!(!response.text().contains("hook") && !response.text().contains("Script"), "{response:?}");
    }
    assert_eq!(world.titles("/customers"), ["Ada"]);
}

#[test]
fn conflicting_commits_are_retried_with_the_original_request() {
    let world = World::new();
    world.store.fail_commits(std::iter::repeat_with(|| StoreError::TransactionConflict).take(3));
    // The hook changes the entity of the request, not the result of an earlier attempt.
    assert_eq!(world.send("POST /customers", Some(json!({"title": "capitals"}))).1["title"], "CAPITALS");
    let log = world.script.take();
    assert_eq!(log.iter().filter(|entry| *entry == "after_create").count(), 4);
    assert_eq!(log.iter().filter(|entry| entry.starts_with("created")).count(), 1);
    assert_eq!(world.titles("/audits").len(), 2);
    world.store.fail_commits([StoreError::unavailable("the disk is away")]);
    assert_eq!(world.send("PATCH /customers/{ada}", Some(json!({"title": "Eve"}))).0, 503);
    assert!(!world.script.take().iter().any(|entry| entry.starts_with("updated")));
}

/// Two batches with the same values then do not deadlock again.
#[test]
fn a_repeated_batch_inserts_in_the_order_of_unique_values() {
    for (conflicts, inserted) in [(0, ["D", "C", "E"]), (1, ["C", "D", "E"])] {
        let world = World::new();
        world.store.fail_commits(std::iter::repeat_with(|| StoreError::TransactionConflict).take(conflicts));
        let batch = json!({"data": [{"title": "D"}, {"title": "C"}, {"title": "E"}]});
        let (status, created) = world.send("POST /customers/batch", Some(batch));
        let titles = created.as_array().unwrap().iter().map(|one| one["title"].as_str().unwrap());
        assert_eq!((status, titles.collect::<Vec<_>>()), (201, vec!["D", "C", "E"]));
        let audits = inserted.map(|title| format!("ada POST /customers/batch created {title}"));
        assert_eq!(world.titles("/audits")[1..], audits, "after {conflicts} conflicts");
    }
}

#[test]
fn a_panic_after_the_commit_does_not_stop_other_hooks() {
    let world = World::new();
    let batch = json!({"data": [{"title": "panic after_commit"}, {"title": "Bo"}]});
    assert_eq!(world.send("POST /customers/batch", Some(batch)).0, 201);
    assert_eq!(world.script.take().last().unwrap(), "created Bo");
}

#[test]
fn rejects_invalid_declarations() {
    let error = |api: ApiBuilder| api.build().unwrap_err().to_string();
    let hooked = |limit: u64| {
        let customers = scoped::<Customer>(&CountingStore::default()).hooks(Script::default());
        customers.hook_timeout(Duration::from_secs(limit))
    };
    let found = error(Api::builder(configuration()).module(&hooked(30)));
    assert!(found.contains("the time limit of each hook is 30000 ms, but must be shorter than the deadline of the route, which is 30000 ms"), "{found}");
    let short = || configuration().deadline(Duration::from_secs(4));
    let found = error(Api::builder(short()).module(&hooked(5)));
    assert!(found.contains("the time limit of each hook is 5000 ms, but must be shorter than the deadline of the route, which is 4000 ms"), "{found}");
    Api::builder(short()).module(&hooked(3)).build().unwrap();

    struct Idle;
    impl<R: restwright_resource::Resource> Hooks<R> for Idle {}
    let without = || Endpoints::<super::Animal>::new(FailingStore::default(), Access::public());
    for endpoints in [without().hooks(Idle), without().batch()] {
        let found = error(Api::builder(configuration()).module(&endpoints));
        assert!(found.contains("hooks, actions and batches run in transactions, but the store has none"), "{found}");
    }
    Api::builder(configuration())
        .module(&Endpoints::<super::Animal>::new(MemoryStore::new(), Access::public()).hooks(Idle).batch())
        .build()
        .unwrap();
}
