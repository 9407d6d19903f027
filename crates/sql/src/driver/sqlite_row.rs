//! Reads the values of rows of SQLite.

use jiff::civil::Date;
use restwright_list::ValueType;
use rusqlite::types::ValueRef;
use uuid::Uuid;

use super::cell::Cell;
use super::driver_error::DriverError;
use super::sortable_decimal;
use crate::value::text_uuid;

/// A value of a row. The row does not depend on its statement.
#[derive(Clone, Debug)]
pub(crate) enum SqliteValue {
    Null,
    Integer(i64),
    Real(f64),
    Text(Box<str>),
    /// Bytes, or a text that is no UTF-8.
    Bytes {
        bytes: Box<[u8]>,
        is_text: bool,
    },
}

impl SqliteValue {
    /// Returns the number of bytes in a text or in bytes.
    pub(super) fn length(&self) -> usize {
        match self {
            Self::Text(text) => text.len(),
            Self::Bytes { bytes, .. } => bytes.len(),
            Self::Null | Self::Integer(_) | Self::Real(_) => 0,
        }
    }
}

impl From<ValueRef<'_>> for SqliteValue {
    fn from(value: ValueRef<'_>) -> Self {
        match value {
            ValueRef::Null => Self::Null,
            ValueRef::Integer(value) => Self::Integer(value),
            ValueRef::Real(value) => Self::Real(value),
            ValueRef::Text(bytes) => match std::str::from_utf8(bytes) {
                Ok(text) => Self::Text(text.into()),
                Err(_not_utf8) => Self::Bytes { bytes: bytes.into(), is_text: true },
            },
            ValueRef::Blob(bytes) => Self::Bytes { bytes: bytes.into(), is_text: false },
        }
    }
}

/// A row of SQLite.
pub(crate) type SqliteRow = Box<[SqliteValue]>;

/// Returns the value in the column `index` of a row.
pub(super) fn cell(row: &SqliteRow, index: usize, value_type: ValueType) -> Result<Cell<'_>, DriverError> {
    let invalid = |reason: &str| DriverError::column(index, reason);
    let stored = row.get(index).ok_or_else(|| invalid("the row has no such column"))?;
    let unreadable = || {
        let stored = match stored {
            SqliteValue::Null => "NULL",
            SqliteValue::Integer(_) => "INTEGER",
            SqliteValue::Real(_) => "REAL",
            SqliteValue::Text(_) | SqliteValue::Bytes { is_text: true, .. } => "TEXT",
            SqliteValue::Bytes { is_text: false, .. } => "BLOB",
        };
        DriverError::column(index, format_args!("a value of the type {stored} is not a {}", value_type.name()))
    };
    // SQLite itself would convert the value, such as a word to 0.
    let cell = match (value_type, stored) {
        (_, SqliteValue::Null) => Cell::Null,
        (_, SqliteValue::Bytes { is_text: true, .. }) if value_type != ValueType::Integer => {
            return Err(invalid("the text is not UTF-8"));
        }
        (ValueType::Integer, SqliteValue::Integer(value)) => Cell::Integer(*value),
        (ValueType::Number | ValueType::Float, SqliteValue::Integer(_) | SqliteValue::Real(_)) => {
            #[expect(clippy::cast_precision_loss, reason = "SQLite converts an integer in the same way")]
            let number = match stored {
                SqliteValue::Integer(value) => *value as f64,
                SqliteValue::Real(value) => *value,
                _ => return Err(unreadable()),
            };
            Cell::number(number, value_type).map_err(invalid)?
        }
        (ValueType::Boolean, SqliteValue::Integer(number @ (0 | 1))) => Cell::Boolean(*number == 1),
        (ValueType::Boolean, SqliteValue::Integer(_)) => return Err(invalid("a Boolean must be 0 or 1")),
        (ValueType::DateTime, SqliteValue::Integer(microseconds)) => Cell::date_time(*microseconds).map_err(invalid)?,
        (ValueType::Date, SqliteValue::Text(text)) => {
            let date: Date = text.parse().map_err(|_source: jiff::Error| unreadable())?;
            // Filters would not find a date in another form.
            if date.to_string() != **text {
                return Err(unreadable());
            }
            Cell::date(date).map_err(invalid)?
        }
        (ValueType::Uuid, SqliteValue::Text(text)) => {
            Cell::Uuid(text_uuid(text).ok_or_else(|| invalid("the UUID is not in lower case with hyphens"))?)
        }
        (ValueType::Uuid, SqliteValue::Bytes { bytes, .. }) => {
            Cell::Uuid(Uuid::from_slice(bytes).map_err(|error| DriverError::column(index, error))?)
        }
        (ValueType::Decimal, SqliteValue::Text(text)) => Cell::Decimal(
            sortable_decimal::read(text).ok_or_else(|| invalid("the decimal is not in the sortable form"))?,
        ),
        (ValueType::Json, SqliteValue::Text(text)) => Cell::Json(text),
        (ValueType::Text | ValueType::Enumeration, SqliteValue::Text(text)) => Cell::Text(text),
        _ => return Err(unreadable()),
    };
    Ok(cell)
}

/// Returns the bytes in the column `index` of a row.
#[cfg(feature = "idempotency")]
pub(super) fn bytes(row: &SqliteRow, index: usize) -> Result<Vec<u8>, DriverError> {
    match row.get(index) {
        Some(SqliteValue::Bytes { bytes, .. }) => Ok(bytes.to_vec()),
        Some(SqliteValue::Text(text)) => Ok(text.as_bytes().to_vec()),
        _ => Err(DriverError::column(index, "the value must be bytes")),
    }
}
