//! A database for each store of a test.

use std::time::Duration;

use restwright_core::{Component, ComponentError};
use restwright_sql::SqlStore;
use tokio::runtime::Builder;

use crate::databases::{PostgresSchema, SqliteFile};

const PATIENCE: Duration = Duration::from_mins(1);

/// The kind of a database.
#[derive(Clone, Copy)]
pub(crate) enum DatabaseKind {
    Sqlite,
    Postgres,
}

impl DatabaseKind {
    /// Returns the kind that `RESTWRIGHT_DATABASE` names: `sqlite` by default, or `postgres`.
    pub(crate) fn selected() -> Self {
        match std::env::var("RESTWRIGHT_DATABASE").as_deref() {
            Ok("postgres") => Self::Postgres,
            Ok("sqlite") | Err(_) => Self::Sqlite,
            Ok(other) => panic!("RESTWRIGHT_DATABASE must be `sqlite` or `postgres`, not `{other}`"),
        }
    }
}

/// A database, which is deleted with its last handle.
pub(crate) enum Database {
    Sqlite(SqliteFile),
    Postgres(Option<PostgresSchema>),
}

impl Database {
    /// Opens a database. Without a URL of PostgreSQL, uses SQLite.
    pub(crate) fn open(kind: DatabaseKind) -> Self {
        let schema = match kind {
            DatabaseKind::Sqlite => None,
            DatabaseKind::Postgres => wait(PostgresSchema::new),
        };
        schema.map_or_else(|| Self::Sqlite(SqliteFile::new()), |schema| Self::Postgres(Some(schema)))
    }

    pub(crate) fn store(&self) -> SqlStore {
        let url = match self {
            Self::Sqlite(file) => file.url(),
            Self::Postgres(schema) => {
                let url = schema.as_ref().map(PostgresSchema::url).unwrap_or_default();
                // Commits do not wait for the disk.
                format!("{url}%20-csynchronous_commit%3Doff")
            }
        };
        // The limits are long, because these tests do not check them and the machine may be busy.
        SqlStore::new(url).migrate().statement_timeout(PATIENCE).wait(PATIENCE)
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        if let Self::Postgres(schema) = self
            && let Some(schema) = schema.take()
        {
            wait(|| schema.drop());
        }
    }
}

/// Starts a store like an Api.
pub(crate) async fn start(store: &SqlStore) -> Result<(), ComponentError> {
    store.start().await
}

/// Waits for a future on a separate thread, so it also works within a runtime.
fn wait<T: Send, F: Future<Output = T>>(make: impl FnOnce() -> F + Send) -> T {
    std::thread::scope(|scope| {
        let waits = || Builder::new_current_thread().enable_all().build().unwrap().block_on(make());
        scope.spawn(waits).join().unwrap()
    })
}
