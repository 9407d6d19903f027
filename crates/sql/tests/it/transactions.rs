//! Transactions of the application, which run again after a conflict.

use std::num::NonZeroU32;
use std::task::Poll;
use std::time::{Duration, Instant};

use restwright::prelude::*;
use restwright_core::Component;
use restwright_list::ValueType;
use restwright_resource::{EntityStore, MemoryStore, Repository, Scope, Store, StoreError, Transaction};
use restwright_sql::{SqlStatements, SqlStore};
use sea_query::{Expr, Query};
use serde::{Deserialize, Serialize};
use tokio::task::{JoinSet, LocalSet};

use crate::databases::{PostgresSchema, SqliteFile};

const TRANSFERS: i64 = 64;

/// An account.
#[derive(Clone, Debug, Serialize, Deserialize, Resource)]
#[resource(path = "/accounts")]
struct Account {
    #[property(id(given), max_length = 20)]
    name: String,
    balance: i64,
}

async fn book<S: Store + Clone>(store: &S, transaction: &mut Transaction, name: &str, amount: i64) -> Result<()> {
    let mut accounts = EntityStore::<Account>::new(store, &Scope::new()).within(transaction);
    let found = accounts.find(&name.to_owned()).await?;
    let mut account = found.ok_or_else(|| Problem::not_found("There is no such account."))?.entity;
    account.balance += amount;
    accounts.update(account, None).await.map(drop)
}

/// Books an amount from one account to another.
async fn transfer<S: Store + Clone>(store: &S, from: &str, to: &str, amount: i64) -> Result<()> {
    store
        .transaction(async |transaction| {
            book(store, transaction, from, -amount).await?;
            book(store, transaction, to, amount).await
        })
        .await
}

async fn balance<S: Store + Clone>(store: &S, name: &str) -> i64 {
    let found = EntityStore::<Account>::new(store, &Scope::new()).find(&name.to_owned()).await;
    found.unwrap().unwrap().entity.balance
}

/// Runs concurrent transfers in opposite orders, and returns the longest duration of one.
async fn transfers_in_opposite_orders_are_all_made<S: Store + Clone>(store: &S) -> Duration {
    for name in ["a", "b"] {
        let account = Account { name: name.to_owned(), balance: 0 };
        EntityStore::new(store, &Scope::new()).insert(account).await.unwrap();
    }
    let local = LocalSet::new();
    let made = local.run_until(async {
        let mut transfers = JoinSet::new();
        for number in 0..TRANSFERS {
            let store = store.clone();
            transfers.spawn_local(async move {
                let began = Instant::now();
                let (from, to) = if number % 2 == 0 { ("a", "b") } else { ("b", "a") };
                transfer(&store, from, to, number).await.unwrap();
                began.elapsed()
            });
        }
        transfers.join_all().await
    });
    let longest = made.await.into_iter().max().unwrap();
    // Half of the transfers move an even number, and the others the next odd number.
    assert_eq!((balance(store, "a").await, balance(store, "b").await), (TRANSFERS / 2, -TRANSFERS / 2));
    longest
}

#[tokio::test]
async fn transfers_in_opposite_orders_succeed_on_each_store() {
    transfers_in_opposite_orders_are_all_made(&MemoryStore::new()).await;
    let (one, other) = (SqliteFile::new(), SqliteFile::new());
    // On a busy machine, a transfer waits longer for the writer than the default of two seconds.
    let wait = Duration::from_secs(30);
    let sqlite = one.store().migrate().wait(wait);
    sqlite.declare(&Account::definition()).unwrap();
    sqlite.start().await.unwrap();
    transfers_in_opposite_orders_are_all_made(&sqlite).await;
    let either = SqlStore::new(other.url()).migrate().wait(wait);
    either.declare(&Account::definition()).unwrap();
    either.start().await.unwrap();
    transfers_in_opposite_orders_are_all_made(&either).await;
}

/// Each transfer waits for a row that the other has changed. PostgreSQL detects this only after a second.
async fn on_postgres(change: impl FnOnce(SqlStore) -> SqlStore) {
    let Some(schema) = PostgresSchema::new().await else { return };
    let store = change(schema.store().migrate());
    store.declare(&Account::definition()).unwrap();
    store.start().await.unwrap();
    let longest = transfers_in_opposite_orders_are_all_made(&store).await;
    println!("the longest of {TRANSFERS} transfers took {longest:?}");
    assert!(longest < Duration::from_secs(60), "{longest:?}");
    store.stop().await;
    schema.drop().await;
}

#[tokio::test]
async fn transfers_in_opposite_orders_succeed_on_postgres() {
    on_postgres(|store| store).await;
}

#[tokio::test]
async fn serializable_transfers_in_opposite_orders_succeed() {
    on_postgres(SqlStore::serializable).await;
}

#[tokio::test]
async fn work_that_fails_changes_nothing() {
    let store = MemoryStore::new();
    let insert = async |transaction: &mut _| {
        let account = Account { name: "a".to_owned(), balance: 1 };
        EntityStore::<Account>::new(&store, &Scope::new()).within(transaction).insert(account).await?;
        Err::<(), _>(Problem::not_found("There is no such account."))
    };
    assert_eq!(store.transaction(insert).await.unwrap_err().status().as_u16(), 404);
    assert_eq!(EntityStore::<Account>::new(&store, &Scope::new()).count(&()).await.unwrap(), 0);
}

