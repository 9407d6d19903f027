//! The example tracker: who sees and changes which tickets, on SQLite and on PostgreSQL.

mod feed;

use std::path::Path;
use std::sync::LazyLock;

use restwright::auth::{ApiKey, NewApiKey};
use restwright::testing::TestClient;
use serde_json::{Value, json};
use tracker::roles::{Role, key_of};

/// The callers of the tests: three roles and one more member in the organisation `north`, and an admin of `south`.
const PERSONS: [(&str, &str, Role); 5] = [
    ("vera", "north", Role::Viewer),
    ("max", "north", Role::Member),
    ("mia", "north", Role::Member),
    ("ada", "north", Role::Admin),
    ("sue", "south", Role::Admin),
];

struct Tracker {
    client: TestClient,
    keys: Vec<NewApiKey>,
}

impl Tracker {
    fn open(database: &str) -> Self {
        Self::with(keys(), database)
    }

    fn with(keys: Vec<NewApiKey>, database: &str) -> Self {
        let client = TestClient::new(tracker::api(stored(&keys), database, files()).unwrap());
        client.start().unwrap();
        Self { client, keys }
    }

    /// Sends a request as a person. Returns the status and the body.
    #[track_caller]
    #[expect(clippy::needless_pass_by_value, reason = "a literal reads better than a reference to one")]
    fn send(&self, person: &str, method: &str, path: &str, body: Option<Value>) -> (u16, Value) {
        let position = PERSONS.iter().position(|(name, ..)| *name == person).unwrap();
        let request = self.client.request(method.parse().unwrap(), path);
        let request = request.header("X-Api-Key", self.keys[position].text());
        let request = if let Some(body) = &body { request.json(body) } else { request };
        let response = request.send();
        response.assert_documented();
        let body = if response.text().is_empty() { Value::Null } else { response.json() };
        (response.status().as_u16(), body)
    }

    /// Creates an entity as a person, and returns its identifier.
    #[track_caller]
    fn create(&self, person: &str, path: &str, body: Value) -> String {
        let (status, created) = self.send(person, "POST", path, Some(body));
        assert_eq!(status, 201, "{created}");
        created["data"]["id"].as_str().unwrap().to_owned()
    }
}

/// Returns the folder of the attachments.
fn files() -> &'static Path {
    static FOLDER: LazyLock<tempfile::TempDir> = LazyLock::new(|| tempfile::tempdir().unwrap());
    FOLDER.path()
}

fn keys() -> Vec<NewApiKey> {
    PERSONS.iter().map(|(person, ..)| ApiKey::generate(person).unwrap()).collect()
}

fn stored(keys: &[NewApiKey]) -> impl Iterator<Item = ApiKey> {
    let keyed = keys.iter().zip(PERSONS);
    keyed.map(|(key, (person, organisation, role))| key_of(key.key().clone(), person, organisation, role))
}

/// The paths of a project, of a public and a private ticket of max in it, and of a comment of mia on the public ticket.
struct Rows {
    project: String,
    public: String,
    private: String,
    comment: String,
}

fn rows(tracker: &Tracker) -> Rows {
    let project = tracker.create("ada", "/projects", json!({"key": "WEB", "name": "The website"}));
    let ticket = |private| json!({"project_id": project, "title": "No light", "private": private});
    let public = format!("/tickets/{}", tracker.create("max", "/tickets", ticket(false)));
    let private = format!("/tickets/{}", tracker.create("max", "/tickets", ticket(true)));
    let comments = format!("{public}/comments");
    let comment = tracker.create("mia", &comments, json!({"text": "A new bulb?"}));
    for ticket in [&public, &private] {
        assert_eq!(tracker.send("max", "PUT", &format!("{ticket}/attachment"), Some(json!("dark"))).0, 201);
    }
    Rows { project: format!("/projects/{project}"), comment: format!("{comments}/{comment}"), public, private }
}

