//! Defines [`SqlRow`], a row from SQLite or PostgreSQL.

use std::fmt;

use restwright_list::{Value, ValueType};
use restwright_resource::StoreError;

use crate::dialect::{Driver, DriverRow, Postgres, Sqlite};

/// A row that a statement on a [`SqlStore`](crate::SqlStore) returns.
pub struct SqlRow(Kind);

enum Kind {
    Sqlite(DriverRow<Sqlite>),
    Postgres(DriverRow<Postgres>),
}

impl SqlRow {
    pub(crate) fn sqlite(row: DriverRow<Sqlite>) -> Self {
        Self(Kind::Sqlite(row))
    }

    pub(crate) fn postgres(row: DriverRow<Postgres>) -> Self {
        Self(Kind::Postgres(row))
    }

    /// Returns the value of a column. `column` is the index from 0, and `value_type` is the type of the value.
    ///
    /// [`ValueType::Json`] returns the JSON as a string.
    ///
    /// # Errors
    /// The column does not exist or has another type. Or no field can contain the value, such as NaN.
    pub fn value(&self, column: usize, value_type: ValueType) -> Result<Value<'static>, StoreError> {
        let cell = match &self.0 {
            Kind::Sqlite(row) => Sqlite::cell(row, column, value_type),
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
