//! Two versions of a resource with different fields on one table.

use restwright::auth::Access;
use restwright::prelude::*;
use restwright::testing::TestClient;
use restwright_core::Component;
use restwright_resource::Endpoints;
use restwright_sql::{SqlStore, TableMapping};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::outbox::on_postgres;
use crate::databases::SqliteFile;

/// A note of the first version.
#[derive(Clone, Serialize, Deserialize, Resource)]
#[resource(path = "/notes")]
struct Note {
    #[property(id)]
    id: i64,
    #[property(sort)]
    text: String,
}

/// A note of the second version.
#[derive(Clone, Serialize, Deserialize, Resource)]
#[resource(path = "/notes", table = "notes_v2")]
struct NoteV2 {
    #[property(id)]
    id: i64,
    #[property(sort)]
    text: String,
    #[property(sort, filter(eq))]
    color: Option<String>,
}

fn mapped(url: &str) -> SqlStore {
    SqlStore::new(url).migrate().table(TableMapping::new("notes_v2").table("notes"))
}

fn check(store: &SqlStore) {
    let older = Endpoints::<Note>::new(store.clone(), Access::public());
    let newer = Endpoints::<NoteV2>::new(store.clone(), Access::public());
    let api = Api::builder(Configuration::new("notes", "2.0.0"))
        .group(Group::new("/v1").module(older))
        .group(Group::new("/v2").module(newer));
    let client = TestClient::new(api.build().unwrap());
    client.start().unwrap();
    let send = |method: &str, path: &str, body: Value| {
        let request = match method {
            "GET" => client.get(path),
            "POST" => client.post(path).json(&body),
            _ => client.patch(path).json(&body),
        };
        request.send().assert_documented().json::<Value>()["data"].clone()
    };
    let note = send("POST", "/v1/notes", json!({"text": "a"}));
    let id = note["id"].as_i64().unwrap();
    let (old, new) = (format!("/v1/notes/{id}"), format!("/v2/notes/{id}"));
    assert_eq!(note, json!({"id": id, "text": "a"}));
    assert_eq!(send("GET", &new, Value::Null), json!({"id": id, "text": "a", "color": null}));
    send("PATCH", &new, json!({"color": "red"}));
    send("PATCH", &old, json!({"text": "b"}));
    assert_eq!(send("GET", &new, Value::Null), json!({"id": id, "text": "b", "color": "red"}));
    assert_eq!(send("GET", "/v2/notes?color=red&order_by=-color,text", Value::Null).as_array().unwrap().len(), 1);
    // An update of one version changes the tag of the other.
    let tag = client.get(&old).send().header("etag").unwrap().to_owned();
    send("PATCH", &new, json!({"color": "blue"}));
    client.patch(&old).header("If-Match", &tag).json(&json!({"text": "c"})).send().assert_status(412);
    client.delete(&old).send().assert_status(204);
    client.get(&new).send().assert_status(404);
    client.stop();
}

/// Starts a store with only the first version, as the earlier deployment did.
fn start_first(url: &str) {
    let api = Api::builder(Configuration::new("notes", "1.0.0"))
        .resource::<Note>(SqlStore::new(url).migrate(), Access::public())
        .build();
    let client = TestClient::new(api.unwrap());
    client.start().unwrap();
    client.stop();
}

#[test]
fn versions_with_different_fields_share_a_table_of_sqlite() {
    let (new, deployed) = (SqliteFile::new(), SqliteFile::new());
    check(&mapped(&new.url()));
    start_first(&deployed.url());
    // The second start adds the column.
    check(&mapped(&deployed.url()));
    check(&mapped(&deployed.url()));
}

#[test]
fn versions_with_different_fields_share_a_table_of_postgresql() {
    on_postgres(|schema| {
        check(&mapped(&schema.url()));
        check(&mapped(&schema.url()));
    });
    on_postgres(|schema| {
        start_first(&schema.url());
        check(&mapped(&schema.url()));
    });
}

/// A note whose fields the first version would break.
#[derive(Clone, Serialize, Deserialize, Resource)]
#[resource(path = "/notes", table = "notes_v2")]
struct WrongNote {
    #[property(id)]
    id: i64,
    #[property(filter(contains))]
    text: String,
    color: String,
}

#[tokio::test]
async fn versions_that_would_break_each_other_are_errors() {
    let file = SqliteFile::new();
    let start = async |store: SqlStore| {
        store.declare(&Note::definition()).unwrap();
        store.declare(&WrongNote::definition()).unwrap();
        store.start().await.unwrap_err().to_string()
    };
    let versionless = TableMapping::new("notes").without_version();
    assert_eq!(
        start(mapped(&file.url()).table(versionless)).await,
        "`notes_v2` and `notes` share the table `notes`, but only `notes_v2` searches in the column `text`, so a write of `notes` would leave the \
         copy for the search unchanged; declare `filter(contains)` in both, or call `TableMapping::ascii_search` for both\n\
         `notes_v2` and `notes` share the table `notes`, but only `notes_v2` has the version column `row_version`, so a write of `notes` would \
         not change the version; map both to the same version column\n\
         `notes_v2` and `notes` share the table `notes`, but only `notes_v2` has the column `color`, which is required, so `notes` could not \
         insert rows; make the field optional"
    );
}
