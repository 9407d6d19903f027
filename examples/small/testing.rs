//! Test an Api in the process: its responses, its violations, its access and its clock.
//!
//! `cargo test -p restwright-examples --example testing` runs the tests, and `cargo run -p restwright-examples --example testing` serves the Api.

use jiff::Timestamp;
use restwright::auth::{Access, ApiKey, ApiKeyAuthenticator, KeyList};
use restwright::prelude::*;
use restwright::resource::MemoryStore;
use restwright::schema::Mode;
use serde::Serialize;

/// A note.
#[derive(Clone, Serialize, Resource)]
#[resource(path = "/notes")]
struct Note {
    #[property(id)]
    id: i64,
    #[property(min_length = 1, max_length = 100)]
    title: String,
    #[property(created_at)]
    created_at: Timestamp,
}

/// The application as a function, which the server and the tests call. Each call starts with an empty store.
fn api(configuration: Configuration, keys: impl IntoIterator<Item = ApiKey>) -> Result<Api, BuildErrors> {
    let configuration = configuration.authenticator("key", ApiKeyAuthenticator::new(KeyList::new(keys)));
    let access = Access::crud("key", "notes").with(Mode::List, Access::public());
    Api::builder(configuration).resource::<Note>(MemoryStore::new(), access).build()
}

fn configuration() -> Configuration {
    Configuration::new("notes", "1.0.0")
}

fn main() -> Result<(), restwright::ServeError> {
    restwright::run(restwright::serve(api(configuration(), [])?, "127.0.0.1:8080"))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use restwright::Clock;
    use restwright::testing::{TestClient, assert_guests_only_at};
    use serde_json::json;

    use super::*;

    const WRITER: &str = "writer.0f4f9a6c1d2e4b7f8a9b0c1d2e3f4a5b";
    const READER: &str = "reader.0f4f9a6c1d2e4b7f8a9b0c1d2e3f4a5b";

    fn test_api(configuration: Configuration) -> Api {
        let writer = WRITER.parse::<ApiKey>().unwrap().scopes(["notes:create", "notes:update", "notes:read"]);
        let reader = READER.parse::<ApiKey>().unwrap().scopes(["notes:read"]);
        api(configuration, [writer, reader]).unwrap()
    }

    fn writer() -> TestClient {
        TestClient::new(test_api(configuration())).with_header("X-Api-Key", WRITER)
    }

    /// `assert_documented` compares the status, the headers and the body with the OpenAPI document.
    #[test]
    fn creates_a_note() {
        let client = writer();
        let created = client.post("/notes").json(&json!({"title": "Buy milk"})).send();
        created.assert_status(201).assert_documented().assert_header("Location", "/notes/1");
        let found = client.get("/notes/1").send();
        assert_eq!(found.assert_status(200).assert_documented().text(), created.text());
    }

    #[test]
    fn rejects_invalid_notes() {
        let client = writer();
        for (body, violation) in [
            (json!({}), ("body", "/title", "required")),
            (json!({"title": ""}), ("body", "/title", "min_length")),
            (json!({"title": "Buy milk", "done": true}), ("body", "/done", "unknown_property")),
        ] {
            client.post("/notes").json(&body).send().assert_documented().assert_violations([violation]);
        }
    }

    #[test]
    fn only_keys_with_the_scope_may_call() {
        let api = test_api(configuration());
        assert_guests_only_at(&api, ["GET /notes", "QUERY /notes"]);
        let client = TestClient::new(api);
        let create = || client.post("/notes").json(&json!({"title": "Buy milk"}));
        create().send().assert_status(401).assert_documented();
        create().header("X-Api-Key", READER).send().assert_status(403).assert_documented();
        create().header("X-Api-Key", WRITER).send().assert_status(201).assert_documented();
    }

    #[test]
    fn notes_have_the_time_of_the_clock() {
        let clock = Clock::manual(1_700_000_000);
        let client = TestClient::new(test_api(configuration().clock(clock.clone()))).with_header("X-Api-Key", WRITER);
        clock.advance(Duration::from_secs(60));
        let created = client.post("/notes").json(&json!({"title": "Buy milk"})).send();
        let note = json!({"id": 1, "title": "Buy milk", "created_at": "2023-11-14T22:14:20Z"});
        created.assert_json(&json!({"data": note}));
    }
}