fn check_tickets(tracker: &Tracker) {
    let Rows { public, private, comment, .. } = rows(tracker);
    let send = |person, method, path: &str, body| tracker.send(person, method, path, body).0;
    for (person, sees_private, changes) in
        [("vera", 404, 403), ("max", 200, 200), ("mia", 404, 403), ("ada", 200, 200), ("sue", 404, 404)]
    {
        let public_status = if person == "sue" { 404 } else { 200 };
        assert_eq!(send(person, "GET", &public, None), public_status, "{person}");
        assert_eq!(send(person, "GET", &private, None), sees_private, "{person}");
        assert_eq!(send(person, "PATCH", &public, Some(json!({"title": "Dark"}))), changes, "{person}");
    }
    let count = |person, query: &str| {
        let (status, list) = tracker.send(person, "GET", &format!("/tickets{query}"), None);
        if status == 200 { list["data"].as_array().unwrap().len() } else { usize::from(status) }
    };
    for (person, expected) in [("vera", 1), ("max", 2), ("mia", 1), ("ada", 2), ("sue", 0)] {
        assert_eq!(count(person, ""), expected, "{person}");
    }

    // The estimate: admins write it, members read it, and for viewers it does not exist.
    let estimate = Some(json!({"estimate": "8.25"}));
    for (person, expected) in [("max", "read_only"), ("ada", "")] {
        let (_, body) = tracker.send(person, "PATCH", &public, estimate.clone());
        assert_eq!(body["errors"][0]["code"].as_str().unwrap_or_default(), expected, "{person}: {body}");
    }
    for (person, expected) in [("vera", None), ("max", Some("8.25")), ("ada", Some("8.25"))] {
        let (_, body) = tracker.send(person, "GET", &public, None);
        assert_eq!(body["data"].get("estimate").map(|hours| hours.as_str().unwrap()), expected, "{person}");
    }
    for (person, query, expected) in [
        ("vera", "?estimate[gte]=8", 422),
        ("vera", "?order_by=estimate", 422),
        ("max", "?estimate[gte]=8", 1),
        ("max", "?estimate[gte]=8.26", 0),
        ("max", "?order_by=estimate", 2),
    ] {
        assert_eq!(count(person, query), expected, "{person} {query}");
    }

    // A ticket that is assigned to somebody else is visible for both, and its actions are for both.
    assert_eq!(send("max", "PATCH", &private, Some(json!({"assignee": "mia"}))), 200);
    for (person, action, expected) in [
        ("vera", "close", 403),
        ("mia", "close", 200),
        ("max", "close", 409),
        ("max", "reopen", 200),
        ("ada", "close", 200),
        ("sue", "reopen", 404),
    ] {
        assert_eq!(send(person, "POST", &format!("{private}/{action}"), None), expected, "{person} {action}");
    }

    // The attachment of a ticket is visible with the ticket, and gone with it.
    for (person, sees_public, sees_private) in
        [("vera", 200, 404), ("max", 200, 200), ("mia", 200, 200), ("ada", 200, 200), ("sue", 404, 404)]
    {
        assert_eq!(send(person, "GET", &format!("{public}/attachment"), None), sees_public, "{person}");
        assert_eq!(send(person, "GET", &format!("{private}/attachment"), None), sees_private, "{person}");
    }
    let (_, shown) = tracker.send("vera", "GET", &public, None);
    assert_eq!(
        (&shown["data"]["attachment"]["media_type"], &shown["data"]["attachment"]["size"]),
        (&json!("application/json"), &json!(6))
    );

    // A comment belongs to who wrote it, and is deleted with its ticket.
    for (person, expected) in [("max", 403), ("mia", 200), ("ada", 200), ("sue", 404)] {
        assert_eq!(send(person, "PATCH", &comment, Some(json!({"text": "Lit"}))), expected, "{person}");
    }
    assert_eq!(send("max", "DELETE", &public, None), 403);
    assert_eq!(send("ada", "DELETE", &public, None), 204);
    assert_eq!(send("ada", "GET", &comment, None), 404);
    assert_eq!(send("ada", "GET", &format!("{public}/attachment"), None), 404);

    for (person, expected) in [("max", json!(["north"])), ("sue", json!(["south"]))] {
        let (_, list) = tracker.send(person, "GET", "/organisations", None);
        let names: Value = list["data"].as_array().unwrap().iter().map(|one| one["id"].clone()).collect();
        assert_eq!(names, expected, "{person}");
    }
}

