//! The databases of scenarios: a file in a temporary folder, or a schema.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use sqlx::{Connection, Row};

static NUMBER: AtomicU32 = AtomicU32::new(0);

/// A database that starts empty and is removed at the end.
pub enum Database {
    Sqlite { folder: PathBuf },
    Postgres { server: String, schema: String },
}

impl Database {
    /// Creates a database of a kind. Returns `None` if there is no server for it.
    pub async fn new(kind: &str) -> Option<Self> {
        let name = format!("soak_{}_{}", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed));
        if kind == "sqlite" {
            let folder = std::env::temp_dir().join(name);
            std::fs::create_dir_all(&folder).expect("a temporary folder");
            return Some(Self::Sqlite { folder });
        }
        let server = restwright_tests::environment("POSTGRES_URL")?;
        let database = Self::Postgres { server, schema: name.clone() };
        database.execute(format!("create schema {name}")).await;
        Some(database)
    }

    pub fn kind(&self) -> &'static str {
        match self {
            Self::Sqlite { .. } => "sqlite",
            Self::Postgres { .. } => "postgres",
        }
    }

    /// Returns the URL of the database.
    pub fn url(&self) -> String {
        match self {
            Self::Sqlite { folder } => sqlite_url(folder),
            Self::Postgres { server, schema } => {
                format!("{server}{}options[search_path]={schema}", if server.contains('?') { '&' } else { '?' })
            }
        }
    }

    /// Returns the URL of the database through a proxy.
    pub fn proxied(&self, proxy: std::net::SocketAddr) -> String {
        let upstream = self.upstream();
        self.url().replacen(&upstream, &proxy.to_string(), 1)
    }

    /// Returns the host and port of the server.
    pub fn upstream(&self) -> String {
        let url = self.url();
        let rest = url.split_once("://").map_or("", |(_, rest)| rest);
        let authority = rest.split(['/', '?']).next().unwrap_or_default();
        authority.rsplit('@').next().unwrap_or_default().to_owned()
    }

    /// Returns the errors in the files of the database.
    pub async fn integrity(&self) -> Option<String> {
        let Self::Sqlite { .. } = self else { return None };
        let mut connection = sqlx::SqliteConnection::connect(&self.url()).await.ok()?;
        let row = sqlx::query("pragma integrity_check").fetch_one(&mut connection).await.ok()?;
        Some(row.get::<String, _>(0)).filter(|found| found != "ok")
    }

    async fn execute(&self, statement: String) {
        let Self::Postgres { server, .. } = self else { return };
        let mut connection = sqlx::PgConnection::connect(server).await.expect("POSTGRES_URL responds");
        sqlx::raw_sql(sqlx::AssertSqlSafe(statement)).execute(&mut connection).await.expect("the schema is made");
    }

    pub async fn remove(self) {
        match &self {
            Self::Sqlite { folder } => drop(std::fs::remove_dir_all(folder)),
            Self::Postgres { schema, .. } => self.execute(format!("drop schema {schema} cascade")).await,
        }
    }
}

pub fn sqlite_url(folder: &Path) -> String {
    format!("sqlite://{}?mode=rwc", folder.join("soak.db").display())
}
