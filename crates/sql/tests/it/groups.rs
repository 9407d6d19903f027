//! Changes that share a transaction of SQLite.

use std::thread;
use std::time::Duration;

use futures_util::future::join_all;
use restwright::auth::Access;
use restwright::prelude::*;
use restwright::report::{Report, SampleValue};
use restwright_resource::{EntityStore, Scope, Store};
use restwright_sql::SqlStore;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::databases::SqliteFile;
use crate::requests::server::{send, with_server};

/// A coin.
#[derive(Clone, Debug, Serialize, Deserialize, Resource)]
#[resource(path = "/coins")]
pub(crate) struct Coin {
    #[property(id)]
    id: i64,
    #[property(unique)]
    name: String,
    worth: i64,
}

fn coin(name: &str) -> Coin {
    Coin { id: 0, name: name.to_owned(), worth: 1 }
}

async fn started(file: &SqliteFile) -> SqlStore {
    let store = file.store().migrate();
    store.declare(&Coin::definition()).unwrap();
    store.start().await.unwrap();
    store
}

pub(crate) async fn insert(store: &SqlStore, name: &str) -> Result<Coin> {
    EntityStore::new(store, &Scope::new()).insert(coin(name)).await
}

async fn count(store: &SqlStore) -> u64 {
    EntityStore::<Coin>::new(store, &Scope::new()).count(&()).await.unwrap()
}

/// Returns the number of groups, and of the changes in them.
pub(crate) fn groups(store: &SqlStore) -> (u64, u64) {
    let mut report = Report::default();
    store.report(&mut report);
    let count = |name: &str| {
        let sample = report.samples().iter().find(|sample| sample.name() == name);
        sample.map_or(0, |sample| if let SampleValue::Counter(count) = sample.value() { count } else { 0 })
    };
    (count("store_groups"), count("store_grouped_changes"))
}

#[tokio::test]
async fn changes_that_wait_share_a_transaction() {
    let file = SqliteFile::new();
    let store = started(&file).await;
    let names: Vec<_> = (0..64).map(|number| format!("coin {}", number / 2)).collect();
    let outcomes = join_all(names.iter().map(|name| insert(&store, name))).await;
    assert_eq!(outcomes.iter().filter(|outcome| outcome.is_ok()).count(), 32, "{outcomes:?}");
    assert_eq!(count(&store).await, 32);
    let (groups, changes) = groups(&store);
    assert_eq!(changes, 64);
    assert!(groups <= 4, "{groups}");
    store.stop().await;
}

#[tokio::test]
async fn a_change_alone_waits_for_no_other() {
    let file = SqliteFile::new();
    let store = started(&file).await;
    for number in 0..3 {
        insert(&store, &number.to_string()).await.unwrap();
    }
    assert_eq!(groups(&store), (3, 3));
    store.stop().await;
}

#[tokio::test]
async fn a_request_that_ends_withdraws_its_change() {
    let file = SqliteFile::new();
    let store = started(&file).await;
    let transaction = store.begin().await.unwrap();
    // Both wait behind the transaction.
    let dropped = tokio::time::timeout(Duration::from_millis(50), insert(&store, "dropped")).await;
    assert!(dropped.is_err());
    let (kept, ()) = tokio::join!(insert(&store, "kept"), async {
        tokio::time::sleep(Duration::from_millis(50)).await;
        drop(transaction);
    });
    kept.unwrap();
    assert_eq!(count(&store).await, 1);
    store.stop().await;
}

#[tokio::test]
async fn a_change_waits_for_the_connection_no_longer_than_other_statements() {
    let file = SqliteFile::new();
    started(&file).await.stop().await;
    let store = file.store().wait(Duration::from_millis(100));
    store.declare(&Coin::definition()).unwrap();
    store.start().await.unwrap();
    let transaction = store.begin().await.unwrap();
    let outcomes = join_all((0..3).map(|number| {
        let store = &store;
        async move { insert(store, &number.to_string()).await.unwrap_err().status().as_u16() }
    }));
    for outcome in outcomes.await {
        assert_eq!(outcome, 503);
    }
    drop(transaction);
    insert(&store, "later").await.unwrap();
    assert_eq!(count(&store).await, 1);
    store.stop().await;
}

/// A constraint that is checked at the commit would be violated or repaired by other changes of the group.
#[tokio::test]
async fn a_database_with_deferred_constraints_has_no_groups() {
    let file = SqliteFile::new();
    let store = started(&file).await;
    let table =
        "CREATE TABLE notes (id INTEGER PRIMARY KEY, coin INTEGER REFERENCES coins(id) DEFERRABLE INITIALLY DEFERRED)";
    store.with_sqlite(move |connection| connection.execute_batch(table)).await.unwrap();
    store.stop().await;
    let store = started(&file).await;
    join_all((0..8).map(|number| {
        let store = &store;
        async move { insert(store, &number.to_string()).await.unwrap() }
    }))
    .await;
    assert_eq!(groups(&store), (0, 0));
    assert_eq!(count(&store).await, 8);
    store.stop().await;
}

/// Sends requests from threads, and returns their statuses.
fn statuses(threads: usize, each: usize, request: impl Fn(usize) -> u16 + Sync) -> Vec<u16> {
    let request = &request;
    thread::scope(|scope| {
        let run = |thread: usize| move || (0..each).map(|turn| request(thread * each + turn)).collect::<Vec<_>>();
        let threads: Vec<_> = (0..threads).map(|thread| scope.spawn(run(thread))).collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    })
}

#[test]
fn writers_of_one_row_and_of_many_rows_all_succeed() {
    let file = SqliteFile::new();
    let store = file.store().migrate();
    let coins = restwright_resource::Endpoints::<Coin>::new(store.clone(), Access::public());
    let api = Api::builder(Configuration::new("coins", "1.0.0")).module(&coins).build().unwrap();
    with_server(api, 2, |address| {
        let create = |number: usize| {
            let body = json!({"name": format!("coin {number}"), "worth": 0}).to_string();
            send(address, "POST /coins", &body).0
        };
        assert_eq!(statuses(64, 4, create), [201; 256]);
        let (groups, changes) = groups(&store);
        assert!(groups < changes, "{groups} groups of {changes} changes");
        let hot = |number: usize| send(address, "PATCH /coins/1", &json!({"worth": number}).to_string()).0;
        assert_eq!(statuses(64, 4, hot), [200; 256]);
        let own = |number: usize| {
            send(address, &format!("PATCH /coins/{}", number + 1), &json!({"worth": number}).to_string()).0
        };
        assert_eq!(statuses(64, 4, own), [200; 256]);
        let delete = |number: usize| send(address, &format!("DELETE /coins/{}", number + 1), "").0;
        assert_eq!(statuses(64, 2, delete), [204; 128]);
        let (status, body) = send(address, "GET /coins?limit=100", "");
        let body: Value = serde_json::from_str(&body).unwrap();
        assert_eq!((status, &body["pagination"]["total"]), (200, &json!(128)), "{body}");
    });
}
