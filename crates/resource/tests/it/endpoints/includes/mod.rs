//! Includes: related entities in views and lists.

mod mistakes;
mod related_fields;
mod scopes;

use restwright::ApiBuilder;
use restwright::auth::{Access, CrudAccess};
use restwright::prelude::*;
use restwright::schema::Mode;
use restwright::testing::{TestClient, TestResponse};
use restwright_resource::{Endpoints, HookContext, Presenter, RowPolicy, Rows};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::callers::Callers;
use super::counting_store::CountingStore;

/// A person, whom everybody sees, and in secret only callers with `secrets`.
#[derive(Clone, Debug, Serialize, Deserialize, Resource)]
#[resource(path = "/people", table = "people", policy = NoSecrets, reveals(id, comments))]
pub(crate) struct Person {
    #[property(id)]
    pub(crate) id: i64,
    #[property(scope)]
    pub(crate) tenant: String,
    #[property(sort)]
    pub(crate) name: String,
    pub(crate) is_secret: bool,
    #[property(read = "hr")]
    pub(crate) salary: Option<i64>,
}

/// A ticket, with the people and comments that belong to it.
#[derive(Clone, Debug, Serialize, Deserialize, Resource)]
#[resource(
    path = "/tickets",
    table = "issues",
    reveals(assignee_id, creator_id, comments),
    put,
    include(assignee, reporter = "creator_id", comments(max = 2, order = "-position", include(author)))
)]
pub(crate) struct Ticket {
    #[property(id)]
    pub(crate) id: i64,
    #[property(scope)]
    pub(crate) tenant: String,
    #[property(sort)]
    pub(crate) title: String,
    #[property(references(Person))]
    pub(crate) assignee_id: Option<i64>,
    #[property(references(Person), read = "hr")]
    pub(crate) creator_id: Option<i64>,
}

/// A comment on a ticket. Only callers with `secrets` see a comment at position 9.
#[derive(Clone, Debug, Serialize, Deserialize, Resource)]
#[resource(path = "/tickets/{ticket_id}/comments", policy = NoSecrets, reveals(id, author_id), include(author))]
pub(crate) struct Comment {
    #[property(id)]
    pub(crate) id: i64,
    #[property(parent(Ticket))]
    pub(crate) ticket_id: i64,
    #[property(sort)]
    pub(crate) position: i64,
    #[property(references(Person))]
    pub(crate) author_id: Option<i64>,
}

struct NoSecrets;

impl RowPolicy<Person> for NoSecrets {
    fn visible(&self, caller: &restwright::auth::Identity) -> Rows {
        match caller.has_permission("secrets") {
            true => Rows::all(),
            false => Rows::matching(Person::FIELDS.is_secret.eq(false)),
        }
    }
}

impl RowPolicy<Comment> for NoSecrets {
    fn visible(&self, caller: &restwright::auth::Identity) -> Rows {
        match caller.has_permission("secrets") {
            true => Rows::all(),
            false => Rows::matching(Comment::FIELDS.position.ne(9)),
        }
    }
}

fn caller() -> Access {
    Access::authenticated("caller").into()
}

fn people(store: &CountingStore, access: impl Into<CrudAccess>) -> Endpoints<Person> {
    let tenant = |caller: &restwright::auth::Identity| {
        Some(if caller.has_permission("south") { "south" } else { "north" }.into())
    };
    Endpoints::new(store.clone(), access).scope("tenant", tenant)
}

fn tickets(store: &CountingStore) -> Endpoints<Ticket> {
    let tenant = |caller: &restwright::auth::Identity| {
        Some(if caller.has_permission("south") { "south" } else { "north" }.into())
    };
    Endpoints::new(store.clone(), caller()).scope("tenant", tenant)
}

fn comments(store: &CountingStore) -> Endpoints<Comment> {
    Endpoints::new(store.clone(), caller())
}

fn builder() -> ApiBuilder {
    Api::builder(Configuration::new("tickets", "1.0.0").authenticator("caller", Callers))
}

struct Tickets {
    client: TestClient,
    store: CountingStore,
}

impl Tickets {
    fn new() -> Self {
        let store = CountingStore::default();
        Self::of(builder().module(&people(&store, caller())).module(&tickets(&store)).module(&comments(&store)), store)
    }

