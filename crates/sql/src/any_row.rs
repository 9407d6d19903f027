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

/// A row of a driver. The trait keeps the types of sqlx out of the public interface of [`SqlRow`].
pub(crate) trait IntoSqlRow {
    fn into_sql_row(self) -> SqlRow;
}

#[cfg(feature = "sqlite")]
impl IntoSqlRow for sqlx::sqlite::SqliteRow {
    fn into_sql_row(self) -> SqlRow {
        SqlRow(Kind::Sqlite(self))
    }
}

#[cfg(feature = "postgres")]
impl IntoSqlRow for sqlx::postgres::PgRow {
    fn into_sql_row(self) -> SqlRow {
        SqlRow(Kind::Postgres(self))
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
