//! Policies that look for related rows: the tickets of a project, which its members see.

use restwright::auth::{Access, Identity};
use restwright::prelude::*;
use restwright::testing::TestClient;
use restwright_resource::{Endpoints, EntityDefinition, MemoryStore, RowPolicy, Rows, exists};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use uuid::Uuid;

use super::callers::Callers;
use super::counting_store::CountingStore;

/// A membership of a user in a project.
#[derive(Clone, Debug, Serialize, Deserialize, Resource)]
#[resource(path = "/memberships")]
struct Membership {
    #[property(id)]
    id: Uuid,
    project: String,
    user: String,
    #[property(default = false)]
    may_write: bool,
}

/// A ticket of a project.
#[derive(Clone, Debug, Serialize, Deserialize, Resource)]
#[resource(path = "/tickets", policy = Members, reveals(comments))]
struct Ticket {
    #[property(id)]
    id: Uuid,
    project: Option<String>,
    #[property(default = false)]
    is_public: bool,
}

/// A comment, which refers to a ticket.
#[derive(Clone, Debug, Serialize, Deserialize, Resource)]
#[resource(path = "/comments", reveals(ticket_id))]
struct Comment {
    #[property(id)]
    id: Uuid,
    #[property(references(Ticket))]
    ticket_id: Uuid,
}

struct Members;

impl RowPolicy<Ticket> for Members {
    fn visible(&self, caller: &Identity) -> Rows {
        let user = caller.subject().unwrap_or_default();
        Rows::matching(Ticket::FIELDS.is_public.eq(true)).or(Rows::matching(exists::<Membership>(|membership| {
            membership.project.same_as(Ticket::FIELDS.project).and(membership.user.eq(user))
        })))
    }

    fn writable(&self, caller: &Identity) -> Rows {
        let user = caller.subject().unwrap_or_default();
        Rows::matching(exists::<Membership>(|membership| {
            membership
                .project
                .same_as(Ticket::FIELDS.project)
                .and(membership.user.eq(user))
                .and(membership.may_write.eq(true))
        }))
    }

    fn related(&self) -> Vec<EntityDefinition> {
        vec![Membership::definition()]
    }
}

struct World {
    client: TestClient,
    store: CountingStore,
}

impl World {
    fn new() -> Self {
        let store = CountingStore::default();
        let access = || Access::authenticated("caller");
        let memberships = Endpoints::<Membership>::new(store.clone(), access());
        let tickets = Endpoints::<Ticket>::new(store.clone(), access());
        let comments = Endpoints::<Comment>::new(store.clone(), access());
        let configuration = Configuration::new("tickets", "1.0.0").authenticator("caller", Callers);
        let api = Api::builder(configuration).module(&memberships).module(&tickets).module(&comments).build().unwrap();
        let explained = api.explain();
        assert!(explained.contains("memberships::Members, looks for memberships, reveals comments\n"), "{explained}");
        let world = Self { client: TestClient::new(api), store };
        for (user, may_write) in [("ann", true), ("bob", false)] {
            world.create("root", "/memberships", json!({"project": "red", "user": user, "may_write": may_write}));
        }
        world.create("root", "/memberships", json!({"project": "blue", "user": "cid", "may_write": true}));
        world
    }

    fn send(&self, caller: &str, method: &str, path: &str, body: impl Into<Option<Value>>) -> (u16, Value) {
        let request = self.client.request(method.parse().unwrap(), path).header("X-Caller", caller);
        let response = body.into().iter().fold(request, |request, body| request.json(body)).send();
        response.assert_documented();
        (response.status().as_u16(), serde_json::from_str(response.text()).unwrap_or_default())
    }

    fn create(&self, caller: &str, path: &str, body: Value) -> String {
        let (status, body) = self.send(caller, "POST", path, body);
        assert_eq!(status, 201, "{body}");
        body["data"]["id"].as_str().unwrap().to_owned()
    }
}

