//! `QUERY` on the list of a resource: filters with `all`, `any` and `not` in the body.

mod declarations;
mod document;
mod drawn;
mod headers;

use restwright::auth::Access;
use restwright::list::CursorKey;
use restwright::prelude::*;
use restwright::testing::{TestClient, TestResponse};
use restwright_resource::Endpoints;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::callers::Callers;
use super::counting_store::CountingStore;

/// A ticket.
#[derive(Clone, Debug, Serialize, Deserialize, Resource)]
#[resource(
    path = "/tickets",
    table = "queried_tickets",
    pagination = cursor(default = 50, max = 50),
    search(title, note),
    include(customer)
)]
pub(super) struct Ticket {
    #[property(id)]
    id: i64,
    #[property(filter(eq, ne, in, between, contains, starts_with, gt, min_length = 1), sort)]
    title: String,
    #[property(filter(eq, in))]
    state: State,
    #[property(filter(eq, gt, in, is_null, minimum = 0), sort)]
    size: Option<i64>,
    #[property(read = "read", filter(eq, contains), sort)]
    note: Option<String>,
    #[property(references(Customer))]
    customer_id: Option<i64>,
}

/// A customer.
#[derive(Clone, Debug, Serialize, Deserialize, Resource)]
#[resource(path = "/customers", table = "queried_customers")]
struct Customer {
    #[property(id)]
    id: i64,
    name: String,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize, Schema)]
#[serde(rename_all = "snake_case")]
enum State {
    Open,
    Closed,
}

struct Queries(TestClient);

impl Queries {
    /// Creates the tickets 1 to 5, and customer 1.
    fn new() -> Self {
        let queries = Self::empty();
        queries.create("/customers", &json!({"name": "Ada"}));
        for (title, state, size, note) in [
            ("Draft of a roof", "open", Some(1), Some("secret")),
            ("Roof", "open", None, None),
            ("Door", "closed", Some(7), Some("public")),
            ("draft", "closed", None, Some("secret")),
            ("a,b", "open", Some(3), None),
        ] {
            let body = json!({"title": title, "state": state, "size": size, "note": note, "customer_id": 1});
            queries.create("/tickets", &body);
        }
        queries
    }

    fn empty() -> Self {
        let store = CountingStore::default();
        let access = || Access::authenticated("caller");
        let tickets = Endpoints::<Ticket>::new(store.clone(), access()).query_by_post();
        let customers = Endpoints::<Customer>::new(store, access());
        let configuration =
            Configuration::new("tickets", "1.0.0").with(CursorKey::new([7; 32])).authenticator("caller", Callers);
        Self(TestClient::new(Api::builder(configuration).module(&tickets).module(&customers).build().unwrap()))
    }

    fn create(&self, path: &str, body: &Value) {
        self.0.post(path).header("X-Caller", "ann read").json(body).send().assert_status(201);
    }

    #[track_caller]
    fn query(&self, caller: &str, body: &Value) -> TestResponse {
        let response = self.0.query("/tickets").header("X-Caller", caller).json(body).send();
        response.assert_documented();
        response
    }

    #[track_caller]
    fn ids(&self, caller: &str, body: &Value) -> Vec<i64> {
        ids(&self.query(caller, body))
    }
}

/// Returns the identifiers of a page.
#[track_caller]
fn ids(response: &TestResponse) -> Vec<i64> {
    let page: Value = response.assert_status(200).json();
    page["data"].as_array().unwrap().iter().map(|item| item["id"].as_i64().unwrap()).collect()
}

#[test]
fn filters_combine_conditions() {
    let queries = Queries::new();
    for (filter, expected) in [
        (json!({}), [1, 2, 3, 4, 5].as_slice()),
        (json!({"title": {}}), &[1, 2, 3, 4, 5]),
        (json!({"state": {"eq": "open"}}), &[1, 2, 5]),
        (json!({"state": {"eq": "open"}, "title": {"contains": "ROOF"}}), &[1, 2]),
        (json!({"title": {"starts_with": "d", "contains": "draft"}}), &[1, 4]),
        (json!({"any": [{"state": {"eq": "closed"}}, {"title": {"eq": "Roof"}}]}), &[2, 3, 4]),
        (json!({"all": [{"state": {"eq": "closed"}}, {"title": {"eq": "Roof"}}]}), &[]),
        (json!({"state": {"eq": "open"}, "not": {"title": {"contains": "draft"}}}), &[2, 5]),
        (json!({"not": {}}), &[]),
        (json!({"not": {"not": {"size": {"gt": 2}}}}), &[3, 5]),
        // Null is not greater than 2, so `not` includes it.
        (json!({"not": {"size": {"gt": 2}}}), &[1, 2, 4]),
        (json!({"not": {"size": {"is_null": true}}}), &[1, 3, 5]),
        (json!({"not": {"any": [{"size": {"eq": 1}}, {"size": {"is_null": true}}]}}), &[3, 5]),
        (json!({"title": {"in": ["a,b", "Door"]}}), &[3, 5]),
        (json!({"title": {"between": ["Door", "Roof"]}}), &[1, 2, 3]),
        (json!({"size": {"in": [1, 7.0]}}), &[1, 3]),
        (json!({"any": [{"all": [{"any": [{"not": {"state": {"in": ["open"]}}}]}]}]}), &[3, 4]),
    ] {
        let body = json!({"filter": filter});
        assert_eq!(queries.ids("ann", &body), expected, "{body}");
        let posted = queries.0.post("/tickets/query").header("X-Caller", "ann").json(&body).send();
        assert_eq!(ids(&posted), expected, "{body}");
    }
}

