//! Resources whose deleted entities stay in the store: `#[property(deleted_at)]`.

use jiff::Timestamp;
use restwright::auth::Access;
use restwright::openapi::Document;
use restwright::prelude::*;
use restwright::schema::{date_time, int64, string};
use restwright::testing::TestClient;
use restwright_resource::{
    Endpoints, EntityStore, FieldDefinition, HookContext, Hooks, IdentifierKind, NoBody, OnDelete, ResourceDefinition,
    Scope,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::counting_store::CountingStore;

/// A project.
#[derive(Clone, Debug, Serialize, Deserialize, Resource)]
#[resource(path = "/projects", require_preconditions, delete(view))]
struct Project {
    #[property(id)]
    id: i64,
    #[property(unique, filter(eq, contains), sort)]
    name: String,
    #[property(deleted_at)]
    deleted_at: Option<Timestamp>,
}

/// A ticket, which is deleted with its project.
#[derive(Clone, Debug, Serialize, Deserialize, Resource)]
#[resource(path = "/projects/{project_id}/tickets", pagination = cursor, put)]
struct Ticket {
    #[property(id)]
    id: i64,
    #[property(parent(Project, on_delete = cascade))]
    project_id: i64,
    #[property(unique, sort)]
    title: String,
    #[property(deleted_at)]
    deleted_at: Option<Timestamp>,
}

/// A note, which leaves the store and prevents the delete of its project.
#[derive(Clone, Debug, Serialize, Deserialize, Resource)]
#[resource(path = "/notes")]
struct Note {
    #[property(id)]
    id: i64,
    #[property(references(Project))]
    project_id: i64,
}

/// Restores a deleted project with the name of a new one, in the same transaction.
struct Undelete;

impl Hooks<Note> for Undelete {
    async fn before_create(&self, context: &mut HookContext<'_>, note: &mut Note) -> Result<()> {
        let mut projects = context.store::<Project>();
        match projects.find(&note.project_id).await? {
            Some(_) => Ok(()),
            None => projects.restore(&note.project_id).await.map(drop),
        }
    }
}

struct World {
    client: TestClient,
    store: CountingStore,
}

fn world(is_hooked: bool) -> World {
    let store = CountingStore::default();
    let projects = Endpoints::<Project>::new(store.clone(), Access::public());
    let merge = async |project: &mut Project, _: NoBody, context: &mut HookContext<'_>| {
        let mut projects = context.store::<Project>().with_deleted();
        let deleted = projects.first(Project::FIELDS.deleted_at.is_null(false), 10).await?;
        project.name = format!("{} of {}", deleted.len(), projects.count(&()).await?);
        Ok(())
    };
    let projects = projects.action("count", Access::public(), merge);
    let tickets = Endpoints::<Ticket>::new(store.clone(), Access::public());
    let notes = Endpoints::<Note>::new(store.clone(), Access::public());
    let notes = if is_hooked { notes.hooks(Undelete) } else { notes };
    let configuration = Configuration::new("projects", "1.0.0").with(restwright::list::CursorKey::new([7; 32]));
    let api = Api::builder(configuration).module(&projects).module(&tickets).module(&notes).build().unwrap();
    World { client: TestClient::new(api), store }
}

impl World {
    async fn send(&self, request: &str, body: Option<&Value>) -> (u16, Value) {
        let (method, path) = request.split_once(' ').unwrap();
        let sent = self.client.request(method.parse().unwrap(), path).header("If-Match", "*");
        let response = body.iter().fold(sent, |sent, body| sent.json(body)).await;
        response.assert_documented();
        let shown: Value = serde_json::from_str(response.text()).unwrap_or_default();
        let shown = match &shown["errors"] {
            Value::Array(errors) => json!(errors.iter().map(|one| one["code"].clone()).collect::<Vec<_>>()),
            _ if response.status().as_u16() >= 300 => shown["code"].clone(),
            _ => shown["data"].clone(),
        };
        (response.status().as_u16(), shown)
    }

    async fn project(&self, name: &str) -> i64 {
        let (status, project) = self.send("POST /projects", Some(&json!({"name": name}))).await;
        assert_eq!(status, 201, "{project}");
        project["id"].as_i64().unwrap()
    }

