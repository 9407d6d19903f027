//! Defines [`SqlRow`], a row from SQLite or PostgreSQL.

use std::fmt;

use restwright_list::{Value, ValueType};
use restwright_resource::StoreError;

#[cfg(feature = "postgres")]
use crate::dialect::Postgres;
#[cfg(feature = "sqlite")]
use crate::dialect::Sqlite;
use crate::dialect::{Driver, DriverRow};

/// A row that [`SqlStatements::fetch`](crate::SqlStatements::fetch) returns.
pub struct SqlRow(Kind);

enum Kind {
    #[cfg(feature = "sqlite")]
    Sqlite(DriverRow<Sqlite>),
    #[cfg(feature = "postgres")]
    Postgres(DriverRow<Postgres>),
}

#[cfg(feature = "sqlite")]
impl From<sqlx::sqlite::SqliteRow> for SqlRow {
    fn from(row: sqlx::sqlite::SqliteRow) -> Self {
        Self(Kind::Sqlite(row))
    }
}

#[cfg(feature = "postgres")]
impl From<sqlx::postgres::PgRow> for SqlRow {
    fn from(row: sqlx::postgres::PgRow) -> Self {
        Self(Kind::Postgres(row))
    }
}

impl SqlRow {
    /// Returns the value of a column. `column` is the index from 0, and `value_type` is the type of the value.
    ///
    /// [`ValueType::Json`] returns the JSON as a string.
    ///
    /// # Errors
    /// The column does not exist or has another type. Or no field can contain the value, such as NaN.
    pub fn value(&self, column: usize, value_type: ValueType) -> Result<Value<'static>, StoreError> {
        let cell = match &self.0 {
            #[cfg(feature = "sqlite")]
            Kind::Sqlite(row) => Sqlite::cell(row, column, value_type),
            #[cfg(feature = "postgres")]
            Kind::Postgres(row) => Postgres::cell(row, column, value_type),
        };
        Ok(cell.map_err(StoreError::failed)?.into_value())
    }
}

impl fmt::Debug for SqlRow {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("SqlRow").finish_non_exhaustive()
    }
}
