//! `pages`: the first page and a far one by cursor, compared with each other.
//!
//! `restwright-soak pages [--database sqlite|postgres] [--rows N] [--page N] [--rounds N]`: a table of 1,000,000 rows, sorted by one field, whose
//! pages of 20 are read to page 5,000. Both pages are then requested in turns; the client measures the time of each request, so that
//! the work of PostgreSQL is in it, and the median counts.

use std::process::ExitCode;
use std::time::{Duration, Instant};

use restwright::prelude::*;
use serde::{Deserialize, Serialize};
use sqlx::{Connection, PgConnection, SqliteConnection};
use uuid::Uuid;

use crate::database::Database;
use crate::http::Client;
use crate::process::Server;

/// The most that the far page may take of what the first one does.
const MOST: f64 = 1.2;

/// A row with a place in the order, which 10 rows share.
#[derive(Clone, Deserialize, Serialize, Resource)]
#[resource(path = "/places", table = "places", pagination = cursor(default = 20, max = 100))]
pub struct Place {
    #[property(id)]
    id: Uuid,
    #[property(max_length = 100)]
    name: String,
    #[property(sort(default = asc))]
    number: i64,
}

pub fn run(options: &[&str]) -> ExitCode {
    let option = |name: &str| options.chunks(2).find(|pair| pair[0] == name).and_then(|pair| pair.get(1).copied());
    let number = |name: &str, default: u32| option(name).map_or(default, |text| text.parse().expect("a number"));
    let (rows, page, rounds) = (number("--rows", 1_000_000), number("--page", 5_000), number("--rounds", 2_000));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let mut is_broken = false;
    for kind in ["sqlite", "postgres"].into_iter().filter(|kind| option("--database").is_none_or(|one| one == *kind)) {
        let Some(database) = runtime.block_on(Database::new(kind)) else { continue };
        let (first, far) = runtime.block_on(measure(&database, rows, page, rounds));
        let ratio = far.as_secs_f64() / first.as_secs_f64();
        let broken = if ratio > MOST { "BROKEN " } else { "" };
        println!("{broken}pages on {kind}: of {rows} rows page 1 takes {first:.1?}, page {page} {far:.1?}: {ratio:.2}");
        is_broken |= ratio > MOST;
        runtime.block_on(database.remove());
    }
    ExitCode::from(u8::from(is_broken))
}

async fn measure(database: &Database, rows: u32, page: u32, rounds: u32) -> (Duration, Duration) {
    let url = database.url();
    let server = Server::start("speed", "places", &url);
    let mut client = server.client();
    let first = "/places".to_owned();
    // With its first response, the server has made the table with its index.
    client.get(&first).await.expect("a response");
    fill(database, rows).await;
    let mut far = first.clone();
    for _ in 1..page {
        let response = client.get(&far).await.expect("a response");
        let body = response.json();
        let next = body["pagination"]["next_cursor"].as_str();
        far = format!("/places?cursor={}", next.unwrap_or_else(|| panic!("no next page: {body}")));
    }
    let listed = client.get(&far).await.expect("a response").json();
    let expected = u64::from(page - 1) * 20 / 10 + 1;
    assert_eq!(listed["data"][0]["number"].as_u64(), Some(expected), "page {page}: {listed}");
    let (mut times, mut far_times) = (Vec::new(), Vec::new());
    for _ in 0..rounds {
        times.push(time(&mut client, &first).await);
        far_times.push(time(&mut client, &far).await);
    }
    (median(times), median(far_times))
}

async fn time(client: &mut Client, path: &str) -> Duration {
    let start = Instant::now();
    let response = client.get(path).await.expect("a response");
    assert_eq!(response.status, 200);
    start.elapsed()
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

/// Inserts rows in an order that is not theirs.
async fn fill(database: &Database, rows: u32) {
    let mixed = format!("i * 7919 % {rows}");
    match database {
        Database::Sqlite { .. } => {
            // Without `analyze`, which nobody runs for an application: behind it, SQLite plans a statement anew for each value.
            let statement = format!(
                "with recursive numbers(i) as (select 1 union all select i + 1 from numbers where i < {rows})
                 insert into places (id, name, number)
                 select unhex(printf('0190%028x', i)), 'Place ' || i, {mixed} / 10 + 1 from numbers; pragma wal_checkpoint(truncate)"
            );
            let mut connection = SqliteConnection::connect(&database.url()).await.expect("the database opens");
            sqlx::raw_sql(sqlx::AssertSqlSafe(statement)).execute(&mut connection).await.expect("the table is filled");
            connection.close().await.expect("the database closes");
        }
        Database::Postgres { .. } => {
            let statement = format!(
                "insert into places (id, name, number)
                 select ('0190' || lpad(to_hex(i), 28, '0'))::uuid, 'Place ' || i, {mixed} / 10 + 1
                 from (select generate_series(1::bigint, {rows}) as i) as numbers; vacuum analyze places"
            );
            let mut connection = PgConnection::connect(&database.url()).await.expect("the database opens");
            for statement in statement.split("; ") {
                let ran = sqlx::raw_sql(sqlx::AssertSqlSafe(statement.to_owned())).execute(&mut connection).await;
                ran.expect("the table is filled");
            }
        }
    }
}
