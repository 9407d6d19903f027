//! Runs statements on SQLite.

use std::sync::Arc;

use rusqlite::{Connection, Statement};
use sea_query::Value as SqlValue;

use super::driver_error::DriverError;
use super::row::SqlRow;
use super::sqlite_codes::{SQLITE_BUSY, SQLITE_CANTOPEN, SQLITE_FULL, SQLITE_INTERRUPT, SQLITE_READONLY};
use super::sqlite_connection::SqliteConnection;
use super::sqlite_row::{SqliteRow, SqliteValue};
use super::{FailureKind, sortable_decimal, trace};

/// A statement that changes rows. It is data, because it may run again.
pub(crate) struct ChangeStatement {
    pub(crate) sql: Arc<str>,
    pub(crate) values: Vec<SqlValue>,
    pub(crate) is_kept: bool,
    /// A statement that runs after this one, if this one changed one row. Either both have an effect or none.
    pub(crate) following: Option<Box<ChangeStatement>>,
}

/// The result of a statement that changed rows.
pub(crate) struct Changed {
    /// The number of changed rows.
    pub(crate) count: u64,
    /// The rows that the statement returned.
    pub(crate) rows: Vec<SqlRow>,
}

/// Returns `true` if a statement failed because the database is read-only.
pub(crate) fn is_read_only(error: &DriverError) -> bool {
    primary_code(error) == Some(SQLITE_READONLY)
}

/// Returns `true` if a statement failed because another connection holds a lock.
pub(crate) fn is_locked(error: &DriverError) -> bool {
    primary_code(error) == Some(SQLITE_BUSY)
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
    let statement = ChangeStatement { sql, values, is_kept, following: None };
    connection.with(move |raw| changed(raw, &statement)).await.map(|changed| changed.count)
}

/// Runs a statement and returns its rows.
pub(super) async fn fetch(
    connection: &mut SqliteConnection,
    sql: Arc<str>,
    values: Vec<SqlValue>,
    is_kept: bool,
) -> Result<Vec<SqlRow>, DriverError> {
    let statement = ChangeStatement { sql, values, is_kept, following: None };
    connection.with(move |raw| changed(raw, &statement)).await.map(|changed| changed.rows)
}

/// Runs a statement without the one that follows it, and returns the number of changed rows and the rows that it returned.
pub(super) fn changed(raw: &Connection, statement: &ChangeStatement) -> Result<Changed, DriverError> {
    let ChangeStatement { sql, values, is_kept, .. } = statement;
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

/// Classifies an error by its primary SQLite result code. `Unavailable` includes busy, locked, out of memory, interrupted, I/O error, full
/// and cannot open.
pub(crate) fn failure(code: i32) -> FailureKind {
    match code & 0xFF {
        SQLITE_BUSY | 6 | 7 | SQLITE_INTERRUPT | 10 | SQLITE_FULL | SQLITE_CANTOPEN => FailureKind::Unavailable,
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
