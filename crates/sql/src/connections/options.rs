//! Parses the URL of a database into connection options.

#[cfg(feature = "sqlite")]
use std::str::FromStr;

use sqlx::ConnectOptions as _;
#[cfg(feature = "postgres")]
use sqlx::postgres::PgConnectOptions;
#[cfg(feature = "sqlite")]
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqliteSynchronous};

#[cfg(feature = "postgres")]
use super::postgres_url;
#[cfg(feature = "sqlite")]
use super::sqlite_url::sqlite_url;
use crate::driver::Database;
#[cfg(feature = "sqlite")]
use crate::driver::message;
#[cfg(feature = "postgres")]
use crate::settings::IDLE_TRANSACTION;
use crate::settings::StoreSettings;

/// Parses the URL of a SQLite database into connection options.
#[cfg(feature = "sqlite")]
pub(super) fn sqlite_options(url: &str, settings: &StoreSettings) -> Result<SqliteConnectOptions, String> {
    let options = SqliteConnectOptions::from_str(&sqlite_url(url)?).map_err(|error| message(&error))?;
    let options = options
        // Only the start creates the file. If the file disappears later, a new one would be empty.
        .create_if_missing(false)
        .foreign_keys(true)
        .busy_timeout(settings.wait)
        .synchronous(SqliteSynchronous::Full)
        .disable_statement_logging();
    // A database in memory does not support the write-ahead log.
    Ok(if is_in_memory(&options) { options } else { options.journal_mode(SqliteJournalMode::Wal) })
}

/// Parses the URL of a PostgreSQL database into connection options.
#[cfg(feature = "postgres")]
pub(super) fn postgres_options(url: &str, settings: &StoreSettings) -> Result<PgConnectOptions, String> {
    let options = postgres_url::options(url)?.disable_statement_logging();
    if settings.is_pooled {
        return Ok(options.statement_cache_capacity(0).extra_float_digits(None));
    }
    let timeout = settings.statement_timeout.as_millis().to_string();
    let idle = IDLE_TRANSACTION.as_millis().to_string();
    Ok(options.options([("statement_timeout", timeout), ("idle_in_transaction_session_timeout", idle)]))
}

/// Returns the names of the parameters of a URL and of the environment that have no effect.
pub(crate) fn ignored(database: Database, url: &str) -> Vec<String> {
    match database {
        #[cfg(feature = "sqlite")]
        Database::Sqlite => Vec::new(),
        #[cfg(feature = "postgres")]
        Database::Postgres => postgres_url::ignored(url),
    }
}

/// Returns `true` if the options describe an in-memory database. Its data is lost when its connection closes.
#[cfg(feature = "sqlite")]
pub(super) fn is_in_memory(options: &SqliteConnectOptions) -> bool {
    let name = options.get_filename().to_string_lossy();
    name.contains(":memory:") || name.contains("sqlx-in-memory") || name.is_empty()
}

/// Returns the path of a SQLite database, for error messages.
#[cfg(feature = "sqlite")]
pub(super) fn file_address(options: &SqliteConnectOptions) -> String {
    format!("`{}`", options.get_filename().display())
}

/// Returns the address of a PostgreSQL server without credentials, for error messages.
#[cfg(feature = "postgres")]
pub(super) fn server_address(options: &PgConnectOptions) -> String {
    match options.get_socket() {
        Some(folder) => format!("`{}`, port {}", folder.display(), options.get_port()),
        None => format!("`{}:{}`", options.get_host(), options.get_port()),
    }
}
