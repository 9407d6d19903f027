//! Policies: what exists for a caller, what the caller may change, and what the caller may store.

use restwright::auth::{Access, Identity};
use restwright::list::{CursorKey, ValueType};
use restwright::prelude::*;
use restwright::schema::{int64, string, uuid};
use restwright::testing::{TestClient, TestResponse};
use restwright_resource::idempotency::{Idempotency, MemoryIdempotencyStore};
use restwright_resource::{
    Endpoints, EntityStore, FieldDefinition, HookContext, IdentifierKind, MemoryStore, NoBody, OnDelete,
    ResourceDefinition, RowPolicy, Rows, Scope,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use uuid::Uuid;

use super::callers::Callers;
use super::counting_store::CountingStore;

/// A project, which its owner sees.
#[derive(Clone, Debug, Serialize, Deserialize, Resource)]
#[resource(path = "/projects", policy = OwnProjects, reveals(tickets))]
struct Project {
    #[property(id)]
    id: Uuid,
    #[property(filter(eq), sort)]
    owner: String,
}

/// A ticket, which its owner and everybody with `all` sees, and in public everybody.
#[derive(Clone, Debug, Serialize, Deserialize, Resource)]
#[resource(path = "/tickets", policy = Tickets, reveals(code, project_id), pagination = cursor, batch, put)]
struct Ticket {
    #[property(id)]
    id: Uuid,
    #[property(filter(eq, contains), sort)]
    owner: String,
    is_public: bool,
    #[property(unique)]
    code: Option<String>,
    #[property(references(Project))]
    project_id: Option<Uuid>,
}

/// A comment on a ticket.
#[derive(Clone, Debug, Serialize, Deserialize, Resource)]
#[resource(path = "/tickets/{ticket_id}/comments")]
struct Comment {
    #[property(id)]
    id: Uuid,
    #[property(parent(Ticket))]
    ticket_id: Uuid,
    text: String,
}

struct OwnProjects;

impl RowPolicy<Project> for OwnProjects {
    fn visible(&self, caller: &Identity) -> Rows {
        Rows::matching(Project::FIELDS.owner.eq(caller.subject().unwrap_or_default()))
    }
}

struct Tickets;

impl RowPolicy<Ticket> for Tickets {
    fn visible(&self, caller: &Identity) -> Rows {
        if caller.has_permission("all") {
            return Rows::all();
        }
        Rows::matching(Ticket::FIELDS.is_public.eq(true)).or(self.writable(caller))
    }

    fn writable(&self, caller: &Identity) -> Rows {
        Rows::matching(Ticket::FIELDS.owner.eq(caller.subject().unwrap_or_default()))
    }

    fn result(&self, caller: &Identity) -> Rows {
        // Tickets can be handed over, but not to nobody.
        let _ = caller;
        Rows::matching(Ticket::FIELDS.owner.ne("nobody"))
    }
}

struct World {
    client: TestClient,
    store: CountingStore,
}

fn world() -> World {
    let store = CountingStore::default();
    let access = || Access::authenticated("caller");
    let keys = Idempotency::new(MemoryIdempotencyStore::new());
    // An action that hands the ticket to nobody is one that the policy refuses.
    let drop_it = async |ticket: &mut Ticket, _: NoBody, context: &mut HookContext<'_>| {
        ticket.owner = "nobody".to_owned();
        let seen = context.store::<Ticket>().count(&()).await?;
        let all = context.store::<Ticket>().unrestricted().count(&()).await?;
        assert!(seen < all, "a hook sees what its caller sees: {seen} of {all}");
        Ok(())
    };
    let tickets = Endpoints::<Ticket>::new(store.clone(), access()).idempotency(keys).action("drop", access(), drop_it);
    let projects = Endpoints::<Project>::new(store.clone(), access());
    let comments = Endpoints::<Comment>::new(store.clone(), access());
    let configuration =
        Configuration::new("tickets", "1.0.0").with(CursorKey::new([7; 32])).authenticator("caller", Callers);
    let api = Api::builder(configuration).module(&projects).module(&tickets).module(&comments).build().unwrap();
    let explained = api.explain();
    assert_eq!(explained.matches("policies::Tickets, reveals code, project_id\n").count(), 11, "{explained}");
    World { client: TestClient::new(api), store }
}

