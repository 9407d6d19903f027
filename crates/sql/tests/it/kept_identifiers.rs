//! Identifiers that the application sets, and seeds that insert them.

use restwright_resource::Store;
use std::num::NonZeroU32;

use restwright::auth::Access;
use restwright::prelude::*;
use restwright::resource::{EntityStore, Scope};
use restwright_sql::SqlStore;
use serde::{Deserialize, Serialize};

use crate::databases::{PostgresSchema, SqliteFile};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Resource)]
#[resource(path = "/pets")]
struct Pet {
    #[property(id)]
    id: i64,
    name: String,
}

fn pet(id: i64) -> Pet {
    Pet { id, name: "Rex".to_owned() }
}

async fn insert(store: &impl Store, id: i64) -> Result<i64> {
    EntityStore::<Pet>::new(store, &Scope::new()).insert(pet(id)).await.map(|pet| pet.id)
}

/// Starts an application twice. Its seed inserts a pet with the identifier 42 unless the pet exists.
async fn seeds_once<S: Store + Clone>(store: S) {
    let seeded = store.clone();
    let api = Api::builder(Configuration::new("pets", "1.0.0"))
        .resource::<Pet>(store.clone(), Access::public())
        .seed(move || {
            let store = seeded.clone();
            async move {
                let scope = Scope::new();
                let mut of_store = EntityStore::<Pet>::new(&store, &scope);
                if of_store.find(&42).await?.is_none() {
                    of_store.insert(pet(42)).await?;
                }
                Ok::<(), Problem>(())
            }
        })
        .build()
        .unwrap();
    api.start().await.unwrap();
    let scope = Scope::new();
    assert_eq!(insert(&store, 0).await.unwrap(), 43);
    assert_eq!(insert(&store, 42).await.unwrap_err().status(), 409);
    assert_eq!(EntityStore::<Pet>::new(&store, &scope).count(&()).await.unwrap(), 2);
    // Simulates the start of another process.
    api.start().await.unwrap();
    assert_eq!(EntityStore::<Pet>::new(&store, &scope).count(&()).await.unwrap(), 2);
    api.stop().await;
}

#[tokio::test]
async fn a_seed_runs_after_the_tables_of_sqlite_exist() {
    let file = SqliteFile::new();
    let store: SqlStore = file.store().migrate();
    seeds_once(store).await;
}

#[tokio::test]
async fn a_seed_runs_after_the_tables_of_postgres_exist() {
    let Some(schema) = PostgresSchema::new().await else { return };
    let store: SqlStore = schema.store().migrate();
    seeds_once(store).await;
    schema.drop().await;
}

/// Each insert is a transaction, which is lost without a commit.
#[tokio::test]
async fn a_store_for_pgbouncer_commits_a_seed() {
    let Some(schema) = PostgresSchema::new().await else { return };
    let store: SqlStore = schema.store().transaction_pooler().migrate();
    seeds_once(store).await;
    schema.drop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_sequence_is_never_set_back() {
    let Some(schema) = PostgresSchema::new().await else { return };
    let store = schema.store().connections(NonZeroU32::new(4).unwrap()).migrate();
    let api = Api::builder(Configuration::new("pets", "1.0.0")).resource::<Pet>(store.clone(), Access::public());
    let api = api.build().unwrap();
    api.start().await.unwrap();
    let made = |count: usize| {
        let store = store.clone();
        tokio::spawn(async move {
            let mut last = 0;
            for _ in 0..count {
                let next = insert(&store, 0).await.unwrap();
                assert!(next > last, "{next} after {last}");
                last = next;
            }
        })
    };
    let making = [made(100), made(100), made(100)];
    for step in 1..=50 {
        assert_eq!(insert(&store, step * 1_000).await.unwrap(), step * 1_000);
    }
    for making in making {
        making.await.unwrap();
    }
    assert_eq!(EntityStore::<Pet>::new(&store, &Scope::new()).count(&()).await.unwrap(), 350);
    api.stop().await;
    schema.drop().await;
}