    fn of(builder: ApiBuilder, store: CountingStore) -> Self {
        let tickets = Self { client: TestClient::new(builder.build().unwrap()), store };
        for (name, is_secret) in [("Ann", false), ("Bob", false), ("Eve", true)] {
            tickets.create("/people", &json!({"name": name, "is_secret": is_secret, "salary": 7}));
        }
        tickets.create("/tickets", &json!({"title": "Roof", "assignee_id": 1, "creator_id": 2}));
        tickets.create("/tickets", &json!({"title": "Door", "assignee_id": 3}));
        tickets.create("/tickets", &json!({"title": "Wall"}));
        for (position, author) in [(1, Some(1)), (2, Some(3)), (3, None)] {
            tickets.create("/tickets/1/comments", &json!({"position": position, "author_id": author}));
        }
        tickets.create("/tickets/2/comments", &json!({"position": 1, "author_id": 2}));
        tickets.store.take_calls();
        tickets
    }

    fn create(&self, path: &str, body: &Value) {
        let request = self.client.post(path).header("X-Caller", "ann hr secrets").json(body);
        request.send().assert_status(201);
    }

    fn get(&self, caller: &str, path: &str) -> TestResponse {
        self.client.get(path).header("X-Caller", caller).send()
    }

    #[track_caller]
    fn shown(&self, caller: &str, path: &str) -> Value {
        let response = self.get(caller, path);
        response.assert_status(200).assert_documented().json::<Value>()["data"].clone()
    }

    /// Returns the status, and the codes, pointers and messages of the violations.
    fn refused(&self, caller: &str, path: &str) -> (u16, String) {
        let response = self.get(caller, path);
        let body: Value = response.assert_documented().json();
        let errors = body["errors"].as_array().cloned().unwrap_or_default();
        let errors = errors
            .iter()
            .map(|error| format!("{} {} {}", error["pointer"], error["code"], error["message"]).replace('"', ""));
        (response.status().as_u16(), errors.collect::<Vec<_>>().join("\n"))
    }
}

fn person(id: i64, name: &str) -> Value {
    json!({"id": id, "tenant": "north", "name": name, "is_secret": name == "Eve"})
}

#[test]
fn embeds_one_related_entity_or_null() {
    let tickets = Tickets::new();
    assert_eq!(tickets.shown("bob", "/tickets/1?include=assignee")["assignee"], person(1, "Ann"));
    assert_eq!(tickets.shown("bob", "/tickets/2?include=assignee")["assignee"], Value::Null);
    assert_eq!(tickets.shown("bob secrets", "/tickets/2?include=assignee")["assignee"], person(3, "Eve"));
    let listed = tickets.shown("bob", "/tickets?include=assignee&order_by=-title");
    let assignees: Vec<_> = listed.as_array().unwrap().iter().map(|ticket| &ticket["assignee"]).collect();
    assert_eq!(json!(assignees), json!([null, person(1, "Ann"), null]));
    // Without includes, the response does not contain the relations.
    assert_eq!(tickets.shown("bob", "/tickets/1").get("assignee"), None);
}

#[test]
fn embeds_the_first_related_entities_in_the_declared_order() {
    let tickets = Tickets::new();
    let comment = |id: i64, author: Option<i64>| json!({"id": id, "ticket_id": 1, "position": id, "author_id": author});
    let expected = json!({"data": [comment(3, None), comment(2, Some(3))], "has_more": true});
    assert_eq!(tickets.shown("bob", "/tickets/1?include=comments")["comments"], expected);
    let listed = tickets.shown("bob", "/tickets?include=comments");
    let counts = listed.as_array().unwrap().iter().map(|ticket| {
        let comments = &ticket["comments"];
        (comments["data"].as_array().unwrap().len(), comments["has_more"].as_bool().unwrap())
    });
    assert_eq!(counts.collect::<Vec<_>>(), [(2, true), (1, false), (0, false)]);
}

/// A hidden comment takes no place among the first comments, and does not count as one more.
#[test]
fn hides_related_entities_before_it_counts_them() {
    let tickets = Tickets::new();
    let positions = |caller: &str, path: &str| {
        let comments = tickets.shown(caller, path)["comments"].clone();
        let positions = comments["data"].as_array().unwrap().iter().map(|comment| comment["position"].clone());
        json!([positions.collect::<Value>(), comments["has_more"]])
    };
    let (first, second) = ("/tickets/1?include=comments", "/tickets/2?include=comments");
    let before = [positions("bob", first), positions("bob", second)];
    tickets.create("/tickets/1/comments", &json!({"position": 9}));
    tickets.create("/tickets/2/comments", &json!({"position": 9}));
    tickets.create("/tickets/2/comments", &json!({"position": 9}));
    assert_eq!([positions("bob", first), positions("bob", second)], before);
    assert_eq!(positions("bob secrets", first), json!([[9, 3], true]));
    assert_eq!(positions("bob secrets", second), json!([[9, 9], true]));
}

