//! Classifies the errors that a statement on a table or a commit causes.

#[cfg(feature = "postgres")]
mod postgres;
#[cfg(feature = "sqlite")]
mod sqlite;

use crate::driver::{Database, DriverError, FailureKind};
use crate::table::Table;

/// Classifies an error that a statement on a table caused.
pub(crate) fn failure_of(error: &DriverError, table: &Table) -> FailureKind {
    match error {
        #[cfg(feature = "sqlite")]
        DriverError::Sqlite { code, message } => sqlite::failure_of(*code, message, table),
        #[cfg(feature = "postgres")]
        DriverError::Postgres(sqlx::Error::Database(error)) => postgres::failure_of(error.as_ref(), table),
        _ => table.dialect.database.failure(error),
    }
}

/// Classifies an error of a commit, which deferred constraints and triggers may cause.
pub(crate) fn failure_of_commit(database: Database, error: &DriverError) -> FailureKind {
    match error {
        #[cfg(feature = "postgres")]
        DriverError::Postgres(sqlx::Error::Database(error)) => postgres::failure_of_commit(error.as_ref()),
        _ => database.failure(error),
    }
}