#[test]
fn the_body_contains_the_order_the_search_and_the_includes() {
    let queries = Queries::new();
    for (body, expected) in [
        (json!({"order_by": ["-title"]}), [4, 5, 2, 1, 3].as_slice()),
        (json!({"order_by": ["size", "-id"]}), &[4, 2, 1, 5, 3]),
        (json!({"q": "draft"}), &[1, 4]),
        (json!({"q": "draft", "filter": {"not": {"state": {"eq": "open"}}}}), &[4]),
        (json!({"limit": 2, "order_by": ["-id"]}), &[5, 4]),
        (json!({"limit": 2.0}), &[1, 2]),
    ] {
        assert_eq!(queries.ids("ann", &body), expected, "{body}");
    }
    let shown: Value = queries.query("ann", &json!({"include": ["customer"], "limit": 1})).json();
    assert_eq!(shown["data"][0]["customer"]["name"], "Ada");
}

#[test]
fn rejects_invalid_bodies() {
    let queries = Queries::new();
    let mut deep = json!({});
    let mut path = "/filter".to_owned();
    for _ in 0..8 {
        deep = json!({"not": deep});
        path.push_str("/not");
    }
    let many: Vec<_> = (0..102).map(|size| json!({"size": {"eq": size}})).collect();
    let empty = vec![json!({}); 200];
    let bare = vec![json!({"size": {}}); 101];
    let values = vec!["x"; 101];
    let lists = vec![json!({"title": {"in": values[1..]}}); 12];
    for (body, pointer, code) in [
        (json!([]), "", "type"),
        (json!({"filters": {}}), "/filters", "unknown_property"),
        (json!({"title": "Roof"}), "/title", "unknown_property"),
        (json!({"page": 1}), "/page", "unknown_property"),
        (json!({"filter": []}), "/filter", "type"),
        (json!({"filter": {"any": {}}}), "/filter/any", "type"),
        (json!({"filter": {"any": []}}), "/filter/any", "min_items"),
        (json!({"filter": {"all": [[]]}}), "/filter/all/0", "type"),
        (json!({"filter": {"not": null}}), "/filter/not", "null"),
        (json!({"filter": {"any": [{}, {"colour": {"eq": 1}}]}}), "/filter/any/1/colour", "unknown_filter"),
        (json!({"filter": {"a/b": {}}}), "/filter/a~1b", "unknown_filter"),
        (json!({"filter": {"title": "Roof"}}), "/filter/title", "type"),
        (json!({"filter": {"size": {"lt": 1}}}), "/filter/size/lt", "unknown_operator"),
        (json!({"filter": {"size": {"like": 1}}}), "/filter/size/like", "unknown_operator"),
        (json!({"filter": {"any": [{"state": {"eq": "lost"}}]}}), "/filter/any/0/state/eq", "enum"),
        (json!({"filter": {"size": {"eq": "1"}}}), "/filter/size/eq", "type"),
        (json!({"filter": {"size": {"eq": null}}}), "/filter/size/eq", "null"),
        (json!({"filter": {"size": {"eq": -1}}}), "/filter/size/eq", "minimum"),
        (json!({"filter": {"size": {"is_null": "true"}}}), "/filter/size/is_null", "type"),
        (json!({"filter": {"title": {"contains": 1}}}), "/filter/title/contains", "type"),
        (json!({"filter": {"title": {"eq": ""}}}), "/filter/title/eq", "min_length"),
        (json!({"filter": {"title": {"in": "a,b"}}}), "/filter/title/in", "type"),
        (json!({"filter": {"title": {"in": []}}}), "/filter/title/in", "empty_list"),
        (json!({"filter": {"title": {"in": values}}}), "/filter/title/in", "max_items"),
        (json!({"filter": {"title": {"in": ["a", ""]}}}), "/filter/title/in/1", "min_length"),
        (json!({"filter": {"title": {"between": ["a"]}}}), "/filter/title/between", "not_a_range"),
        (json!({"filter": {"title": {"between": ["a", "b", "c"]}}}), "/filter/title/between", "not_a_range"),
        (json!({"filter": {"title": {"between": ["a", 2]}}}), "/filter/title/between/1", "type"),
        (json!({"filter": deep}), path.as_str(), "filter_too_deep"),
        (json!({"filter": {"any": many}}), "/filter/any/100/size/eq", "too_many_conditions"),
        (json!({"filter": {"any": empty}}), "/filter/any/100", "too_many_conditions"),
        (json!({"filter": {"all": bare}}), "/filter/all/100/size", "too_many_conditions"),
        (json!({"filter": {"any": lists}}), "/filter/any/10/title/in", "too_many_conditions"),
        (json!({"order_by": "title"}), "/order_by", "type"),
        (json!({"order_by": []}), "/order_by", "min_items"),
        (json!({"order_by": ["title", 1]}), "/order_by/1", "type"),
        (json!({"order_by": ["title", "state"]}), "/order_by/1", "unknown_sort_field"),
        (json!({"order_by": ["title,size"]}), "/order_by/0", "unknown_sort_field"),
        (json!({"order_by": ["+title"]}), "/order_by/0", "unknown_sort_field"),
        (json!({"order_by": ["title", "-title"]}), "/order_by/1", "duplicate_sort_field"),
        (json!({"include": ["customer", "owner"]}), "/include/1", "enum"),
        (json!({"include": ["customer", "customer"]}), "/include/1", "unique_items"),
        (json!({"limit": 51}), "/limit", "maximum"),
        (json!({"limit": "5"}), "/limit", "type"),
        (json!({"q": 7}), "/q", "type"),
        (json!({"cursor": ""}), "/cursor", "min_length"),
        (json!({"cursor": "x"}), "/cursor", "cursor_invalid"),
    ] {
        queries.query("ann", &body).assert_violations([("body", pointer, code)]);
    }
    // Every violation is reported.
    let body =
        json!({"x": 1, "limit": 0, "filter": {"size": {"eq": "a"}, "not": {"title": {"eq": 1}}}, "order_by": ["x"]});
    let found = queries.query("ann", &body);
    let mut pointers: Vec<_> = found.violations().iter().map(|one| one.pointer.clone()).collect();
    pointers.sort();
    assert_eq!(pointers, ["/filter/not/title/eq", "/filter/size/eq", "/limit", "/order_by/0", "/x"]);
}