/// A conflict of the work's own statements counts too, and is not an error of the service.
#[tokio::test]
async fn work_that_conflicts_in_every_attempt_is_unavailable() {
    let (store, runs) = (MemoryStore::new(), std::cell::Cell::new(0));
    let work = async |_: &mut _| {
        runs.set(runs.get() + 1);
        Err::<(), _>(Problem::internal(StoreError::TransactionConflict))
    };
    assert_eq!(store.transaction(work).await.unwrap_err().status().as_u16(), 503);
    assert_eq!(runs.get(), 32);
}

/// Begins a transaction, and drops it after its future was polled this many times.
async fn drop_after<S: Store + Clone>(store: &S, polls: usize) {
    let mut begin = Box::pin(store.begin());
    for _ in 0..polls {
        let poll = std::future::poll_fn(|context| Poll::Ready(begin.as_mut().poll(context).is_ready()));
        if poll.await {
            return;
        }
        // The database responds during this time.
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}

#[tokio::test]
async fn a_dropped_begin_leaves_no_open_transaction() {
    let file = SqliteFile::new();
    let sqlite = file.store().migrate();
    sqlite.declare(&Account::definition()).unwrap();
    sqlite.start().await.unwrap();
    for polls in 1..20 {
        drop_after(&sqlite, polls).await;
        // The writer is free again.
        EntityStore::new(&sqlite, &Scope::new())
            .insert(Account { name: polls.to_string(), balance: 0 })
            .await
            .unwrap_or_else(|problem| panic!("{polls}: {problem}"));
    }
    let Some(schema) = PostgresSchema::new().await else { return };
    let name = format!("{}_begin", schema.name);
    let store = SqlStore::new(format!("{}&application_name={name}", schema.url())).transaction_pooler();
    for polls in 1..20 {
        drop_after(&store, polls).await;
    }
    let other = schema.store();
    let pool = other.postgres_pool().unwrap();
    let sql = "SELECT count(*) FROM pg_stat_activity WHERE application_name = $1 AND xact_start IS NOT NULL";
    let began = Instant::now();
    loop {
        let open: i64 = sqlx::query_scalar(sql).bind(&name).fetch_one(&pool).await.unwrap();
        if open == 0 {
            break;
        }
        assert!(began.elapsed() < Duration::from_secs(60), "{open} transactions are open");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let sql = "SELECT count(*) FROM pg_stat_activity WHERE application_name = $1";
    let sessions: i64 = sqlx::query_scalar(sql).bind(&name).fetch_one(&pool).await.unwrap();
    assert!(sessions > 0, "no session has the name");
    store.stop().await;
    schema.drop().await;
}

/// A transaction of another database would write to its table of the same name.
#[tokio::test]
async fn a_statement_rejects_the_transaction_of_another_store() {
    let files = [SqliteFile::new(), SqliteFile::new()];
    let stores = files.each_ref().map(|file| file.store().migrate());
    for store in &stores {
        store.declare(&Account::definition()).unwrap();
        store.start().await.unwrap();
    }
    let [one, other] = &stores;
    let scope = Scope::new();
    let mut transaction = one.begin().await.unwrap();
    let account = Account { name: "a".to_owned(), balance: 1 };
    let inserted = EntityStore::new(other, &scope).within(&mut transaction).insert(account).await;
    let error = std::error::Error::source(&inserted.unwrap_err()).map(ToString::to_string).unwrap_or_default();
    assert!(error.contains("the transaction belongs to another store"), "{error}");
    let error = transaction.postgres().map(drop).unwrap_err();
    let error = std::error::Error::source(&error).map(ToString::to_string).unwrap_or_default();
    assert!(error.contains("the transaction is not on PostgreSQL; use a store on PostgreSQL"), "{error}");
    // No statement ran in the transaction, so it has not failed.
    let account = Account { name: "b".to_owned(), balance: 1 };
    EntityStore::new(one, &scope).within(&mut transaction).insert(account).await.unwrap();
    one.commit(transaction).await.unwrap();
    for (store, expected) in stores.iter().zip([1, 0]) {
        assert_eq!(EntityStore::<Account>::new(store, &scope).count(&()).await.unwrap(), expected);
        Component::stop(store).await;
    }
}

/// A connection that the application may still use is closed.
#[tokio::test]
async fn the_connection_of_another_database_does_not_close_the_connection() {
    let Some(schema) = PostgresSchema::new().await else { return };
    let store = schema.store().connections(NonZeroU32::MIN);
    let mut processes = Vec::new();
    for _ in 0..3 {
        let mut transaction = store.begin().await.unwrap();
        let process = Query::select().expr(Expr::cust("pg_backend_pid()")).to_owned();
        let rows = transaction.fetch(&process).await.unwrap();
        processes.push(rows[0].value(0, ValueType::Integer).unwrap());
        // A later statement would show that no other statement runs.
        assert!(transaction.with_sqlite(|_connection| Ok(())).await.is_err());
    }
    assert!(processes.iter().all(|process| *process == processes[0]), "{processes:?}");
    Component::stop(&store).await;
    schema.drop().await;
}
