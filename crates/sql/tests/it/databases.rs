//! A database for each test.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};

use restwright_sql::SqlStore;

/// An SQLite database in a file, which is deleted after the test.
pub(crate) struct SqliteFile(PathBuf);

impl SqliteFile {
    pub(crate) fn new() -> Self {
        let name = format!("restwright-{}.db", unique());
        Self(std::env::temp_dir().join(name))
    }

    pub(crate) fn url(&self) -> String {
        format!("sqlite://{}", self.0.display())
    }

    pub(crate) fn store(&self) -> SqlStore {
        SqlStore::new(self.url())
    }
}

impl Drop for SqliteFile {
    fn drop(&mut self) {
        for suffix in ["", "-wal", "-shm"] {
            let _ = std::fs::remove_file(format!("{}{suffix}", self.0.display()));
        }
    }
}

/// A schema of PostgreSQL, which is dropped at the end of a test.
pub(crate) struct PostgresSchema {
    url: String,
    pub(crate) name: String,
}

impl PostgresSchema {
    /// Creates a schema. Returns `None` if `POSTGRES_URL` does not contain the URL of a database.
    pub(crate) async fn new() -> Option<Self> {
        let url = restwright_tests::environment("POSTGRES_URL")?;
        let schema = Self { url, name: format!("restwright_{}", unique()) };
        schema.run(&format!("CREATE SCHEMA {}", schema.name)).await;
        Some(schema)
    }

    /// Creates a schema in a new database, whose locks and transactions no other test sees. Returns `None` without a server.
    pub(crate) async fn in_new_database() -> Option<Self> {
        use sqlx::ConnectOptions;
        let url = restwright_tests::environment("POSTGRES_URL")?;
        let name = format!("restwright_{}", unique());
        Self { url: url.clone(), name: "public".to_owned() }.run(&format!("CREATE DATABASE {name}")).await;
        let options: sqlx::postgres::PgConnectOptions = url.parse().unwrap();
        Some(Self { url: options.database(&name).to_url_lossy().to_string(), name: "public".to_owned() })
    }

    /// Drops the database of `in_new_database`.
    pub(crate) async fn drop_database(self) {
        let options: sqlx::postgres::PgConnectOptions = self.url.parse().unwrap();
        let name = options.get_database().unwrap().to_owned();
        let server = Self { url: restwright_tests::environment("POSTGRES_URL").unwrap(), name: self.name };
        server.run(&format!("DROP DATABASE {name} WITH (FORCE)")).await;
    }

    /// Returns a URL whose connections use the schema and do not wait for the disk.
    pub(crate) fn url(&self) -> String {
        let separator = if self.url.contains('?') { '&' } else { '?' };
        format!("{}{separator}options=-csearch_path%3D{}%20-csynchronous_commit%3Doff", self.url, self.name)
    }

    pub(crate) fn store(&self) -> SqlStore {
        SqlStore::new(self.url())
    }

    /// Runs SQL on a separate connection.
    pub(crate) async fn run(&self, sql: &str) {
        use sqlx::Connection;
        let mut connection = sqlx::PgConnection::connect(&self.url()).await.unwrap();
        let sql = sqlx::AssertSqlSafe(sql.to_owned());
        sqlx::raw_sql(sql).execute(&mut connection).await.unwrap();
        connection.close().await.unwrap();
    }

    pub(crate) async fn drop(self) {
        self.run(&format!("DROP SCHEMA {} CASCADE", self.name)).await;
    }
}

fn unique() -> String {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    format!("{}_{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed))
}