#[test]
fn embeds_two_levels() {
    let tickets = Tickets::new();
    let authors = |caller: &str| {
        let shown = tickets.shown(caller, "/tickets/1?include=comments.author,assignee");
        assert_eq!(shown["assignee"]["name"], "Ann");
        let comments = shown["comments"]["data"].as_array().unwrap().clone();
        comments.iter().map(|comment| comment["author"]["name"].clone()).collect::<Value>()
    };
    assert_eq!(authors("bob"), json!([null, null]));
    assert_eq!(authors("bob secrets"), json!([null, "Eve"]));
    let direct = tickets.shown("bob", "/tickets/1/comments/1?include=author");
    assert_eq!(direct["author"], person(1, "Ann"));
}

/// One statement for each relation and level, regardless of the number of tickets.
#[test]
fn reads_each_relation_with_one_statement() {
    let tickets = Tickets::new();
    for number in 0..40 {
        tickets.create("/tickets", &json!({"title": "More", "assignee_id": number % 3 + 1}));
    }
    tickets.store.take_calls();
    for (query, expected) in [
        ("", vec!["list issues"]),
        ("&include=assignee", vec!["list issues", "list people"]),
        ("&include=comments", vec!["list issues", "list_per_key comments"]),
        (
            "&include=comments.author,assignee",
            vec!["list issues", "list_per_key comments", "list people", "list people"],
        ),
    ] {
        tickets.shown("bob", &format!("/tickets?limit=100{query}"));
        let calls = tickets.store.take_calls();
        let calls: Vec<_> = calls.iter().filter(|call| call.starts_with("list")).collect();
        assert_eq!(calls, expected, "{query}");
    }
    // Nothing is read for a page without references.
    tickets.shown("bob", "/tickets/3?include=assignee");
    assert_eq!(tickets.store.take_calls(), ["find issues"]);
}

#[test]
fn hides_what_the_caller_may_not_read_of_related_entities() {
    let tickets = Tickets::new();
    let response = tickets.get("bob hr", "/tickets/1?include=assignee,reporter");
    let shown = response.assert_status(200).json::<Value>()["data"].clone();
    assert_eq!((&shown["assignee"]["salary"], &shown["reporter"]["name"]), (&json!(7), &json!("Bob")));
    response.assert_header("cache-control", "private, no-cache");
    // For other callers, the reference does not exist, and neither does its relation.
    let known = "known values are assignee, comments, comments.author";
    let (status, errors) = tickets.refused("bob", "/tickets/1?include=reporter");
    assert_eq!((status, errors), (422, format!("/include enum cannot include `reporter`; {known}")));
    let (status, errors) = tickets.refused("bob", "/tickets/1?include=nothing");
    assert_eq!((status, errors), (422, format!("/include enum cannot include `nothing`; {known}")));
    assert_eq!(tickets.shown("bob", "/tickets/1?include=assignee")["assignee"].get("salary"), None);
}

#[test]
fn rejects_unknown_repeated_and_deep_includes() {
    let tickets = Tickets::new();
    let known = "known values are assignee, reporter, comments, comments.author";
    for path in ["/tickets/1", "/tickets"] {
        for (include, expected) in [
            ("", format!("/include enum contains an empty name; {known}")),
            ("owner", format!("/include enum cannot include `owner`; {known}")),
            ("comments.ticket", format!("/include enum cannot include `comments.ticket`; {known}")),
            (
                "comments.author.team",
                format!(
                    "/include enum cannot include `comments.author.team`, because includes have at most two levels; {known}"
                ),
            ),
            ("assignee,assignee", "/include unique_items contains `assignee` twice".to_owned()),
            ("assignee&include=assignee", "/include unique_items contains `assignee` twice".to_owned()),
        ] {
            let refused = tickets.refused("bob hr", &format!("{path}?include={include}"));
            assert_eq!(refused, (422, expected), "{path} {include}");
        }
    }
    assert_eq!(tickets.get("bob", "/tickets/1?include=comments&include=comments.author").status(), 200);
    let many = vec!["x"; 1000].join(",");
    assert_eq!(tickets.get("bob", &format!("/tickets/1?include={many}")).status(), 422);
}

