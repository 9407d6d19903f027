//! Runs statements with rusqlite on SQLite and with sqlx on PostgreSQL, and converts the values of rows.

mod advice;
mod cell;
mod connection;
mod database;
mod driver_error;
mod failure_kind;
#[cfg(feature = "sqlite")]
mod group;
#[cfg(feature = "sqlite")]
mod inline_connection;
#[cfg(feature = "postgres")]
mod numeric;
#[cfg(feature = "postgres")]
pub(crate) mod postgres;
mod row;
#[cfg(feature = "sqlite")]
mod sortable_decimal;
#[cfg(feature = "sqlite")]
pub(crate) mod sqlite;
#[cfg(feature = "sqlite")]
mod sqlite_codes;
#[cfg(feature = "sqlite")]
mod sqlite_connection;
#[cfg(feature = "sqlite")]
mod sqlite_row;

use restwright_core::runtime::log;

pub(crate) use cell::Cell;
pub(crate) use connection::Connection;
#[cfg(feature = "postgres")]
pub(crate) use connection::{depth, start_rollback};
pub use database::Database;
pub(crate) use driver_error::DriverError;
pub(crate) use failure_kind::{FailureKind, store_error};
#[cfg(feature = "sqlite")]
pub(crate) use group::{breaks_connection, run_group};
#[cfg(feature = "sqlite")]
pub(crate) use inline_connection::InlineConnection;
pub use row::SqlRow;
#[cfg(feature = "sqlite")]
pub(crate) use sqlite::{ChangeStatement, Changed};
#[cfg(feature = "sqlite")]
pub(crate) use sqlite_connection::{SqliteConnection, SqliteFile};

/// Logs a statement at the level `trace`, without its values.
fn trace(sql: &str) {
    log(|| tracing::trace!(target: "restwright::sql", sql, "a statement runs"));
}
