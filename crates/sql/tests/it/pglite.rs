//! A store on PGlite, which is PostgreSQL 18 in WebAssembly with one connection at a time.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use std::{fs, net};

use restwright_conformance::{definitions, store_conformance};
use restwright_sql::SqlStore;
use sqlx::PgPool;
use sqlx::postgres::PgPoolOptions;

use crate::conformance::{WAIT, start};

/// The path where `.ci/run` installs the server, relative to the folder of builds.
const SERVER: &str = "ci/pglite/node_modules/@electric-sql/pglite-socket/dist/scripts/server.js";

/// A database in the memory of a process. It ends with the test.
struct PgLite {
    process: Child,
    port: u16,
}

impl PgLite {
    /// Starts the server. Returns `None` if it is not installed.
    fn start() -> Option<Self> {
        let builds = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
        let Ok(server) = fs::canonicalize(builds.join(SERVER)) else {
            restwright_tests::skip("PGlite is not installed");
            return None;
        };
        let port = net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let mut command = Command::new("node");
        command.arg(server).arg("--host=127.0.0.1").arg(format!("--port={port}"));
        let process = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        Some(Self { process, port })
    }

    /// Returns a pool with the only connection of the server, once the server listens.
    async fn pool(&self) -> PgPool {
        let started = Instant::now();
        loop {
            // A loaded machine needs seconds for the first connection. The store limits its waits itself.
            let options = PgPoolOptions::new().max_connections(1).acquire_timeout(Duration::from_secs(20));
            match options.connect(&self.url()).await {
                Ok(pool) => return pool,
                Err(error) => assert!(started.elapsed() < Duration::from_mins(3), "PGlite does not listen: {error}"),
            }
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
    }

    fn url(&self) -> String {
        format!("postgres://postgres@127.0.0.1:{}/postgres?sslmode=disable", self.port)
    }
}

impl Drop for PgLite {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[tokio::test]
async fn a_store_on_pglite_fails_only_where_a_second_connection_reads() {
    let Some(pglite) = PgLite::start() else { return };
    let store = SqlStore::from_postgres_pool(pglite.pool().await).wait(WAIT * 5).migrate();
    start(&store).await;
    let tables: Vec<_> = definitions().iter().map(|definition| definition.name().to_owned()).collect();
    let empty = format!("TRUNCATE {} RESTART IDENTITY CASCADE", tables.join(", "));
    let make = async || {
        let empty = sqlx::raw_sql(sqlx::AssertSqlSafe(empty.clone()));
        empty.execute(&store.postgres_pool().unwrap()).await.unwrap();
        store.clone()
    };
    let failed = store_conformance(make).await.unwrap_err();
    let names: Vec<_> = failed.iter().map(|(name, _)| name).collect();
    // A read outside of the transaction waits for the only connection, which the transaction holds.
    let expected =
        ["transactions: uncommitted changes are invisible to others", "random steps: reads during a transaction"];
    assert_eq!(names, expected, "{failed}");
}
