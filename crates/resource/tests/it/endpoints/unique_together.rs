//! Values that are unique together: `unique(project)` on a field and `unique(project, title)` on the struct.

use restwright::BuildErrors;
use restwright::auth::{Access, Identity};
use restwright::list::{Comparison, Expression};
use restwright::prelude::*;
use restwright::schema::{string, uuid};
use restwright::testing::TestClient;
use restwright_resource::{
    Endpoints, EntityBag, FieldDefinition, IdentifierKind, ResourceDefinition, RowPolicy, Rows, UniqueConstraint,
};
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

/// A label. Its name is unique regardless of case, and so is its code within the same kind.
#[derive(Clone, Debug, Serialize, Deserialize, Resource)]
#[resource(path = "/labels", unique(kind, code, ignore_case))]
struct Label {
    #[property(id)]
    id: i64,
    #[property(unique(ignore_case), filter(eq))]
    name: String,
    kind: i64,
    code: String,
}

/// A folder. Roots have no parent, and different names. At most one folder is without an owner.
#[derive(Clone, Debug, Serialize, Deserialize, Resource)]
#[resource(path = "/folders", unique(parent_id, name, nulls = equal))]
struct Folder {
    #[property(id)]
    id: i64,
    parent_id: Option<i64>,
    name: String,
    #[property(unique(nulls = equal))]
    owner: Option<String>,
}

fn client() -> TestClient {
    let store = CountingStore::default();
    let issues = Endpoints::<Issue>::new(store.clone(), Access::public());
    let folders = Endpoints::<Folder>::new(store.clone(), Access::public());
    let labels = Endpoints::<Label>::new(store, Access::public());
    let api = Api::builder(Configuration::new("issues", "1.0.0")).module(&issues).module(&folders).module(&labels);
    TestClient::new(api.build().unwrap())
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

#[test]
fn null_is_equal_to_null_if_the_declaration_says_so() {
    let client = client();
    let folder = |parent_id: Option<i64>, name: &str, owner: Option<&str>| json!({"parent_id": parent_id, "name": name, "owner": owner});
    let created = |body: &Value| assert_eq!(outcome(&client, "POST /folders", body).0, 201, "{body}");
    created(&folder(None, "a", None));
    created(&folder(None, "b", Some("ann")));
    created(&folder(Some(1), "a", Some("bob")));
    let name = json!([
        "Another folder already has these values of `parent_id`, `name`; change one of them.",
        ["/parent_id", "/name"]
    ]);
    let owner = json!(["Another folder already has this `owner`; choose another.", ["/owner"]]);
    for (request, body, expected) in [
        ("POST /folders", folder(None, "a", Some("eve")), &name),
        ("POST /folders", folder(None, "c", None), &owner),
        ("PATCH /folders/3", json!({"parent_id": null}), &name),
        ("PATCH /folders/3", json!({"owner": null}), &owner),
    ] {
        assert_eq!(outcome(&client, request, &body), (409, expected.clone()), "{request} {body}");
    }
    assert_eq!(outcome(&client, "PATCH /folders/1", &json!({"parent_id": null, "owner": null})).0, 200);
}

#[test]
fn case_is_ignored_if_the_declaration_says_so() {
    let client = client();
    let label = |name: &str, kind: i64, code: &str| json!({"name": name, "kind": kind, "code": code});
    let created = |body: &Value| assert_eq!(outcome(&client, "POST /labels", body).0, 201, "{body}");
    created(&label("Ärger", 1, "A"));
    created(&label("b", 2, "a"));
    let name = json!(["Another label already has this `name`; choose another.", ["/name"]]);
    let code =
        json!(["Another label already has these values of `kind`, `code`; change one of them.", ["/kind", "/code"]]);
    for (request, body, expected) in [
        ("POST /labels", label("ÄRGER", 3, "A"), &name),
        ("POST /labels", label("c", 1, "a"), &code),
        ("PATCH /labels/2", json!({"name": "ärger"}), &name),
        ("PATCH /labels/2", json!({"kind": 1}), &code),
    ] {
        assert_eq!(outcome(&client, request, &body), (409, expected.clone()), "{request} {body}");
    }
    assert_eq!(outcome(&client, "PATCH /labels/1", &json!({"name": "ÄRGER"})).0, 200);
    // Filters compare exactly.
    for (filter, total) in [("%C3%84RGER", 1), ("%C3%A4rger", 0)] {
        let listed: Value = client.get(format!("/labels?name={filter}")).send().json();
        assert_eq!(listed["pagination"]["total"], total, "{filter}");
    }
}

/// A resource at run time whose notes are unique within their owner.
fn notes() -> ResourceDefinition {
    plain_notes().unique(["owner", "note"])
}

fn plain_notes() -> ResourceDefinition {
    let shape = PropertyCollection::new("Note")
        .property(uuid("id").read_only())
        .property(string("owner"))
        .property(string("note").optional());
    ResourceDefinition::new("/notes", "notes", shape, "id", IdentifierKind::Uuid)
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
    let nulls_equal = |fields: &[&'static str]| UniqueConstraint::new(fields.iter().copied()).nulls_equal();
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
        (notes().unique(nulls_equal(&["note"])), "names `note`, which is already unique without other fields"),
        (plain_notes().unique(nulls_equal(&["note"])), ""),
        (plain_notes().unique(nulls_equal(&["note"])).policy(Own), "unique field `note` reveals that a hidden entity"),
        (plain_notes().unique(nulls_equal(&["note"])).policy(Own).reveals(["note"]), ""),
        (plain_notes().unique(nulls_equal(&["owner"])), "none of its fields is nullable; remove `nulls_equal`"),
        (notes().unique(nulls_equal(&["note", "owner"])), "is declared twice"),
        (plain_notes().unique(UniqueConstraint::new(["note"]).ignore_case()), ""),
        (
            plain_notes().unique(UniqueConstraint::new(["note"]).ignore_case()).policy(Own),
            "accept it with `reveals(note)`",
        ),
        (
            plain_notes().unique(UniqueConstraint::new(["id"]).ignore_case()),
            "ignores case, but none of its fields is a string",
        ),
        (plain_notes().field("note", FieldDefinition::unique).unique(nulls_equal(&["note"])), "is declared twice"),
        (plain_notes().field("note", FieldDefinition::unique).unique(nulls_equal(&["note", "owner"])), ""),
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
    let hidden = json!("Another note conflicts with these values; change them.");
    assert_eq!(send("bob write", json!({"owner": "a", "note": "n"})), (409, hidden, Value::Null));
    assert_eq!(send("ann read write", json!({"owner": "a", "note": "n"})).2.as_array().map(Vec::len), Some(2));
}