fn check_includes(tracker: &Tracker) {
    let Rows { public, private, .. } = rows(tracker);
    let second = tracker.create("max", &format!("{public}/comments"), json!({"text": "Done"}));
    for (person, path, expected) in [("vera", &public, 200), ("vera", &private, 404), ("max", &private, 200)] {
        let (status, shown) = tracker.send(person, "GET", &format!("{path}?include=project,comments"), None);
        assert_eq!(status, expected, "{person} {path}");
        if status == 200 {
            assert_eq!(shown["data"]["project"]["key"], "WEB");
            // Neither a project nor a comment shows its organisation.
            assert!(shown["data"]["project"].get("organisation").is_none(), "{shown}");
        }
    }
    let (_, list) = tracker.send("ada", "GET", "/tickets?include=comments&order_by=title", None);
    let comments = list["data"].as_array().unwrap().iter().map(|ticket| &ticket["comments"]);
    let counts: Vec<_> = comments.clone().map(|comments| comments["data"].as_array().unwrap().len()).collect();
    assert_eq!(counts.iter().sum::<usize>(), 2, "{list}");
    // The newest comment comes first.
    let newest = comments.filter_map(|comments| comments["data"][0]["id"].as_str()).next();
    assert_eq!(newest, Some(&*second));
    let (status, body) = tracker.send("ada", "GET", "/tickets?include=author", None);
    assert_eq!((status, &body["errors"][0]["code"]), (422, &json!("enum")));
}

/// Tickets in two projects, which are found, changed and deleted together.
fn check_lists_and_batches(tracker: &Tracker) {
    let project = |key: &str, name: &str| tracker.create("ada", "/projects", json!({"key": key, "name": name}));
    let (web, app) = (project("WEB", "The website"), project("APP", "The app"));
    let ticket = |project: &str, number: u32, title: &str, labels: &[&str]| json!({"project_id": project, "number": number, "title": title, "labels": labels, "assignee": "max"});
    let tickets = [
        ticket(&web, 1, "No light", &["urgent"]),
        ticket(&web, 2, "No heat", &[]),
        ticket(&app, 1, "Crash", &["urgent", "app"]),
    ];
    let (status, created) = tracker.send("max", "POST", "/tickets/batch", Some(json!({"data": tickets})));
    assert_eq!(status, 201, "{created}");
    let ids: Vec<_> = created["data"].as_array().unwrap().iter().map(|ticket| ticket["id"].clone()).collect();
    let refused = tracker.send("max", "POST", "/tickets", Some(ticket(&web, 2, "Again", &[])));
    assert_eq!((refused.0, &refused.1["errors"][1]["pointer"]), (409, &json!("/number")));

    let titles = |response: (u16, Value)| -> Vec<String> {
        let list = response.1["data"].as_array().unwrap_or_else(|| panic!("{}", response.1)).clone();
        list.iter().map(|ticket| ticket["title"].as_str().unwrap().to_owned()).collect()
    };
    for (query, expected) in [
        ("?order_by=title", ["Crash", "No heat", "No light"].as_slice()),
        ("?project.key=APP", &["Crash"]),
        ("?order_by=project.name,-title", &["Crash", "No light", "No heat"]),
        ("?labels[has]=urgent&order_by=title", &["Crash", "No light"]),
        ("?q=LIGHT", &["No light"]),
    ] {
        assert_eq!(titles(tracker.send("vera", "GET", &format!("/tickets{query}"), None)), expected, "{query}");
    }
    let query = json!({"filter": {"not": {"project.key": {"eq": "WEB"}}}, "include": ["project"]});
    let (_, queried) = tracker.send("vera", "QUERY", "/tickets", Some(query));
    assert_eq!((&queried["data"][0]["project"]["key"], &queried["pagination"].get("total")), (&json!("APP"), &None));
    for (person, expected) in [("max", true), ("vera", false)] {
        let (_, list) = tracker.send(person, "GET", "/tickets", None);
        assert!(list["data"].as_array().unwrap().iter().all(|ticket| ticket["is_mine"] == expected), "{person}");
    }

    // An export has the tickets of the list, and a JSON Patch changes what its caller sees.
    let request = |method: &str, path: &str| {
        let position = PERSONS.iter().position(|(name, ..)| *name == "max").unwrap();
        tracker.client.request(method.parse().unwrap(), path).header("X-Api-Key", tracker.keys[position].text())
    };
    let csv = request("GET", "/tickets?order_by=title&include=project").header("Accept", "text/csv").send();
    let exported: Vec<_> = csv.assert_documented().text().lines().map(|row| row.matches("Crash").count()).collect();
    assert_eq!(exported, [0, 1, 0, 0], "{}", csv.text());
    let path = format!("/tickets/{}", ids[2].as_str().unwrap());
    let patch = |operations: Value| {
        let body = operations.to_string();
        let response = request("PATCH", &path).body("application/json-patch+json", body).send();
        response.assert_documented();
        (response.status().as_u16(), response.json::<Value>()["data"]["labels"].clone())
    };
    let add = json!({"op": "add", "path": "/labels/-", "value": "new"});
    assert_eq!(
        patch(json!([{"op": "test", "path": "/title", "value": "Crash"}, add])),
        (200, json!(["urgent", "app", "new"]))
    );
    assert_eq!(patch(json!([add, {"op": "test", "path": "/title", "value": "Lash"}])).0, 409);
    assert_eq!(patch(json!([{"op": "copy", "from": "/organisation", "path": "/title"}])).0, 409);
    assert_eq!(patch(json!([{"op": "remove", "path": "/labels/2"}])), (200, json!(["urgent", "app"])));

    let changes = |person, ids: &[&Value]| {
        let items: Vec<_> = ids.iter().map(|id| json!({"id": id, "changes": {"assignee": "mia"}})).collect();
        tracker.send(person, "PATCH", "/tickets/batch", Some(json!({"data": items}))).0
    };
    let missing = json!("018f0000-0000-7000-8000-000000000000");
    assert_eq!(changes("vera", &[&ids[0]]), 403);
    assert_eq!(changes("max", &[&ids[0], &missing]), 422);
    assert_eq!(changes("max", &[&ids[2], &ids[0]]), 200);
    let delete = Some(json!({"data": [{"id": ids[0]}, {"id": ids[1]}]}));
    assert_eq!(tracker.send("max", "POST", "/tickets/batch/delete", delete.clone()).0, 403);
    assert_eq!(tracker.send("ada", "POST", "/tickets/batch/delete", delete).0, 204);
    // The number is free again.
    tracker.create("max", "/tickets", ticket(&web, 2, "Cold", &[]));
    assert_eq!(titles(tracker.send("vera", "GET", "/tickets?order_by=title", None)), ["Cold", "Crash"]);
}