#[test]
fn members_see_and_writers_change_the_tickets_of_their_project() {
    let world = World::new();
    let ticket = format!("/tickets/{}", world.create("ann", "/tickets", json!({"project": "red"})));
    for (caller, seen, changed) in [("ann", 200, 200), ("bob", 200, 403), ("cid", 404, 404), ("dan", 404, 404)] {
        assert_eq!(world.send(caller, "GET", &ticket, None).0, seen, "{caller}");
        assert_eq!(world.send(caller, "PATCH", &ticket, json!({"is_public": false})).0, changed, "{caller}");
        let (_, listed) = world.send(caller, "GET", "/tickets", None);
        let expected = usize::from(seen == 200);
        assert_eq!(listed["data"].as_array().unwrap().len(), expected, "{caller}");
        assert_eq!(listed["pagination"]["total"], expected, "{caller}");
        // Only the project of a writer may be stored.
        let created = world.send(caller, "POST", "/tickets", json!({"project": "blue"})).0;
        assert_eq!(created, if caller == "cid" { 201 } else { 403 }, "{caller}");
        // The tickets that a member sees may be referred to.
        let id = ticket.rsplit('/').next().unwrap();
        let referred = world.send(caller, "POST", "/comments", json!({"ticket_id": id})).0;
        assert_eq!(referred, if seen == 200 { 201 } else { 422 }, "{caller}");
    }
    assert_eq!(world.send("ann", "POST", "/tickets", json!({"project": null})).0, 403);
    // The change and the result are checked.
    assert_eq!(world.send("ann", "PATCH", &ticket, json!({"project": "blue"})).0, 403);
    assert_eq!(world.send("cid", "DELETE", &ticket, None).0, 404);
}

#[test]
fn related_rows_are_looked_for_only_if_the_row_does_not_decide() {
    let world = World::new();
    let id = world.create("ann", "/tickets", json!({"project": "red", "is_public": true}));
    let calls = |caller: &str| {
        world.store.take_calls();
        world.send(caller, "GET", &format!("/tickets/{id}"), None);
        world.store.take_calls().join(", ")
    };
    assert_eq!(calls("dan"), "find tickets");
    world.send("ann", "PATCH", &format!("/tickets/{id}"), json!({"is_public": false}));
    assert_eq!(calls("dan"), "find tickets, any memberships");
    world.store.take_calls();
    world.send("bob", "GET", "/tickets", None);
    assert_eq!(world.store.take_calls().join(", "), "list tickets, count tickets");
}

/// A row whose policy looks for memberships without declaring it.
#[derive(Clone, Debug, Serialize, Deserialize, Resource)]
#[resource(path = "/rows", policy = Undeclared)]
struct Row {
    #[property(id)]
    id: Uuid,
    project: String,
}

struct Undeclared;

impl RowPolicy<Row> for Undeclared {
    fn visible(&self, _: &Identity) -> Rows {
        Rows::matching(exists::<Membership>(|membership| membership.project.same_as(Row::FIELDS.project)))
    }
}

#[test]
fn what_a_policy_looks_for_is_declared_and_in_the_store() {
    let store = MemoryStore::new();
    let api = |store: &MemoryStore| {
        let tickets = Endpoints::<Ticket>::new(store.clone(), Access::public());
        let comments = Endpoints::<Comment>::new(store.clone(), Access::public());
        let rows = Endpoints::<Row>::new(store.clone(), Access::public());
        let configuration = Configuration::new("tickets", "1.0.0");
        Api::builder(configuration).module(&tickets).module(&comments).module(&rows).build()
    };
    let error = api(&store).unwrap_err().to_string();
    assert_eq!(error.matches("the policy of `tickets` looks for entities of `memberships`").count(), 1, "{error}");
    store.declare(&Membership::definition()).unwrap();
    let client = TestClient::new(api(&store).unwrap());
    assert_eq!(client.get("/tickets").send().status(), 200);
    let failed = client.get("/rows").send();
    assert_eq!(failed.status(), 500);
    assert!(failed.cause().is_some_and(|cause| cause.contains("`RowPolicy::related`")), "{:?}", failed.cause());
}

#[test]
fn a_set_contains_entities_only_if_no_related_row_decides() {
    let ticket = |is_public| Ticket { id: Uuid::nil(), project: None, is_public };
    let is_public = || Rows::matching(Ticket::FIELDS.is_public.eq(true));
    let member = || exists::<Membership>(|membership| membership.user.eq("ann").into());
    for (rows, is_public, expected) in [
        (is_public(), true, true),
        (is_public(), false, false),
        (Rows::all(), false, true),
        (Rows::none(), true, false),
        (is_public().or(Rows::matching(member())), true, false),
        (Rows::matching(!member()), true, false),
    ] {
        assert_eq!(rows.contains(&ticket(is_public)), expected, "{rows:?} {is_public}");
    }
}
