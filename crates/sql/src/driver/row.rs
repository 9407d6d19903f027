//! Defines [`SqlRow`], a row from SQLite or PostgreSQL.

use std::fmt;

use restwright_list::{Value, ValueType};
use restwright_resource::StoreError;
#[cfg(feature = "postgres")]
use sqlx::{Row as _, postgres::PgRow};

use super::cell::Cell;
use super::driver_error::DriverError;
#[cfg(feature = "postgres")]
use super::postgres;
#[cfg(feature = "sqlite")]
use super::sqlite_row;

/// A row that [`SqlStatements::fetch`](crate::SqlStatements::fetch) returns.
pub struct SqlRow(Kind);

enum Kind {
    #[cfg(feature = "sqlite")]
    Sqlite(sqlite_row::SqliteRow),
    #[cfg(feature = "postgres")]
    Postgres(PgRow),
}

impl SqlRow {
    #[cfg(feature = "sqlite")]
    pub(super) fn of_sqlite(row: sqlite_row::SqliteRow) -> Self {
        Self(Kind::Sqlite(row))
    }

    #[cfg(feature = "postgres")]
    pub(super) fn of_postgres(row: PgRow) -> Self {
        Self(Kind::Postgres(row))
    }

    /// Returns the value of a column. `column` is the index from 0, and `value_type` is the type of the value.
    ///
    /// [`ValueType::Json`] returns the JSON as a string.
    ///
    /// # Errors
    /// The column does not exist or has another type. Or no field can contain the value, such as NaN.
    pub fn value(&self, column: usize, value_type: ValueType) -> Result<Value<'static>, StoreError> {
        Ok(self.cell(column, value_type).map_err(StoreError::failed)?.into_value())
    }

    pub(crate) fn cell(&self, column: usize, value_type: ValueType) -> Result<Cell<'_>, DriverError> {
        match &self.0 {
            #[cfg(feature = "sqlite")]
            Kind::Sqlite(row) => sqlite_row::cell(row, column, value_type),
            #[cfg(feature = "postgres")]
            Kind::Postgres(row) => postgres::cell(row, column, value_type),
        }
    }

    /// Returns the bytes in a column.
    #[cfg(feature = "idempotency")]
    pub(crate) fn bytes(&self, column: usize) -> Result<Vec<u8>, DriverError> {
        match &self.0 {
            #[cfg(feature = "sqlite")]
            Kind::Sqlite(row) => sqlite_row::bytes(row, column),
            #[cfg(feature = "postgres")]
            Kind::Postgres(row) => Ok(row.try_get(column)?),
        }
    }

    /// Returns the number of columns.
    pub(crate) fn columns(&self) -> usize {
        match &self.0 {
            #[cfg(feature = "sqlite")]
            Kind::Sqlite(row) => row.len(),
            #[cfg(feature = "postgres")]
            Kind::Postgres(row) => row.len(),
        }
    }
}

impl fmt::Debug for SqlRow {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("SqlRow").finish_non_exhaustive()
    }
}
