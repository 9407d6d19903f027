//! Statements on SQLite after their request has been dropped.

use std::num::NonZeroU32;
use std::time::{Duration, Instant};

use restwright::auth::Access;
use restwright::prelude::*;
use restwright_core::Component;
use restwright_resource::{Endpoints, Store};
use restwright_sql::{SqlStatements, SqlStore};
use serde::{Deserialize, Serialize};
use sqlx::{Connection, SqliteConnection};

use super::server::{send, with_server};
use crate::databases::SqliteFile;

/// A statement that takes minutes.
const ENDLESS: &str = "WITH RECURSIVE rows(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM rows WHERE n < 10000000000) \
                       SELECT count(*) FROM rows";

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
}

#[test]
fn a_dropped_request_cancels_its_statement_in_the_database() {
    let file = SqliteFile::new();
    for store in [file.store().connections(NonZeroU32::MIN), SqlStore::new("sqlite::memory:")] {
        runtime().block_on(async {
            store.start().await.unwrap();
            for _ in 0..8 {
                let slow = async {
                    let mut transaction = store.begin().await.unwrap();
                    transaction.with_sqlite(|connection| connection.query_row(ENDLESS, [], |_row| Ok(()))).await
                };
                let began = Instant::now();
                assert!(tokio::time::timeout(Duration::from_millis(50), slow).await.is_err());
                assert!(began.elapsed() < Duration::from_secs(60), "{:?}", began.elapsed());
            }
            let transaction = store.begin().await.unwrap();
            store.commit(transaction).await.unwrap();
        });
    }
}

#[derive(Clone, Debug, Serialize, Deserialize, Resource)]
#[resource(path = "/notes")]
struct Note {
    #[property(id)]
    id: i64,
    #[property(filter(contains))]
    text: String,
}

/// Adds a million notes.
async fn copy_notes(file: &SqliteFile) {
    let mut connection = SqliteConnection::connect(&file.url()).await.unwrap();
    let columns = "SELECT group_concat('notes.' || name) FROM pragma_table_info('notes') WHERE name <> 'id'";
    let columns: String = sqlx::query_scalar(columns).fetch_one(&mut connection).await.unwrap();
    let copy = format!(
        "INSERT INTO notes (id, {}) WITH RECURSIVE rows(n) AS (SELECT 2 UNION ALL SELECT n + 1 FROM rows WHERE n < 1000000) \
         SELECT n, {columns} FROM rows, notes WHERE notes.id = 1",
        columns.replace("notes.", "")
    );
    sqlx::query(sqlx::AssertSqlSafe(copy)).execute(&mut connection).await.unwrap();
    connection.close().await.unwrap();
}

#[test]
fn lists_beyond_their_time_limit_leave_the_connections_to_others() {
    let file = SqliteFile::new();
    let store =
        file.store().migrate().connections(NonZeroU32::new(2).unwrap()).statement_timeout(Duration::from_millis(30));
    let notes = Endpoints::<Note>::new(store, Access::public());
    let api = Api::builder(Configuration::new("notes", "1.0.0")).module(&notes).build().unwrap();
    with_server(api, 1, |address| {
        assert_eq!(send(address, "POST /notes", r#"{"text": "the text of a note"}"#).0, 201);
        runtime().block_on(copy_notes(&file));
        restwright_tests::is_quick("20 lists", Duration::from_secs(3), || {
            let began = Instant::now();
            for _ in 0..20 {
                assert_eq!(send(address, "GET /notes?filter[text][contains]=nothing", "").0, 503);
            }
            assert_eq!(send(address, "GET /notes/1", "").0, 200);
            began.elapsed()
        });
    });
}
