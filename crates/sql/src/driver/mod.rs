//! Runs statements with sqlx, on SQLite or on PostgreSQL, and converts the values of rows.

mod advice;
mod cell;
mod connection;
mod database;
mod failure_kind;
#[cfg(feature = "postgres")]
mod numeric;
#[cfg(feature = "postgres")]
pub(crate) mod postgres;
mod row;
#[cfg(feature = "sqlite")]
mod sortable_decimal;
#[cfg(feature = "sqlite")]
pub(crate) mod sqlite;

pub(crate) use cell::Cell;
pub(crate) use connection::Connection;
pub use database::Database;
pub(crate) use failure_kind::{FailureKind, message, store_error};
pub use row::SqlRow;