impl World {
    fn send(&self, caller: &str, method: &str, path: &str, body: impl Into<Option<Value>>) -> TestResponse {
        let body = body.into();
        let request = match method {
            "GET" => self.client.get(path),
            "POST" => self.client.post(path),
            "PATCH" => self.client.patch(path),
            "PUT" => self.client.put(path),
            _ => self.client.delete(path),
        };
        let request = request.header("X-Caller", caller);
        let response = body.iter().fold(request, |request, body| request.json(body)).send();
        response.assert_documented();
        response
    }

    fn create(&self, caller: &str, path: &str, body: Value) -> String {
        let response = self.send(caller, "POST", path, Some(body));
        response.assert_status(201);
        response.json::<Value>()["data"]["id"].as_str().unwrap().to_owned()
    }
}

fn ticket(owner: &str, is_public: bool) -> Value {
    json!({"owner": owner, "is_public": is_public})
}

/// Returns a response without its own id, and without the identifier that was asked for.
fn shown(response: &TestResponse, id: &str) -> (u16, Value) {
    let mut body: Value = serde_json::from_str(&response.text().replace(id, "..")).unwrap();
    body.as_object_mut().unwrap().remove("request_id");
    (response.status().as_u16(), body)
}

const MISSING: &str = "018f0000-0000-7000-8000-000000000000";

/// Every operation on a hidden ticket responds as on one that does not exist.
#[test]
fn what_is_hidden_does_not_exist() {
    let world = world();
    let hidden = world.create("ann", "/tickets", ticket("ann", false));
    let project = world.create("ann", "/projects", json!({"owner": "ann"}));
    let own = world.create("bob", "/tickets", ticket("bob", false));
    for (method, path, body) in [
        ("GET", "/tickets/{}", None),
        ("PATCH", "/tickets/{}", Some(json!({"is_public": true}))),
        ("PATCH", "/tickets/{}", Some(json!({"is_public": 7}))),
        ("PUT", "/tickets/{}", Some(ticket("bob", true))),
        ("DELETE", "/tickets/{}", None),
        ("POST", "/tickets/{}/drop", None),
        ("GET", "/tickets/{}/comments", None),
        ("POST", "/tickets/{}/comments", Some(json!({"text": "a"}))),
        ("GET", "/tickets/{}/comments/018f0000-0000-7000-8000-000000000001", None),
    ] {
        let missing = world.send("bob", method, &path.replace("{}", MISSING), body.clone());
        let found = world.send("bob", method, &path.replace("{}", &hidden), body);
        assert_eq!(shown(&found, &hidden), shown(&missing, MISSING), "{method} {path}");
        assert!([404, 422].contains(&found.status().as_u16()), "{method} {path}: {}", found.status());
    }
    for path in [format!("/tickets/{own}"), "/tickets".to_owned(), "/tickets/batch".to_owned()] {
        let with = |project: &str| {
            let body = json!({"owner": "bob", "is_public": false, "project_id": project});
            match &*path {
                "/tickets" => world.send("bob", "POST", &path, Some(body)),
                "/tickets/batch" => {
                    world.send("bob", "POST", &path, Some(json!({"data": [ticket("bob", true), body]})))
                }
                _ => world.send("bob", "PATCH", &path, Some(json!({"project_id": project}))),
            }
        };
        let (found, missing) = (with(&project), with(MISSING));
        found.assert_status(422);
        assert_eq!(shown(&found, &project), shown(&missing, MISSING), "{path}");
    }
}

#[test]
fn lists_have_what_is_visible() {
    let world = world();
    for owner in ["ann", "ann", "bob"] {
        world.create(owner, "/tickets", ticket(owner, false));
    }
    world.create("ann", "/tickets", ticket("ann", true));
    for (caller, query, expected) in [
        ("ann", "", 3),
        ("bob", "", 2),
        ("cid", "", 1),
        ("cid all", "", 4),
        ("bob", "?owner[eq]=ann", 1),
        ("bob", "?owner[contains]=n", 1),
        ("bob", "?order_by=-owner", 2),
    ] {
        let response = world.send(caller, "GET", &format!("/tickets{query}"), None);
        assert_eq!(response.json::<Value>()["data"].as_array().unwrap().len(), expected, "{caller} {query}");
    }
}

