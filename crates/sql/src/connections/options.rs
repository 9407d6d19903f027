//! Parses the URL of a database into connection options.

#[cfg(feature = "postgres")]
use sqlx::{ConnectOptions as _, postgres::PgConnectOptions};

#[cfg(feature = "postgres")]
use super::postgres_url;
use crate::driver::Database;
#[cfg(feature = "sqlite")]
use crate::driver::SqliteFile;
#[cfg(feature = "postgres")]
use crate::settings::IDLE_TRANSACTION;
use crate::settings::StoreSettings;

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

/// Returns the path of a SQLite database, for error messages.
#[cfg(feature = "sqlite")]
pub(super) fn file_address(file: &SqliteFile) -> String {
    if file.is_in_memory() { "`:memory:`".to_owned() } else { format!("`{}`", file.path.display()) }
}

/// Returns the address of a PostgreSQL server without credentials, for error messages.
#[cfg(feature = "postgres")]
pub(super) fn server_address(options: &PgConnectOptions) -> String {
    match options.get_socket() {
        Some(folder) => format!("`{}`, port {}", folder.display(), options.get_port()),
        None => format!("`{}:{}`", options.get_host(), options.get_port()),
    }
}
