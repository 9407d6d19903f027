//! Values that are unique together: `unique(project)` on a field and `unique(project, title)` on the struct.

use restwright::BuildErrors;
use restwright::auth::{Access, Identity};
use restwright::list::{Comparison, Expression};
use restwright::prelude::*;
use restwright::schema::{string, uuid};
use restwright::testing::TestClient;
use restwright_resource::{Endpoints, EntityBag, IdentifierKind, ResourceDefinition, RowPolicy, Rows};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::callers::Callers;
use super::counting_store::CountingStore;

/// An issue. Its number is unique within its project, and so is its title together with its kind.
#[derive(Clone, Debug, Serialize, Deserialize, Resource)]
#[resource(path = "/issues", unique(project, kind, title), put, batch)]
struct Issue {
    #[property(id)]
    id: i64,
    project: String,
    #[property(unique(project))]
    number: Option<i64>,
    #[serde(default)]
    kind: bool,
    title: String,
}

fn client() -> TestClient {
    let store = CountingStore::default();
    let issues = Endpoints::<Issue, _>::new(store, Access::public());
    TestClient::new(Api::builder(Configuration::new("issues", "1.0.0")).module(&issues).build().unwrap())
}

fn issue(project: &str, number: Option<i64>, title: &str) -> Value {
    json!({"project": project, "number": number, "title": title, "kind": true})
}

/// Sends a request. Returns the status and, for an error, the detail and the pointers of its violations.
#[track_caller]
fn outcome(client: &TestClient, request: &str, body: &Value) -> (u16, Value) {
    let (method, path) = request.split_once(' ').unwrap();
    let response = client.request(method.parse().unwrap(), path).json(body).send();
    response.assert_documented();
    let shown: Value = response.json();
    let pointers = shown["errors"].as_array().into_iter().flatten().map(|error| error["pointer"].clone());
    (response.status().as_u16(), json!([shown["detail"], pointers.collect::<Vec<_>>()]))
}

#[test]
fn a_conflict_names_all_fields_of_the_constraint() {
    let client = client();
    let created = |body: &Value| assert_eq!(outcome(&client, "POST /issues", body).0, 201, "{body}");
    created(&issue("a", Some(1), "one"));
    created(&issue("b", Some(1), "one"));
    created(&issue("a", None, "two"));
    created(&issue("a", None, "three"));
    let number = json!([
        "Another issue already has these values of `project`, `number`; change one of them.",
        ["/project", "/number"]
    ]);
    let title = json!([
        "Another issue already has these values of `project`, `kind`, `title`; change one of them.",
        ["/project", "/kind", "/title"]
    ]);
    for (request, body, expected) in [
        ("POST /issues", issue("a", Some(1), "four"), &number),
        ("POST /issues", issue("a", Some(2), "one"), &title),
        // The constraint of the field comes first.
        ("POST /issues", issue("a", Some(1), "one"), &number),
        ("PATCH /issues/2", json!({"project": "a", "title": "five"}), &number),
        ("PATCH /issues/3", json!({"number": 1}), &number),
        ("PATCH /issues/3", json!({"title": "three"}), &title),
        ("PUT /issues/3", issue("a", Some(1), "two"), &number),
    ] {
        assert_eq!(outcome(&client, request, &body), (409, expected.clone()), "{request} {body}");
    }
    let (status, batch) = outcome(
        &client,
        "POST /issues/batch",
        &json!({"data": [issue("c", Some(1), "one"), issue("c", Some(1), "two")]}),
    );
    assert_eq!((status, &batch[1]), (409, &json!(["/data/1/project", "/data/1/number"])));
    assert_eq!(outcome(&client, "PATCH /issues/3", &json!({"kind": false, "title": "three"})).0, 200);
}

/// A resource at run time whose notes are unique within their owner.
fn notes() -> ResourceDefinition {
    let shape = PropertyCollection::new("Note")
        .property(uuid("id").read_only())
        .property(string("owner"))
        .property(string("note").optional());
    ResourceDefinition::new("/notes", "notes", shape, "id", IdentifierKind::Uuid).unique(["owner", "note"])
}

struct Own;

impl RowPolicy<EntityBag> for Own {
    fn visible(&self, caller: &Identity) -> Rows {
        Rows::matching(Expression::condition(
            "owner",
            Comparison::Eq(caller.subject().unwrap_or_default().to_owned().into()),
        ))
    }
}

fn build(notes: ResourceDefinition) -> Result<Api, BuildErrors> {
    let endpoints = Endpoints::from_definition(notes, CountingStore::default(), Access::authenticated("caller"));
    Api::builder(Configuration::new("notes", "1.0.0").authenticator("caller", Callers)).module(&endpoints).build()
}

#[test]
fn a_conflict_with_hidden_values_must_be_accepted() {
    let read = |notes: ResourceDefinition| notes.field("note", |field| field.read("read"));
    for (notes, expected) in [
        (notes(), ""),
        (notes().policy(Own), "unique fields `owner`, `note` reveals that a hidden entity has the values"),
        (notes().policy(Own).reveals(["note"]), "accept it with `reveals(owner, note)` on `notes`"),
        (notes().policy(Own).reveals(["note", "owner"]), ""),
        (read(notes()), "the field `note` of `notes` is unique and only some callers may read it"),
        (read(notes()).reveals(["note"]), ""),
        (notes().unique(["note", "owner"]), "is declared twice"),
        (notes().unique(["note"]), "must have at least two fields"),
        (notes().unique(["note", "id"]), "names `id`, which is already unique"),
        (notes().unique(["note", "text"]), "names `text`, which is not a field"),
    ] {
        let built = build(notes).err().map(|errors| errors.to_string()).unwrap_or_default();
        assert_eq!(built.is_empty(), expected.is_empty(), "{built}");
        assert!(built.contains(expected), "{built}");
    }
}

#[test]
fn a_conflict_of_a_field_that_the_caller_may_not_read_names_no_field() {
    let notes = notes().field("note", |field| field.read("read").write("write")).reveals(["note"]);
    let client = TestClient::new(build(notes).unwrap());
    let send = |caller: &str, body: Value| {
        let response = client.post("/notes").header("X-Caller", caller).json(&body).send();
        response.assert_documented();
        let body: Value = response.json();
        (response.status().as_u16(), body["detail"].clone(), body["errors"].clone())
    };
    assert_eq!(send("ann read write", json!({"owner": "a", "note": "n"})).0, 201);
    assert_eq!(send("bob write", json!({"owner": "b", "note": "n"})).0, 201);
    let hidden = json!("Another note already has one of these values.");
    assert_eq!(send("bob write", json!({"owner": "a", "note": "n"})), (409, hidden, Value::Null));
    assert_eq!(send("ann read write", json!({"owner": "a", "note": "n"})).2.as_array().map(Vec::len), Some(2));
}
