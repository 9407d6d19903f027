//! The parameter `q`, which searches in several fields.

use restwright::auth::Access;
use restwright::list::CursorKey;
use restwright::openapi::Document;
use restwright::prelude::*;
use restwright::schema::{int64, string};
use restwright::testing::TestClient;
use restwright_resource::{Endpoints, IdentifierKind, ResourceDefinition};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::callers::Callers;
use super::counting_store::CountingStore;

/// A ticket.
#[derive(Clone, Debug, Serialize, Deserialize, Resource)]
#[resource(path = "/tickets", pagination = cursor(default = 2), search(title, text, note))]
struct Ticket {
    #[property(id)]
    id: i64,
    #[property(filter(eq, contains), sort)]
    title: String,
    text: Option<String>,
    #[property(read = "read")]
    note: Option<String>,
    #[property(filter(eq))]
    #[serde(default)]
    is_open: bool,
}

fn client() -> TestClient {
    let tickets = Endpoints::<Ticket>::new(CountingStore::default(), Access::authenticated("caller"));
    let configuration =
        Configuration::new("tickets", "1.0.0").with(CursorKey::new([7; 32])).authenticator("caller", Callers);
    let client = TestClient::new(Api::builder(configuration).module(&tickets).build().unwrap());
    for (title, text, note) in [
        ("Printer", Some("on fire"), None),
        ("Straße", None, Some("a secret printer")),
        ("Door", Some("the PRINTER blocks it"), None),
        ("100%", Some("a_b"), Some("")),
        ("", None, None),
    ] {
        let body = json!({"title": title, "text": text, "note": note, "is_open": title.len() > 4});
        client.post("/tickets").header("X-Caller", "ann read write").json(&body).send().assert_status(201);
    }
    client
}

#[track_caller]
fn found(client: &TestClient, caller: &str, query: &str) -> Vec<String> {
    let response = client.get(format!("/tickets?limit=50&{query}")).header("X-Caller", caller).send();
    response.assert_documented();
    let body: Value = response.assert_status(200).json();
    body["data"].as_array().unwrap().iter().map(|item| item["title"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn one_of_the_fields_contains_the_string() {
    let client = client();
    for (query, expected) in [
        ("q=PRINT", ["Printer", "Straße", "Door"].as_slice()),
        ("q=strASSE", &[]),
        ("q=STRAßE", &["Straße"]),
        ("q=%25", &["100%"]),
        ("q=_", &["100%"]),
        ("q=on%20fire", &["Printer"]),
        ("q=printer%20on", &[]),
        ("q=print&is_open=true&title[contains]=ra", &["Straße"]),
        ("q=print&order_by=-title", &["Straße", "Printer", "Door"]),
        ("q=", &["Printer", "Straße", "Door", "100%", ""]),
        ("q=%00", &[]),
    ] {
        assert_eq!(found(&client, "ann read", query), expected, "{query}");
    }
    let twice = client.get("/tickets?q=a&q=b").header("X-Caller", "ann").send();
    twice.assert_violations([("query", "/q", "too_many_values")]);
}

#[test]
fn a_field_that_the_caller_may_not_read_never_matches() {
    let client = client();
    assert_eq!(found(&client, "bob", "q=print"), ["Printer", "Door"]);
    assert_eq!(found(&client, "bob", "q=secret"), Vec::<String>::new());
    assert_eq!(found(&client, "bob read", "q=secret"), ["Straße"]);
}

#[test]
fn a_cursor_belongs_to_its_search() {
    let client = client();
    let get = |query: &str| client.get(format!("/tickets?{query}")).header("X-Caller", "ann read").send();
    let page: Value = get("q=print").assert_status(200).json();
    let cursor = page["pagination"]["next_cursor"].as_str().unwrap();
    let next: Value = get(&format!("q=PRINT&cursor={cursor}")).assert_status(200).json();
    assert_eq!(next["data"].as_array().unwrap().len(), 1);
    for other in [format!("cursor={cursor}"), format!("q=door&cursor={cursor}"), format!("q=&cursor={cursor}")] {
        get(&other).assert_violations([("query", "/cursor", "cursor_mismatch")]);
    }
}

#[test]
fn the_document_describes_the_parameter() {
    let document: Value = serde_json::from_str(&Document::from_api(client().api()).to_json()).unwrap();
    let parameters = document["paths"]["/tickets"]["get"]["parameters"].as_array().unwrap();
    let parameter = parameters.iter().find(|parameter| parameter["name"] == "q").unwrap();
    assert_eq!(
        parameter["description"],
        "Only items whose `title`, `text` or `note` contains this string, regardless of case."
    );
    assert_eq!(parameter["schema"]["type"], "string");
}

#[test]
fn a_search_in_other_fields_does_not_build() {
    let shape = || {
        PropertyCollection::new("Page")
            .property(string("slug"))
            .property(string("text"))
            .property(int64("size"))
            .property(string("q"))
    };
    let pages = || {
        let kind = IdentifierKind::Given(restwright::list::ValueType::Text);
        ResourceDefinition::new("/pages", "pages", shape(), "slug", kind)
    };
    for (pages, expected) in [
        (pages().search(["text"]), ""),
        (pages().search(["text", "slug"]), "names `slug`, which is the identifier"),
        (pages().search(["size"]), "names `size`, which is not a string"),
        (pages().search(["text", "text"]), "names `text`, which is searched twice"),
        (pages().search(["title"]), "names `title`, which is not a field"),
        (pages().search(["text"]).filter("q", [restwright::list::Operator::Eq]), "`q`"),
    ] {
        let endpoints = Endpoints::from_definition(pages, CountingStore::default(), Access::public());
        let built = Api::builder(Configuration::new("pages", "1.0.0")).module(&endpoints).build();
        let found = built.err().map(|errors| errors.to_string()).unwrap_or_default();
        assert_eq!(found.is_empty(), expected.is_empty(), "{found}");
        assert!(found.contains(expected), "{found}");
    }
}
