//! The copies of an entity that a create makes.

use std::cell::Cell;

use restwright::auth::Access;
use restwright::prelude::*;
use restwright::testing::TestClient;
use restwright_resource::{MemoryStore, Store};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::counting_store::CountingStore;

thread_local!(static COPIES: Cell<u32> = const { Cell::new(0) });

/// An animal that counts its copies.
#[derive(Serialize, Deserialize, Resource)]
#[resource(path = "/animals")]
struct Animal {
    #[property(id)]
    id: i64,
    name: String,
}

impl Clone for Animal {
    fn clone(&self) -> Self {
        COPIES.set(COPIES.get() + 1);
        Self { id: self.id, name: self.name.clone() }
    }
}

fn copies_of_a_create(store: impl Store) -> u32 {
    let api = Api::builder(Configuration::new("animals", "1")).resource::<Animal>(store, Access::public());
    let client = TestClient::new(api.build().unwrap());
    COPIES.set(0);
    client.post("/animals").json(&json!({"name": "Rex"})).send().assert_status(201);
    COPIES.get()
}

#[test]
fn a_create_copies_the_entity_only_if_an_insert_may_be_retried() {
    // Stores copy rows, and not the entity.
    assert_eq!(copies_of_a_create(MemoryStore::new()), 0);
    assert_eq!(copies_of_a_create(CountingStore::default()), 1);
}