#[test]
fn what_is_visible_is_changed_by_those_who_may() {
    let world = world();
    let public = world.create("ann", "/tickets", ticket("ann", true));
    let path = format!("/tickets/{public}");
    world.send("bob", "GET", &path, None).assert_status(200);
    for (method, body) in
        [("PATCH", Some(json!({"is_public": false}))), ("PUT", Some(ticket("bob", true))), ("DELETE", None)]
    {
        let refused = world.send("bob", method, &path, body);
        refused.assert_status(403);
        assert_eq!(
            refused.json::<Value>()["detail"],
            "You may read this ticket, but not change or delete it.",
            "{method}"
        );
    }
    world.send("bob", "POST", &format!("{path}/drop"), None).assert_status(403);
    world.send("bob", "POST", "/tickets", Some(ticket("nobody", true))).assert_status(403);
    world.send("ann", "PATCH", &path, Some(json!({"owner": "nobody"}))).assert_status(403);
    // It is handed over, and then hidden.
    world.send("ann", "PATCH", &path, Some(json!({"is_public": false, "owner": "cid"}))).assert_status(200);
    world.send("ann", "GET", &path, None).assert_status(404);
    world.send("cid", "DELETE", &path, None).assert_status(204);
}

#[test]
fn an_action_has_a_result_that_is_permitted() {
    let world = world();
    world.create("bob", "/tickets", ticket("bob", false));
    let own = world.create("ann", "/tickets", ticket("ann", false));
    world.send("ann", "POST", &format!("/tickets/{own}/drop"), None).assert_status(403);
    let found = world.send("ann", "GET", &format!("/tickets/{own}"), None);
    assert_eq!(found.json::<Value>()["data"]["owner"], "ann");
}

#[test]
fn a_reference_that_became_hidden_stays_if_it_is_not_changed() {
    let world = world();
    let project = world.create("ann", "/projects", json!({"owner": "ann"}));
    let body = json!({"owner": "ann", "is_public": false, "project_id": project});
    let own = world.create("ann", "/tickets", body);
    world.send("ann", "PATCH", &format!("/projects/{project}"), Some(json!({"owner": "ann"}))).assert_status(200);
    world.send("ann", "PATCH", &format!("/tickets/{own}"), Some(json!({"owner": "bob"}))).assert_status(200);
    // Bob does not see the project.
    let changed = world.send("bob", "PATCH", &format!("/tickets/{own}"), Some(json!({"is_public": true})));
    changed.assert_status(200);
    let sent = json!({"project_id": MISSING});
    world.send("bob", "PATCH", &format!("/tickets/{own}"), Some(sent)).assert_status(422);
}

#[test]
fn a_replay_needs_the_permissions_of_the_first_request() {
    let world = world();
    let send = |caller: &str| {
        let request = world.client.post("/tickets").header("X-Caller", caller).header("Idempotency-Key", "8e03978e");
        let response = request.json(&ticket("ann", false)).send();
        response.assert_documented();
        response
    };
    send("ann").assert_status(201);
    send("ann").assert_status(201).assert_header("idempotency-replayed", "true");
    let refused = send("ann all");
    refused.assert_status(409);
    assert_eq!(refused.json::<Value>()["code"], "idempotency_rights_changed");
    send("ann").assert_status(201).assert_header("idempotency-replayed", "true");
    let listed = world.send("ann", "GET", "/tickets", None);
    assert_eq!(listed.json::<Value>()["data"].as_array().unwrap().len(), 1);
}

#[test]
fn a_cursor_belongs_to_what_its_caller_sees() {
    let world = world();
    for _ in 0..3 {
        world.create("ann", "/tickets", ticket("ann", true));
    }
    let first = world.send("ann", "GET", "/tickets?limit=1", None).json::<Value>();
    let cursor = first["pagination"]["next_cursor"].as_str().unwrap();
    let next = format!("/tickets?limit=1&cursor={cursor}");
    world.send("ann", "GET", &next, None).assert_status(200);
    for other in ["ann all", "bob"] {
        world.send(other, "GET", &next, None).assert_status(422);
    }
}

#[test]
fn a_handler_says_for_whom_it_works() {
    let world = world();
    let own = world.create("ann", "/tickets", ticket("ann", false));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(check_handler(&world, &own));
}

