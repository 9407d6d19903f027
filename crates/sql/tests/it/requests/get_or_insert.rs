//! Entities that several transactions insert if there is none.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use restwright::auth::Access;
use restwright::prelude::*;
use restwright_resource::{Endpoints, EntityStore, HookContext, Hooks, Repository, Resource, Scope};
use restwright_sql::SqlStore;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::outbox::on_postgres;
use super::server::{send, with_server};
use crate::databases::SqliteFile;
use crate::tables::database::{on_each, start};

/// The last number of a series of orders.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Resource)]
#[resource(path = "/counters", unique(series, year))]
struct Counter {
    #[property(id)]
    id: i64,
    series: String,
    year: Option<i64>,
    last: i64,
}

/// The last number of a series in all years or in one year.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Resource)]
#[resource(path = "/totals", unique(series, year, nulls = equal))]
struct Total {
    #[property(id)]
    id: i64,
    series: String,
    year: Option<i64>,
}

/// An order with the next number of its series.
#[derive(Clone, Debug, Serialize, Deserialize, Resource)]
#[resource(path = "/orders")]
struct Order {
    #[property(id)]
    id: i64,
    series: String,
    #[property(read_only)]
    number: i64,
}

fn counter(series: &str, year: Option<i64>) -> Counter {
    Counter { id: 0, series: series.to_owned(), year, last: 0 }
}

struct Numbers;

impl Hooks<Order> for Numbers {
    async fn before_create(&self, context: &mut HookContext<'_>, order: &mut Order) -> Result<()> {
        let mut counters = context.store::<Counter>();
        let found = counters.get_or_insert(counter(&order.series, Some(2026))).await?;
        let counter = Counter { last: found.entity.last + 1, ..found.entity };
        order.number = counters.update(counter, Some(found.version)).await?.last;
        // The transaction is open while other requests look for the counter.
        tokio::time::sleep(Duration::from_millis(20)).await;
        Ok(())
    }
}

/// Creates eight orders together. Each has another number of the series.
fn check_hooks(store: &SqlStore) {
    let orders = Endpoints::<Order>::new(store.clone(), Access::public()).hooks(Numbers);
    let counters = Endpoints::<Counter>::new(store.clone(), Access::public());
    let api = Api::builder(Configuration::new("shop", "1.0.0")).module(&orders).module(&counters).build().unwrap();
    with_server(api, 2, |address| {
        let create = || send(address, "POST /orders", &json!({"series": "A"}).to_string());
        let responses: Vec<_> = thread::scope(|scope| {
            let clients: Vec<_> = (0..8).map(|_| scope.spawn(create)).collect();
            clients.into_iter().map(|client| client.join().unwrap()).collect()
        });
        assert!(responses.iter().all(|(status, _)| *status == 201), "{responses:?}");
        let (_, listed) = send(address, "GET /orders", "");
        let listed: Value = serde_json::from_str(&listed).unwrap();
        let numbers: BTreeSet<_> =
            listed["data"].as_array().unwrap().iter().map(|order| order["number"].as_i64().unwrap()).collect();
        assert_eq!(numbers, (1..=8).collect());
    });
}

#[test]
fn concurrent_hooks_share_a_new_counter_on_sqlite() {
    let file = SqliteFile::new();
    check_hooks(&SqlStore::new(file.url()).migrate());
}

#[test]
fn concurrent_hooks_share_a_new_counter_on_postgresql() {
    on_postgres(|schema| check_hooks(&SqlStore::new(schema.url()).migrate()));
}

