//! Imports of many items in a transaction that runs several times.

use std::sync::atomic::{AtomicU32, Ordering};

use restwright::auth::Access;
use restwright::files::ItemStream;
use restwright::prelude::*;
use restwright::testing::TestClient;
use restwright_resource::{Endpoints, EntityStore, MemoryStore, Repository, Scope, StoreError, Transaction};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A book.
#[derive(Clone, Serialize, Deserialize, Resource)]
#[resource(path = "/books")]
struct Book {
    #[property(id)]
    id: i64,
    #[property(unique, min_length = 1, max_length = 50)]
    title: String,
}

#[derive(Deserialize, Schema)]
struct Row {
    #[property(min_length = 1, max_length = 50)]
    title: String,
}

#[derive(Request)]
struct Import {
    #[body]
    rows: ItemStream<Row>,
}

/// Inserts a book.
async fn insert(store: &MemoryStore, transaction: &mut Transaction, title: String) -> Result<()> {
    let mut books = EntityStore::<Book>::new(store, &Scope::new()).within(transaction);
    books.insert(Book { id: 0, title }).await.map(drop)
}

/// An Api with two imports. The first `conflicts` attempts of each request conflict after the second row.
fn client(conflicts: u32) -> TestClient {
    let store = MemoryStore::new();
    let route = |path: &str| Route::post(path).id(path.trim_start_matches('/')).public();
    let conflict = move |attempts: &AtomicU32, position: usize| {
        let fails = position == 1 && attempts.fetch_add(1, Ordering::Relaxed) < conflicts;
        if fails { Err(Problem::internal(StoreError::TransactionConflict)) } else { Ok(()) }
    };
    let (reading, collecting) = (store.clone(), store.clone());
    let reading = route("/reading").handler(async move |Import { mut rows }| {
        let (attempts, rows) = (AtomicU32::new(0), tokio::sync::Mutex::new(&mut rows));
        let work = reading.transaction(async |transaction| {
            let mut rows = rows.lock().await;
            let mut position = 0;
            while let Some(row) = rows.next().await? {
                insert(&reading, transaction, row.title).await?;
                conflict(&attempts, position)?;
                position += 1;
            }
            Ok(position)
        });
        Ok(Data(work.await?))
    });
    let collecting = route("/collecting").handler(async move |Import { mut rows }| {
        let mut titles = Vec::new();
        while let Some(row) = rows.next().await? {
            titles.push(row.title);
        }
        let attempts = AtomicU32::new(0);
        let work = collecting.transaction(async |transaction| {
            for (position, title) in titles.iter().enumerate() {
                let inserted = insert(&collecting, transaction, title.clone()).await;
                inserted.map_err(|problem| problem.below(&format!("/{position}")))?;
                conflict(&attempts, position)?;
            }
            Ok(titles.len())
        });
        Ok(Data(work.await?))
    });
    let books = Endpoints::<Book>::new(store, Access::public());
    let api = Api::builder(Configuration::new("books", "1.0.0")).module(&books);
    TestClient::new(api.controller(reading).controller(collecting).build().unwrap())
}

#[test]
fn no_row_is_lost_without_an_error() {
    let csv = "title\r\nEmma\r\nIda\r\nMoby Dick\r\nUlysses\r\n";
    for (path, conflicts, status, stored) in [
        ("/reading", 0, 200, 4),
        // The second attempt would lack two rows.
        ("/reading", 1, 500, 0),
        ("/collecting", 0, 200, 4),
        ("/collecting", 1, 200, 4),
        ("/collecting", 5, 200, 4),
    ] {
        let client = client(conflicts);
        client.post(path).body("text/csv", csv).send().assert_status(status);
        let books = client.get("/books").send().json::<Value>();
        assert_eq!(books["data"].as_array().unwrap().len(), stored, "{path} {conflicts}");
    }
    let twice = client(0).post("/collecting").body("text/csv", "title\r\nEmma\r\nEmma\r\n").send();
    assert_eq!(twice.assert_status(409).json::<Value>()["errors"][0]["pointer"], "/1/title");
}
