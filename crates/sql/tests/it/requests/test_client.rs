//! A test client whose store is on PostgreSQL.

use std::time::{Duration, Instant};

use restwright::auth::Access;
use restwright::prelude::*;
use restwright::testing::TestClient;
use restwright_resource::{Endpoints, Hooks};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::database::DatabaseKind;
use super::store::CountingStore;

/// The time after which PostgreSQL ends an idle transaction of a store.
const IDLE_TRANSACTION: Duration = Duration::from_mins(1);

#[derive(Clone, Debug, Serialize, Deserialize, Resource)]
#[resource(path = "/notes")]
struct Note {
    #[property(id)]
    id: i64,
    text: String,
}

/// Hooks make a change run in a transaction.
struct NoHooks;

impl Hooks<Note> for NoHooks {}

/// A rejected change is rolled back by a task, and the client has no other request that would run the task. The last handle of the store
/// drops the schema, which waits for open transactions.
#[test]
fn a_dropped_client_leaves_no_transaction_open() {
    let notes = Endpoints::<Note>::new(CountingStore::on(DatabaseKind::Postgres), Access::public()).hooks(NoHooks);
    let client = TestClient::new(Api::builder(Configuration::new("notes", "1.0.0")).module(&notes).build().unwrap());
    drop(notes);
    let patch = client.patch("/notes/1").body("application/merge-patch+json", json!({"text": "new"}).to_string());
    patch.send().assert_status(404);
    let began = Instant::now();
    drop(client);
    assert!(began.elapsed() < IDLE_TRANSACTION / 2, "{:?}", began.elapsed());
}