#[tokio::test]
async fn returns_the_stored_entity_or_inserts_one() {
    on_each(async |database| {
        let store = database.migrating(&[Counter::definition()]);
        start(&store).await.unwrap();
        let scope = Scope::new();
        let mut counters = EntityStore::<Counter>::new(&store, &scope);
        let first = counters.get_or_insert(counter("A", Some(2026))).await.unwrap();
        let again = Counter { last: 7, ..counter("A", Some(2026)) };
        assert_eq!(counters.get_or_insert(again).await.unwrap(), first);
        let other = counters.get_or_insert(counter("A", Some(2027))).await.unwrap();
        assert_ne!(other.entity.id, first.entity.id);
        assert_eq!(counters.find(&other.entity.id).await.unwrap(), Some(other));
        // Null equals nothing, so no entity could be found.
        assert_eq!(counters.get_or_insert(counter("A", None)).await.unwrap_err().status(), 500);
        assert_eq!(counters.count(&()).await.unwrap(), 2);
    })
    .await;
}

/// A tag. Its name is unique regardless of case.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Resource)]
#[resource(path = "/tags")]
struct Tag {
    #[property(id)]
    id: i64,
    #[property(unique(ignore_case))]
    name: String,
}

#[tokio::test]
async fn finds_a_string_regardless_of_case() {
    on_each(async |database| {
        let store = database.migrating(&[Tag::definition()]);
        start(&store).await.unwrap();
        let scope = Scope::new();
        let mut tags = EntityStore::<Tag>::new(&store, &scope);
        let tag = |name: &str| Tag { id: 0, name: name.to_owned() };
        // More than a page of longer strings that start and end alike.
        for number in 0..120 {
            tags.insert(tag(&format!("É{number}é"))).await.unwrap();
        }
        let first = tags.get_or_insert(tag("é")).await.unwrap();
        assert_eq!(tags.get_or_insert(tag("É")).await.unwrap(), first);
        let empty = tags.get_or_insert(tag("")).await.unwrap();
        assert_eq!(tags.get_or_insert(tag("")).await.unwrap(), empty);
        assert_eq!(tags.count(&()).await.unwrap(), 122);
    })
    .await;
}

#[tokio::test]
async fn finds_null_if_it_is_equal_to_null() {
    on_each(async |database| {
        let store = database.migrating(&[Total::definition()]);
        start(&store).await.unwrap();
        let scope = Scope::new();
        let mut totals = EntityStore::<Total>::new(&store, &scope);
        let total = |year| Total { id: 0, series: "A".to_owned(), year };
        let all = totals.get_or_insert(total(None)).await.unwrap();
        let one = totals.get_or_insert(total(Some(2026))).await.unwrap();
        assert_ne!(one.entity.id, all.entity.id);
        assert_eq!(totals.get_or_insert(total(None)).await.unwrap(), all);
        assert_eq!(totals.get_or_insert(total(Some(2026))).await.unwrap(), one);
        assert_eq!(totals.count(&()).await.unwrap(), 2);
    })
    .await;
}

/// A transaction that began before another insert committed does not see the inserted entity, and cannot insert it either.
#[tokio::test]
async fn an_insert_after_the_begin_of_a_transaction_repeats_it() {
    on_each(async |database| {
        let store = database.migrating(&[Counter::definition()]);
        start(&store).await.unwrap();
        let (scope, attempts) = (Scope::new(), AtomicUsize::new(0));
        let found = store.transaction(async |transaction| {
            let attempt = attempts.fetch_add(1, Ordering::Relaxed);
            let mut counters = EntityStore::<Counter>::new(&store, &scope).within(transaction);
            counters.count(&()).await?;
            // On SQLite, the transaction is the only writer.
            if attempt == 0 && database.is_postgres() {
                EntityStore::<Counter>::new(&store, &scope).insert(counter("A", Some(2026))).await?;
            }
            counters.get_or_insert(counter("A", Some(2026))).await
        });
        assert_eq!(found.await.unwrap().entity.series, "A");
        assert_eq!(attempts.load(Ordering::Relaxed), if database.is_postgres() { 2 } else { 1 });
        assert_eq!(EntityStore::<Counter>::new(&store, &scope).count(&()).await.unwrap(), 1);
    })
    .await;
}