async fn check_handler(world: &World, own: &str) {
    let (scope, own) = (Scope::new(), own.parse::<Uuid>().unwrap());
    let (ann, bob) = (Identity::builder("ann").build(), Identity::builder("bob").build());
    let tickets = || EntityStore::<Ticket>::new(&world.store, &scope);
    let unstated = tickets().find(&own).await.unwrap_err();
    assert!(format!("{unstated:?}").contains("EntityStore::for_caller"), "{unstated:?}");
    assert!(tickets().unrestricted().find(&own).await.unwrap().is_some());
    let found = tickets().for_caller(&ann).find(&own).await.unwrap().unwrap();
    assert!(tickets().for_caller(&bob).find(&own).await.unwrap().is_none());
    assert_eq!(tickets().for_caller(&bob).count(&()).await.unwrap(), 0);
    let status = |problem: Problem| problem.status().as_u16();
    let changed = Ticket { is_public: true, ..found.entity.clone() };
    assert_eq!(tickets().for_caller(&bob).update(changed.clone(), None).await.map_err(status).err(), Some(404));
    assert_eq!(tickets().for_caller(&bob).delete(&own, None).await.map_err(status), Err(404));
    tickets().for_caller(&ann).update(changed.clone(), None).await.unwrap();
    assert_eq!(tickets().for_caller(&bob).delete(&own, None).await.map_err(status), Err(403));
    let nobody = Ticket { id: Uuid::nil(), owner: "nobody".to_owned(), ..changed };
    assert_eq!(tickets().for_caller(&ann).insert(nobody).await.map_err(status).err(), Some(403));
    tickets().for_caller(&ann).delete(&own, None).await.unwrap();
}

/// Sees nothing.
struct Nothing;

impl<R> RowPolicy<R> for Nothing {
    fn visible(&self, _: &Identity) -> Rows {
        Rows::none()
    }
}

fn declared(name: &str, kind: IdentifierKind) -> ResourceDefinition {
    let identifier = match kind {
        IdentifierKind::Uuid => uuid("id").read_only(),
        IdentifierKind::Integer => int64("id").read_only(),
        _ => string("id"),
    };
    let shape = PropertyCollection::new(if name == "a" { "A" } else { "B" })
        .property(identifier)
        .property(string("code").optional())
        .property(uuid("other_id").optional());
    ResourceDefinition::new(format!("/{name}"), name.to_owned(), shape, "id", kind)
}

/// What shows something about hidden entities is an error, until the resource accepts it.
#[test]
fn what_shows_hidden_entities_is_named_when_an_api_is_built() {
    let refers = |on_delete| move |field: FieldDefinition| field.references("b", on_delete);
    let a = || declared("a", IdentifierKind::Uuid);
    let b = || declared("b", IdentifierKind::Uuid);
    for (a, b, expected) in [
        (a().policy(Nothing), b(), vec![]),
        (a().field("code", FieldDefinition::unique), b(), vec![]),
        (a().field("code", FieldDefinition::unique).policy(Nothing), b(), vec!["reveals(code)` on `a`"]),
        (a().field("code", FieldDefinition::unique).policy(Nothing).reveals(["code"]), b(), vec![]),
        (declared("a", IdentifierKind::Integer).policy(Nothing), b(), vec!["reveals(id)` on `a`"]),
        (declared("a", IdentifierKind::Given(ValueType::Text)).policy(Nothing), b(), vec!["reveals(id)` on `a`"]),
        (a().field("other_id", refers(OnDelete::Restrict)), b(), vec![]),
        (a().field("other_id", refers(OnDelete::Restrict)), b().policy(Nothing), vec!["reveals(other_id)` on `a`"]),
        (a().field("other_id", refers(OnDelete::Restrict)).policy(Nothing), b(), vec!["reveals(a)` on `b`"]),
        (a().field("other_id", refers(OnDelete::Restrict)).policy(Nothing), b().reveals(["a"]), vec![]),
        (a().field("other_id", refers(OnDelete::Keep)).policy(Nothing), b(), vec![]),
        (a().field("other_id", refers(OnDelete::Keep)), b().policy(Nothing), vec!["reveals(other_id)` on `a`"]),
        (a().field("other_id", refers(OnDelete::Cascade)).policy(Nothing), b(), vec!["cascades(other_id)`"]),
        (a().field("other_id", refers(OnDelete::Cascade)).policy(Nothing).cascades(["other_id"]), b(), vec![]),
    ] {
        let store = MemoryStore::new();
        let shown = format!("{:?} {:?}", a.definition(), b.definition());
        let a = Endpoints::from_definition(a, store.clone(), Access::public());
        let b = Endpoints::from_definition(b, store, Access::public());
        let built = Api::builder(Configuration::new("ab", "1.0.0")).module(&a).module(&b).build();
        let found = built.err().map(|errors| errors.to_string()).unwrap_or_default();
        let count = found.matches("hides entities by its policy").count();
        assert_eq!(count, expected.len(), "{shown}: {found}");
        assert!(expected.iter().all(|expected| found.contains(expected)), "{shown}: {found}");
    }
}