#[test]
fn numbers_keep_their_digits() {
    let queries = Queries::empty();
    for size in [9_007_199_254_740_992_i64, 9_007_199_254_740_993, i64::MAX] {
        queries.create("/tickets", &json!({"title": "a", "state": "open", "size": size}));
    }
    let send = |filter: &str| {
        let body = format!("{{\"filter\": {filter}, \"order_by\": [\"id\"]}}");
        queries.0.query("/tickets").header("X-Caller", "ann").body("application/json", body).send()
    };
    for (filter, expected) in [
        (r#"{"size": {"eq": 9007199254740993}}"#, &[2][..]),
        (r#"{"size": {"eq": 9007199254740993.0}}"#, &[2]),
        (r#"{"size": {"eq": 9007199254740.993e3}}"#, &[2]),
        (r#"{"size": {"gt": 9007199254740992.0}}"#, &[2, 3]),
        (r#"{"size": {"in": [9007199254740992.00, 9223372036854775807e0]}}"#, &[1, 3]),
        (r#"{"not": {"size": {"eq": 9007199254740993.0}}}"#, &[1, 3]),
        (r#"{"any": [{"s\u0069ze": {"eq": 9007199254740993.0}}]}"#, &[2]),
    ] {
        assert_eq!(ids(&send(filter)), expected, "{filter}");
    }
    for (operand, code) in [
        ("9007199254740992.9999", "type"),
        ("-9223372036854775809", "minimum"),
        ("9223372036854775808.0", "maximum"),
        ("1e400", "maximum"),
        ("\"1\"", "type"),
    ] {
        let response = send(&format!("{{\"size\": {{\"eq\": {operand}}}}}"));
        response.assert_violations([("body", "/filter/size/eq", code)]);
    }
    send("null").assert_violations([("body", "/filter", "null")]);
}

#[test]
fn rejects_malformed_json() {
    let queries = Queries::new();
    let send = |text: &str| {
        queries.0.query("/tickets").header("X-Caller", "ann").body("application/json", text.to_owned()).send()
    };
    let repeated = r#"{"filter": {"size": {"eq": 1}, "size": {"eq": 2}}}"#;
    send(repeated).assert_violations([("body", "/filter/size", "duplicate_property")]);
    send("{").assert_problem("malformed_body");
    send("").assert_problem("malformed_body");
    send(&format!("{}1{}", "[".repeat(200), "]".repeat(200))).assert_problem("malformed_body");
    send(&format!("{{\"q\": \"{}\"}}", "x".repeat(64 * 1024))).assert_problem("body_too_large");
    let in_query = queries.0.query("/tickets?limit=1").header("X-Caller", "ann").json(&json!({})).send();
    in_query.assert_violations([("query", "/limit", "unknown_property")]);
}

#[test]
fn a_field_that_the_caller_may_not_read_does_not_exist() {
    let queries = Queries::new();
    let filter = |filter: Value| json!({"filter": filter});
    let secret = filter(json!({"not": {"note": {"eq": "secret"}}}));
    assert_eq!(queries.ids("ann read", &secret), [2, 3, 5]);
    assert_eq!(queries.ids("ann read", &json!({"order_by": ["-note"]})), [4, 1, 3, 5, 2]);
    let hidden = queries.query("bob", &secret);
    hidden.assert_violations([("body", "/filter/not/note", "unknown_filter")]);
    let missing = queries.query("bob", &filter(json!({"not": {"nota": {"eq": "secret"}}})));
    let shown = |response: &TestResponse| {
        let mut problem: Value = response.json();
        problem.as_object_mut().unwrap().remove("request_id");
        problem.to_string().replace("nota", "note")
    };
    assert_eq!(shown(&hidden), shown(&missing));
    assert!(!shown(&hidden).contains("note,"), "{}", shown(&hidden));
    queries.query("bob", &json!({"order_by": ["note"]})).assert_violations([(
        "body",
        "/order_by/0",
        "unknown_sort_field",
    )]);
    assert_eq!(queries.ids("bob", &json!({"q": "secret"})), Vec::<i64>::new());
}

#[test]
fn a_cursor_belongs_to_its_query() {
    let queries = Queries::new();
    let body = |filter: Value, q: &str, order: &str, cursor: &Value| {
        let mut body = json!({"filter": filter, "q": q, "order_by": [order], "limit": 1});
        if !cursor.is_null() {
            body["cursor"] = cursor.clone();
        }
        body
    };
    let open = || json!({"any": [{"state": {"eq": "open"}}, {"size": {"gt": 6}}]});
    let mut found = Vec::new();
    let mut cursor = Value::Null;
    loop {
        let page: Value = queries.query("ann", &body(open(), "o", "-title", &cursor)).assert_status(200).json();
        found.extend(page["data"].as_array().unwrap().iter().map(|item| item["id"].clone()));
        let next = page["pagination"]["next_cursor"].clone();
        if next.is_null() {
            break;
        }
        cursor = next;
    }
    assert_eq!(json!(found), json!([2, 1, 3]));
    // The order of the items of `any` does not matter.
    let turned = json!({"any": [{"size": {"gt": 6}}, {"state": {"eq": "open"}}]});
    queries.query("ann", &body(turned, "O", "-title", &cursor)).assert_status(200);
    for (caller, other) in [
        ("ann", body(json!({"all": open()["any"]}), "o", "-title", &cursor)),
        ("ann", body(json!({"not": open()}), "o", "-title", &cursor)),
        ("ann", body(json!({}), "o", "-title", &cursor)),
        ("ann", body(open(), "x", "-title", &cursor)),
        ("ann", body(open(), "o", "title", &cursor)),
        ("ann read", body(open(), "o", "-title", &cursor)),
    ] {
        queries.query(caller, &other).assert_violations([("body", "/cursor", "cursor_mismatch")]);
    }
    // A cursor is not compared with invalid members.
    let mut invalid = body(open(), "o", "-title", &cursor);
    invalid["order_by"] = json!("-title");
    queries.query("ann", &invalid).assert_violations([("body", "/order_by", "type")]);
    let invalid = body(json!({"size": {"eq": ""}}), "o", "-title", &cursor);
    queries.query("ann", &invalid).assert_violations([("body", "/filter/size/eq", "type")]);
    let listed =
        queries.0.get(format!("/tickets?cursor={}", cursor.as_str().unwrap())).header("X-Caller", "ann").send();
    listed.assert_violations([("query", "/cursor", "cursor_mismatch")]);
}

#[test]
fn access_is_the_access_of_the_list() {
    let queries = Queries::new();
    queries.0.query("/tickets").json(&json!({"filter": 7})).send().assert_status(401);
}