/// A caller who may not view people at their own path cannot embed them either.
#[test]
fn requires_the_access_of_related_entities() {
    let store = CountingStore::default();
    let readers = Access::authenticated("caller").all_permissions(["people"]);
    let access = CrudAccess::from(caller()).with(Mode::View, readers);
    let builder = builder().module(&tickets(&store)).module(&comments(&store)).module(&people(&store, access));
    let tickets = Tickets::of(builder, store);
    for include in ["assignee", "comments.author", "comments,comments.author"] {
        let path = format!("/tickets/1?include={include}");
        let refused = tickets.get("bob", &path);
        refused.assert_status(403).assert_documented();
        let body: Value = refused.json();
        assert_eq!(body["missing_permissions"], json!(["people"]));
        assert_eq!(tickets.get("bob people", &path).status(), 200);
    }
    // 403 takes precedence over 422.
    assert_eq!(tickets.get("bob", "/tickets?include=assignee,nothing&limit=x").status(), 403);
    assert_eq!(tickets.get("bob", "/tickets?include=comments").status(), 200);
}

/// The tag of a response with includes changes with the embedded entities.
#[test]
fn tags_cover_embedded_entities() {
    let tickets = Tickets::new();
    let path = "/tickets/1?include=assignee";
    let tag = |path: &str| tickets.get("bob", path).header("etag").unwrap().to_owned();
    let (plain, first) = (tag("/tickets/1"), tag(path));
    assert_ne!(plain, first);
    let conditional = |path: &str, tag: &str| {
        let request = tickets.client.get(path).header("X-Caller", "bob").header("If-None-Match", tag);
        request.send().status().as_u16()
    };
    assert_eq!(
        (conditional(path, &first), conditional(path, &plain), conditional("/tickets/1", &first)),
        (304, 200, 200)
    );
    let renamed = tickets.client.patch("/people/1").header("X-Caller", "ann").json(&json!({"name": "Anna"}));
    renamed.send().assert_status(200);
    assert_eq!((conditional(path, &first), conditional("/tickets/1", &plain)), (200, 304));
    assert_ne!(tag(path), first);
    // The tag identifies the state of the ticket for a change.
    let changed = tickets.client.patch("/tickets/1").header("X-Caller", "ann").header("If-Match", &first);
    changed.json(&json!({"title": "Roofs"})).send().assert_status(200);
    let stale = tickets.client.patch("/tickets/1").header("X-Caller", "ann").header("If-Match", &first);
    stale.json(&json!({"title": "Rooves"})).send().assert_status(412);
}

#[test]
fn clients_cannot_send_related_entities() {
    let tickets = Tickets::new();
    let sent = tickets.client.patch("/tickets/1").header("X-Caller", "ann").json(&json!({"assignee": null}));
    let body: Value = sent.send().assert_status(422).json();
    assert_eq!(body["errors"][0]["code"], "unknown_property");
}

/// Replaces names, as a presenter of people.
struct Initials;

impl Presenter<Person> for Initials {
    async fn present(&self, context: &mut HookContext<'_>, people: &mut [Person]) -> Result<()> {
        assert!(context.path().starts_with("/tickets") || context.path().starts_with("/people"));
        people.iter_mut().for_each(|person| person.name.truncate(1));
        Ok(())
    }
}

#[test]
fn presenters_change_embedded_entities() {
    let store = CountingStore::default();
    let people = people(&store, caller()).presenter(Initials);
    let tickets = Tickets::of(builder().module(&tickets(&store)).module(&comments(&store)).module(&people), store);
    assert_eq!(tickets.shown("bob", "/tickets?include=assignee")[0]["assignee"]["name"], "A");
}

#[test]
fn links_of_a_list_keep_the_includes() {
    let tickets = Tickets::new();
    let response = tickets.get("bob", "/tickets?limit=1&include=assignee,comments.author");
    let link = response.assert_status(200).header("link").unwrap();
    assert!(
        link.contains("include=assignee,comments.author") || link.contains("include=assignee%2Ccomments.author"),
        "{link}"
    );
}
