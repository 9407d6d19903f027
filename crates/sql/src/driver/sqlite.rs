//! Runs statements on SQLite, and converts the values of rows.

use std::sync::Arc;

use jiff::civil::Date;
use restwright_list::ValueType;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, Statement};
use sea_query::Value as SqlValue;
use uuid::Uuid;

use super::cell::Cell;
use super::driver_error::DriverError;
use super::group::{ChangeStatement, Changed};
use super::row::SqlRow;
use super::sqlite_connection::SqliteConnection;
use super::{FailureKind, sortable_decimal, trace};
use crate::value::text_uuid;

// Primary result codes of SQLite.
pub(crate) const SQLITE_BUSY: i32 = 5;
pub(crate) const SQLITE_READONLY: i32 = 8;
pub(crate) const SQLITE_CANTOPEN: i32 = 14;
pub(crate) const SQLITE_NOTADB: i32 = 26;

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

/// Returns `true` if a statement failed because the database is read-only.
pub(crate) fn is_read_only(error: &DriverError) -> bool {
    primary_code(error) == Some(SQLITE_READONLY)
}

/// Returns `true` if a statement failed because another connection holds a lock.
pub(crate) fn is_locked(error: &DriverError) -> bool {
    primary_code(error) == Some(SQLITE_BUSY)
}

/// Returns `true` for the code of a violated primary key or unique constraint.
pub(super) fn is_unique_violation(code: i32) -> bool {
    matches!(code, 1555 | 2067 | 2579)
}

/// Returns the low byte of the extended result code.
pub(super) fn primary_code(error: &DriverError) -> Option<i32> {
    if let DriverError::Sqlite { code, .. } = error { Some(code & 0xFF) } else { None }
}

/// Runs a statement and returns the number of changed rows.
pub(super) async fn execute(
    connection: &mut SqliteConnection,
    sql: Arc<str>,
    values: Vec<SqlValue>,
    is_kept: bool,
) -> Result<u64, DriverError> {
    let statement = ChangeStatement { sql, values, is_kept };
    connection.with(move |raw| changed(raw, &statement)).await.map(|changed| changed.count)
}

/// Runs a statement and returns its rows.
pub(super) async fn fetch(
    connection: &mut SqliteConnection,
    sql: Arc<str>,
    values: Vec<SqlValue>,
    is_kept: bool,
) -> Result<Vec<SqlRow>, DriverError> {
    let statement = ChangeStatement { sql, values, is_kept };
    connection.with(move |raw| changed(raw, &statement)).await.map(|changed| changed.rows)
}

/// Runs a statement, and returns the number of changed rows and the rows that it returned.
pub(super) fn changed(raw: &Connection, statement: &ChangeStatement) -> Result<Changed, DriverError> {
    let ChangeStatement { sql, values, is_kept } = statement;
    trace(sql);
    let rows = prepared(raw, sql, *is_kept, |statement| {
        bind(statement, values)?;
        // Reads all rows, because SQLite reports an error of the commit only at the end.
        let (mut read, mut rows) = (Vec::new(), statement.raw_query());
        while let Some(row) = rows.next()? {
            // The first step prepares the statement again if the table has other columns.
            let columns = row.as_ref().column_count();
            let values = (0..columns).map(|index| Ok(SqliteValue::from(row.get_ref(index)?)));
            read.push(SqlRow::of_sqlite(values.collect::<Result<SqliteRow, rusqlite::Error>>()?));
        }
        Ok(read)
    })?;
    Ok(Changed { count: raw.changes(), rows })
}

/// Prepares a statement and runs it. The connection keeps the statement if `is_kept` is `true`.
fn prepared<T>(
    raw: &Connection,
    sql: &str,
    is_kept: bool,
    run: impl FnOnce(&mut Statement<'_>) -> Result<T, DriverError>,
) -> Result<T, DriverError> {
    if is_kept { run(&mut *raw.prepare_cached(sql)?) } else { run(&mut raw.prepare(sql)?) }
}

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

/// Classifies an error by its primary SQLite result code. `Unavailable` includes busy, locked, out of memory, interrupted, I/O error, full
/// and cannot open.
pub(crate) fn failure(code: i32) -> FailureKind {
    match code & 0xFF {
        SQLITE_BUSY | 6 | 7 | 9 | 10 | 13 | SQLITE_CANTOPEN => FailureKind::Unavailable,
        _ => FailureKind::Other,
    }
}

/// Binds the values to the parameters of a statement.
pub(super) fn bind(statement: &mut Statement<'_>, values: &[SqlValue]) -> Result<(), DriverError> {
    for (place, value) in values.iter().enumerate() {
        let place = place + 1;
        match value {
            SqlValue::Bool(value) => statement.raw_bind_parameter(place, value),
            SqlValue::TinyInt(value) => statement.raw_bind_parameter(place, value),
            SqlValue::SmallInt(value) => statement.raw_bind_parameter(place, value),
            SqlValue::Int(value) => statement.raw_bind_parameter(place, value),
            SqlValue::BigInt(value) => statement.raw_bind_parameter(place, value),
            SqlValue::TinyUnsigned(value) => statement.raw_bind_parameter(place, value),
            SqlValue::SmallUnsigned(value) => statement.raw_bind_parameter(place, value),
            SqlValue::Unsigned(value) => statement.raw_bind_parameter(place, value),
            SqlValue::BigUnsigned(value) => {
                let value = value.map(i64::try_from).transpose();
                let value = value.map_err(|error| DriverError::Other(format!("cannot store an integer: {error}")))?;
                statement.raw_bind_parameter(place, value)
            }
            SqlValue::Float(value) => statement.raw_bind_parameter(place, value.map(f64::from)),
            SqlValue::Double(value) => statement.raw_bind_parameter(place, value),
            SqlValue::String(value) => statement.raw_bind_parameter(place, value),
            SqlValue::Char(value) => statement.raw_bind_parameter(place, value.map(String::from)),
            SqlValue::Bytes(value) => statement.raw_bind_parameter(place, value),
            SqlValue::Uuid(value) => statement.raw_bind_parameter(place, value.as_ref().map(|id| id.as_bytes())),
            SqlValue::Decimal(value) => statement.raw_bind_parameter(place, value.map(sortable_decimal::write)),
            SqlValue::ChronoDate(value) => statement.raw_bind_parameter(place, value.map(|date| date.to_string())),
            SqlValue::ChronoDateTimeUtc(value) => {
                statement.raw_bind_parameter(place, value.map(|moment| moment.timestamp_micros()))
            }
            other => return Err(DriverError::Other(format!("the value {other:?} cannot be stored in SQLite"))),
        }?;
    }
    Ok(())
}
