//! Defines [`Database`], the kind of database that a store uses.

use super::driver_error::DriverError;
#[cfg(feature = "postgres")]
use super::postgres;
#[cfg(feature = "sqlite")]
use super::sqlite;
use super::{FailureKind, advice};

/// A kind of database. The URL of a [`SqlStore`](crate::SqlStore) selects it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Database {
    /// SQLite, in a file or in memory.
    ///
    /// The file has a write-ahead log. A write is on disk before its response (`synchronous = FULL`). Writes wait for the single writer in a bounded
    /// queue, and readers never wait. SQLite stores dates as strings such as `2024-02-29`, date-times as microseconds since 1970, UUIDs as 16 bytes,
    /// and decimals as sortable strings.
    #[cfg(feature = "sqlite")]
    Sqlite,
    /// PostgreSQL or a compatible database. The guide on scaling out covers compatible databases.
    ///
    /// Each worker has its own connections. Transactions are `REPEATABLE READ`, and run again after a conflict.
    #[cfg(feature = "postgres")]
    Postgres,
}

impl Database {
    /// Returns the database that a URL selects.
    pub(crate) fn of(url: &str) -> Self {
        match url.starts_with("postgres://") || url.starts_with("postgresql://") {
            #[cfg(feature = "postgres")]
            true => Self::Postgres,
            #[cfg(feature = "sqlite")]
            false => Self::Sqlite,
            // Parsing the URL then fails, and the error names the feature.
            #[cfg(not(feature = "postgres"))]
            true => Self::Sqlite,
            #[cfg(not(feature = "sqlite"))]
            false => Self::Postgres,
        }
    }

    /// Returns the name of the product for messages and component names, such as `SQLite`.
    pub(crate) fn name(self) -> &'static str {
        match self {
            #[cfg(feature = "sqlite")]
            Self::Sqlite => "SQLite",
            #[cfg(feature = "postgres")]
            Self::Postgres => "PostgreSQL",
        }
    }

    /// Classifies an error that is not tied to a table, such as a lost connection.
    pub(crate) fn failure(self, error: &DriverError) -> FailureKind {
        match error {
            #[cfg(feature = "sqlite")]
            DriverError::Sqlite { code, .. } => sqlite::failure(*code),
            #[cfg(feature = "postgres")]
            DriverError::Postgres(error) => postgres::failure_of_driver(error),
            DriverError::Unavailable(_) => FailureKind::Unavailable,
            DriverError::Column { .. } | DriverError::Other(_) => FailureKind::Other,
        }
    }

    /// Returns advice on which setting of the store to change, for an error message. Returns `None` if no setting helps.
    fn advice(self, error: &DriverError) -> Option<&'static str> {
        match error {
            #[cfg(feature = "sqlite")]
            DriverError::Sqlite { code, .. } => advice::for_sqlite(*code),
            #[cfg(feature = "postgres")]
            DriverError::Postgres(error) => advice::for_postgres(error),
            _ => None,
        }
    }

    /// Adds advice to an error message if a setting of the store can prevent the error.
    pub(crate) fn advised(self, error: DriverError) -> DriverError {
        match self.advice(&error) {
            Some(advice) => DriverError::Other(format!("{error}; {advice}")),
            None => error,
        }
    }

    /// Returns the message of a database error, followed by advice if a setting can prevent the error.
    pub(crate) fn advised_message(self, error: &DriverError) -> String {
        let message = error.message();
        match self.advice(error) {
            Some(advice) => format!("{message}; {advice}"),
            None => message,
        }
    }
}
