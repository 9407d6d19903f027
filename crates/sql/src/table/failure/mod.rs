//! Classifies the errors that a statement on a table or a commit causes.

#[cfg(feature = "postgres")]
mod postgres;
#[cfg(feature = "sqlite")]
mod sqlite;

use crate::driver::{Database, FailureKind};
use crate::table::Table;

/// Classifies an error that a statement on a table caused.
pub(crate) fn failure_of(error: &sqlx::Error, table: &Table) -> FailureKind {
    let database = table.dialect.database;
    match (database, error) {
        #[cfg(feature = "sqlite")]
        (Database::Sqlite, sqlx::Error::Database(error)) => sqlite::failure_of(error.as_ref(), table),
        #[cfg(feature = "postgres")]
        (Database::Postgres, sqlx::Error::Database(error)) => postgres::failure_of(error.as_ref(), table),
        _ => database.failure(error),
    }
}

/// Classifies an error of a commit, which deferred constraints and triggers may cause.
pub(crate) fn failure_of_commit(database: Database, error: &sqlx::Error) -> FailureKind {
    match (database, error) {
        #[cfg(feature = "postgres")]
        (Database::Postgres, sqlx::Error::Database(error)) => postgres::failure_of_commit(error.as_ref()),
        _ => database.failure(error),
    }
}