    async fn ticket(&self, project: i64, title: &str) -> i64 {
        let path = format!("POST /projects/{project}/tickets");
        self.send(&path, Some(&json!({"title": title}))).await.1["id"].as_i64().unwrap()
    }

    async fn restore(&self, project: i64) -> u16 {
        let restored = EntityStore::<Project>::new(&self.store, &Scope::new()).restore(&project).await;
        restored.map_or_else(|problem| problem.status().as_u16(), |_| 200)
    }
}

#[tokio::test]
async fn a_deleted_entity_is_missing_until_it_is_restored() {
    let world = world(false);
    let first = world.project("a").await;
    let one = format!("/projects/{first}");
    assert_eq!(world.send(&format!("DELETE {one}"), None).await, (200, json!({"id": first, "name": "a"})));
    for request in ["GET", "DELETE"] {
        assert_eq!(world.send(&format!("{request} {one}"), None).await, (404, json!("not_found")), "{request}");
    }
    assert_eq!(world.send(&format!("PATCH {one}"), Some(&json!({"name": "b"}))).await.0, 404);
    assert_eq!(world.send(&format!("GET {one}/tickets"), None).await.0, 404);
    assert_eq!(world.send(&format!("POST {one}/tickets"), Some(&json!({"title": "t"}))).await.0, 404);
    assert_eq!(
        world.send("POST /notes", Some(&json!({"project_id": first}))).await,
        (422, json!(["missing_reference"]))
    );
    assert_eq!(world.send("GET /projects?name[contains]=a", None).await, (200, json!([])));
    let second = world.project("a").await;
    assert_eq!(world.restore(first).await, 409);
    assert_eq!(world.restore(second).await, 404);
    assert_eq!(world.restore(77).await, 404);
    world.send(&format!("PATCH /projects/{second}"), Some(&json!({"name": "b"}))).await;
    assert_eq!(world.restore(first).await, 200);
    assert_eq!(world.send(&format!("GET {one}"), None).await, (200, json!({"id": first, "name": "a"})));
    assert_eq!(world.send("POST /notes", Some(&json!({"project_id": first}))).await.0, 201);
    // A remaining reference prevents the delete.
    assert_eq!(world.send(&format!("DELETE {one}"), None).await, (409, json!("conflict")));
    assert_eq!(world.send(&format!("GET {one}"), None).await.0, 200);
}

