//! A store whose statements depend on the caller.

use std::sync::Arc;

use restwright::auth::Access;
use restwright::prelude::*;
use restwright::testing::TestClient;
use restwright_core::auth::Identity;
use restwright_resource::{Change, Read, ReadResult, Row, Statement, Store, StoreFuture, Versioned};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::map_store::MapStore;

/// A note.
#[derive(Clone, Serialize, Deserialize, Resource)]
#[resource(path = "/notes")]
pub(crate) struct Note {
    #[property(id)]
    id: i64,
}

/// A store that has no handle for a caller, or one with its own entities.
struct PerCaller {
    shared: MapStore,
    of_caller: Option<MapStore>,
}

impl Store for PerCaller {
    fn is_per_caller(&self) -> bool {
        true
    }

    fn for_caller(&self, _: &Identity) -> Option<Arc<dyn Store>> {
        self.of_caller.clone().map(|store| Arc::new(store) as _)
    }

    fn read<'a>(&'a self, statement: Statement<'a>, read: Read<'a>) -> StoreFuture<'a, ReadResult> {
        self.shared.read(statement, read)
    }

    fn write<'a>(&'a self, statement: Statement<'a>, change: Change) -> StoreFuture<'a, Option<Versioned<Row>>> {
        self.shared.write(statement, change)
    }
}

/// The shared store would return the entities of every caller.
#[test]
fn a_store_without_a_handle_for_the_caller_is_a_500() {
    let client = |of_caller: Option<MapStore>| {
        let store = PerCaller { shared: MapStore::default(), of_caller };
        let api = Api::builder(Configuration::new("notes", "1")).resource::<Note>(store, Access::public());
        TestClient::new(api.build().unwrap())
    };
    let without = client(None);
    without.post("/notes").json(&json!({})).send().assert_status(500);
    without.get("/notes").send().assert_status(500);
    let with = client(Some(MapStore::default()));
    with.post("/notes").json(&json!({})).send().assert_status(201);
    assert_eq!(with.get("/notes").send().json::<serde_json::Value>()["data"].as_array().map(Vec::len), Some(1));
}
