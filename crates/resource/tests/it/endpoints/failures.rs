//! Stores that fail, and hooks that request another attempt.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use restwright::auth::Access;
use restwright::prelude::*;
use restwright::testing::TestClient;
use restwright_resource::{Endpoints, HookContext, Hooks, MemoryStore, StoreError};
use serde::Serialize;
use serde_json::json;

use super::Shelter;

const CREATE: (&str, Option<&str>) = ("POST /animals", Some(r#"{"name": "Mia", "species": "cat"}"#));
const UPDATE: (&str, Option<&str>) = ("PATCH /animals/{ada}", Some(r#"{"name": "Bo"}"#));
const DELETE: (&str, Option<&str>) = ("DELETE /animals/{rex}", None);
const VIEW: (&str, Option<&str>) = ("GET /animals/{ada}", None);
const LIST: (&str, Option<&str>) = ("GET /animals", None);

/// Checks the status of requests after this number of errors, and the number of remaining errors.
fn check(error: fn() -> StoreError, count: usize, expected: &[((&str, Option<&str>), u16)], left: usize) {
    for ((request, body), status) in expected {
        let shelter = Shelter::new();
        shelter.store.fail(std::iter::repeat_with(error).take(count));
        let response = shelter.send(request, &[], *body);
        assert_eq!(response.status(), *status, "{request}: {response:?}");
        assert_eq!(shelter.store.failures_left(), left, "{request}");
        match *status {
            500 => drop(response.assert_problem("internal_error")),
            503 => drop(response.assert_problem("unavailable").assert_header("retry-after", "1")),
            _ => {}
        }
        assert!(*status < 500 || !response.text().contains("the disk"), "{response:?}");
        assert!(*status < 500 || response.cause().is_some(), "{response:?}");
    }
}

#[test]
fn an_unreachable_store_is_503() {
    let expected = [CREATE, UPDATE, DELETE, VIEW, LIST].map(|request| (request, 503));
    check(|| StoreError::unavailable("the disk is away"), 1, &expected, 0);
}

#[test]
fn a_failing_store_is_500() {
    let expected = [CREATE, UPDATE, DELETE, VIEW, LIST].map(|request| (request, 500));
    check(|| StoreError::failed("the disk is broken"), 1, &expected, 0);
}

#[test]
fn retries_conflicts_of_transactions() {
    let expected = [(CREATE, 201), (UPDATE, 200), (DELETE, 204), (VIEW, 200), (LIST, 200)];
    check(|| StoreError::TransactionConflict, 31, &expected, 0);
}

#[test]
fn persistent_conflicts_are_503() {
    let expected = [CREATE, UPDATE, DELETE, VIEW, LIST].map(|request| (request, 503));
    check(|| StoreError::TransactionConflict, 40, &expected, 8);
    check(|| StoreError::StaleVersion, 32, &[(DELETE, 503)], 0);
}

#[derive(Clone, Debug, Serialize, Resource)]
#[resource(path = "/notes")]
struct Note {
    #[property(id)]
    id: i64,
    title: String,
}

/// Counts its attempts, and requests another one in the first `conflicts` attempts.
struct Conflicts {
    conflicts: u32,
    attempts: Arc<AtomicU32>,
}

impl Hooks<Note> for Conflicts {
    async fn after_create(&self, _: &mut HookContext<'_>, _: &Note) -> Result<()> {
        if self.attempts.fetch_add(1, Ordering::Relaxed) < self.conflicts {
            return Err(Problem::unavailable(StoreError::TransactionConflict));
        }
        Ok(())
    }
}

#[test]
fn a_hook_requests_another_attempt() {
    for (conflicts, status, expected, notes) in [(0, 201, 1, 1), (2, 201, 3, 1), (40, 503, 32, 0)] {
        let attempts = Arc::new(AtomicU32::new(0));
        let hooks = Conflicts { conflicts, attempts: Arc::clone(&attempts) };
        let endpoints = Endpoints::<Note>::new(MemoryStore::new(), Access::public()).hooks(hooks);
        let api = Api::builder(Configuration::new("notes", "1.0.0")).module(&endpoints).build().unwrap();
        let client = TestClient::new(api);
        client.post("/notes").json(&json!({"title": "Buy milk"})).send().assert_status(status);
        assert_eq!(attempts.load(Ordering::Relaxed), expected);
        let listed = client.get("/notes").send().json::<serde_json::Value>();
        assert_eq!(listed["pagination"]["total"], notes);
    }
}