#[tokio::test]
async fn a_cascade_follows_and_a_restore_does_not() {
    let world = world(false);
    let project = world.project("a").await;
    let (first, second) = (world.ticket(project, "s").await, world.ticket(project, "t").await);
    let tickets = format!("/projects/{project}/tickets");
    assert_eq!(world.send(&format!("DELETE {tickets}/{second}"), None).await.0, 204);
    assert_eq!(world.send(&format!("PUT {tickets}/{second}"), Some(&json!({"title": "u"}))).await.0, 404);
    assert_eq!(world.send(&format!("GET {tickets}?limit=1&order_by=-title"), None).await.1[0]["id"], first);
    world.send(&format!("DELETE /projects/{project}"), None).await;
    assert_eq!(world.send(&format!("GET {tickets}/{first}"), None).await.0, 404);
    let scope = Scope::new().with("project_id", project);
    let mut all = EntityStore::<Ticket>::new(&world.store, &scope).with_deleted();
    assert_eq!(all.count(Ticket::FIELDS.deleted_at.is_null(false)).await.unwrap(), 2);
    let restored = EntityStore::<Ticket>::new(&world.store, &scope).restore(&first).await;
    assert_eq!(restored.map_err(|problem| problem.status().as_u16()).err(), Some(404));
    assert_eq!(world.restore(project).await, 200);
    assert_eq!(world.send(&format!("GET {tickets}"), None).await, (200, json!([])));
    let restored = EntityStore::<Ticket>::new(&world.store, &scope).restore(&first).await.unwrap();
    assert_eq!((restored.title.as_str(), restored.deleted_at), ("s", None));
    assert_eq!(world.send(&format!("GET {tickets}"), None).await.1.as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn hooks_and_actions_see_and_restore_deleted_entities() {
    let world = world(true);
    let (first, second) = (world.project("a").await, world.project("b").await);
    world.send(&format!("DELETE /projects/{first}"), None).await;
    let counted = world.send(&format!("POST /projects/{second}/count"), None).await;
    assert_eq!(counted, (200, json!({"id": second, "name": "1 of 2"})));
    // A conflict in the hook is the response.
    let third = world.project("a").await;
    assert_eq!(world.send("POST /notes", Some(&json!({"project_id": first}))).await, (409, json!(["conflict"])));
    world.send(&format!("DELETE /projects/{third}"), None).await;
    assert_eq!(world.send("POST /notes", Some(&json!({"project_id": first}))).await.0, 201);
    assert_eq!(world.send(&format!("GET /projects/{first}"), None).await.0, 200);
}

#[tokio::test]
async fn no_request_and_no_response_contains_the_time_of_the_deletion() {
    let world = world(false);
    let document = Document::from_api(world.client.api()).to_json();
    assert!(!document.contains("deleted_at"), "{document}");
    let body = json!({"name": "a", "deleted_at": "2024-01-01T00:00:00Z"});
    assert_eq!(world.send("POST /projects", Some(&body)).await, (422, json!(["unknown_property"])));
    let project = world.project("a").await;
    let patched = world.send(&format!("PATCH /projects/{project}"), Some(&json!({"deleted_at": null}))).await;
    assert_eq!(patched, (422, json!(["unknown_property"])));
    let filtered = world.client.get("/projects?deleted_at[is_null]=false").await;
    filtered.assert_status(422);
}

fn shape(name: &str) -> PropertyCollection {
    PropertyCollection::new(name.to_owned())
        .property(int64("id").read_only())
        .property(string("name"))
        .property(int64("page_id").optional())
        .property(date_time("gone").optional())
}

fn definition(name: &str, path: &str) -> ResourceDefinition {
    ResourceDefinition::new(path, name.to_lowercase(), shape(name), "id", IdentifierKind::Integer)
}

#[test]
fn a_resource_at_run_time_keeps_deleted_entities() {
    let pages =
        definition("Page", "/pages").field("gone", FieldDefinition::deleted_at).field("name", FieldDefinition::unique);
    let pages = Endpoints::from_definition(pages, CountingStore::default(), Access::public());
    let api = Api::builder(Configuration::new("pages", "1.0.0")).module(&pages).build().unwrap();
    assert!(!Document::from_api(&api).to_json().contains("gone"));
    let client = TestClient::new(api);
    let create = || client.post("/pages").json(&json!({"name": "a"})).send();
    let first: Value = create().assert_status(201).json();
    assert_eq!(first["data"], json!({"id": 1, "name": "a"}));
    create().assert_status(409);
    client.delete("/pages/1").send().assert_status(204);
    client.get("/pages/1").send().assert_status(404);
    create().assert_status(201);
}

#[test]
fn declarations_that_cannot_work_do_not_build() {
    let kept = |definition: ResourceDefinition| definition.field("gone", FieldDefinition::deleted_at);
    let refers = |definition: ResourceDefinition, on_delete| {
        definition.field("page_id", move |field| field.references("page", on_delete))
    };
    let (page, link) = (|| definition("Page", "/pages"), || definition("Link", "/links"));
    for (page, link, expected) in [
        (kept(page()), refers(kept(link()), OnDelete::Restrict), ""),
        (page(), refers(kept(link()), OnDelete::Cascade), ""),
        (kept(page()), refers(link(), OnDelete::Restrict), ""),
        (page(), refers(kept(link()), OnDelete::Restrict), "deleted entities of `link` stay in the store"),
        (page(), link().field("name", |field| field.deleted_at()), "has the wrong type"),
        (page(), kept(link()).field("gone", |field| field.unique()), "must not be a scope, a unique value"),
    ] {
        let store = CountingStore::default();
        let pages = Endpoints::from_definition(page, store.clone(), Access::public());
        let links = Endpoints::from_definition(link, store, Access::public());
        let built = Api::builder(Configuration::new("pages", "1.0.0")).module(&pages).module(&links).build();
        let found = built.err().map(|errors| errors.to_string()).unwrap_or_default();
        assert_eq!(found.is_empty(), expected.is_empty(), "{found}");
        assert!(found.contains(expected), "{found}");
    }
}