#[test]
fn tickets_are_listed_and_changed_together_on_sqlite() {
    check_lists_and_batches(&Tracker::open("sqlite::memory:"));
}

#[test]
fn tickets_are_listed_and_changed_together_on_postgresql() {
    let Some(schema) = crate::postgres::Schema::create("tracker_batches") else { return };
    check_lists_and_batches(&Tracker::open(schema.url()));
}

#[test]
fn includes_embed_projects_and_comments_on_sqlite() {
    check_includes(&Tracker::open("sqlite::memory:"));
}

#[test]
fn includes_embed_projects_and_comments_on_postgresql() {
    let Some(schema) = crate::postgres::Schema::create("tracker_includes") else { return };
    check_includes(&Tracker::open(schema.url()));
}

#[test]
fn callers_see_and_change_what_they_may_on_sqlite() {
    check_tickets(&Tracker::open("sqlite::memory:"));
}

#[test]
fn callers_see_and_change_what_they_may_on_postgresql() {
    let Some(schema) = crate::postgres::Schema::create("tracker") else { return };
    check_tickets(&Tracker::open(schema.url()));
}

const MATRIX: &str = "
operation                                  identifier  guest  vera  max  mia  ada  sue
GET /organisations                         -           401    200   200  200  200  200
QUERY /organisations                       -           401    200   200  200  200  200
GET /organisations/{id}                    own         401    200   200  200  200  404
PATCH /organisations/{id}                  own         401    403   403  403  200  404
POST /projects                             -           401    403   403  403  422  422
GET /projects                              -           401    200   200  200  200  200
QUERY /projects                            -           401    200   200  200  200  200
GET /projects/{id}                         project     401    200   200  200  200  404
PATCH /projects/{id}                       project     401    403   403  403  200  404
PUT /projects/{id}                         project     401    403   403  403  200  404
DELETE /projects/{id}                      project     401    403   403  403  409  404
POST /tickets                              -           401    403   422  422  422  422
GET /tickets                               -           401    200   200  200  200  200
QUERY /tickets                             -           401    200   200  200  200  200
POST /tickets/batch                        -           401    403   422  422  422  422
PATCH /tickets/batch                       -           401    403   422  422  422  422
POST /tickets/batch/delete                 -           401    403   403  403  422  422
GET /tickets/changes                       -           401    200   200  200  200  200
GET /tickets/{id}                          public      401    200   200  200  200  404
GET /tickets/{id}                          private     401    404   200  404  200  404
GET /tickets/{id}                          missing     401    404   404  404  404  404
PATCH /tickets/{id}                        public      401    403   200  403  200  404
PATCH /tickets/{id}                        private     401    403   200  404  200  404
PATCH /tickets/{id}                        missing     401    403   404  404  404  404
DELETE /tickets/{id}                       public      401    403   403  403  204  404
DELETE /tickets/{id}                       private     401    403   403  403  204  404
DELETE /tickets/{id}                       missing     401    403   403  403  404  404
GET /tickets/{id}/attachment               public      401    200   200  200  200  404
GET /tickets/{id}/attachment               private     401    404   200  404  200  404
GET /tickets/{id}/attachment               missing     401    404   404  404  404  404
PUT /tickets/{id}/attachment               public      401    403   200  403  200  404
PUT /tickets/{id}/attachment               private     401    403   200  404  200  404
PUT /tickets/{id}/attachment               missing     401    403   404  404  404  404
DELETE /tickets/{id}/attachment            public      401    403   204  403  204  404
DELETE /tickets/{id}/attachment            private     401    403   204  404  204  404
DELETE /tickets/{id}/attachment            missing     401    403   404  404  404  404
POST /tickets/{id}/close                   public      401    403   200  403  200  404
POST /tickets/{id}/close                   private     401    403   200  404  200  404
POST /tickets/{id}/close                   missing     401    403   404  404  404  404
POST /tickets/{id}/reopen                  public      401    403   409  403  409  404
POST /tickets/{id}/reopen                  private     401    403   409  404  409  404
POST /tickets/{id}/reopen                  missing     401    403   404  404  404  404
POST /tickets/{ticket_id}/comments         public      401    403   201  201  201  404
POST /tickets/{ticket_id}/comments         private     401    403   201  404  201  404
POST /tickets/{ticket_id}/comments         missing     401    403   404  404  404  404
GET /tickets/{ticket_id}/comments          public      401    200   200  200  200  404
GET /tickets/{ticket_id}/comments          private     401    404   200  404  200  404
GET /tickets/{ticket_id}/comments          missing     401    404   404  404  404  404
QUERY /tickets/{ticket_id}/comments        public      401    200   200  200  200  404
QUERY /tickets/{ticket_id}/comments        private     401    404   200  404  200  404
QUERY /tickets/{ticket_id}/comments        missing     401    404   404  404  404  404
GET /tickets/{ticket_id}/comments/{id}     comment     401    200   200  200  200  404
PATCH /tickets/{ticket_id}/comments/{id}   comment     401    403   403  200  200  404
DELETE /tickets/{ticket_id}/comments/{id}  comment     401    403   403  204  204  404
";

/// What each operation responds to each caller. A change of a role, a policy or a route is a changed line here.
#[test]
fn the_access_matrix_is_as_intended() {
    let keys = keys();
    let open = || {
        let tracker = Tracker::with(keys.clone(), "sqlite::memory:");
        let Rows { project, public, private, comment } = rows(&tracker);
        let missing = format!("/tickets/{}", "018f0000-0000-7000-8000-000000000000");
        let places = [
            ("own", "/organisations/north".to_owned()),
            ("project", project),
            ("public", public),
            ("private", private),
            ("missing", missing),
            ("comment", comment),
        ];
        (tracker.client, places.to_vec())
    };
    let (comment, project) = (json!({"text": "Which one?"}), json!({"key": "APP", "name": "The app"}));
    let matrix = TestClient::access_matrix(open)
        .body("createComment", comment)
        .body("replaceProject", project)
        .caller("guest", &[]);
    let matrix = keys
        .iter()
        .zip(PERSONS)
        .fold(matrix, |matrix, (key, (person, ..))| matrix.caller(person, &[("X-Api-Key", key.text())]));
    matrix.send().assert(MATRIX);
}
