//! Runs statements on SQLite.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use jiff::civil::Date;
use restwright_list::ValueType;
use sea_query::Value as SqlValue;
use sqlx::error::DatabaseError;
use sqlx::sqlite::{SqliteArguments, SqliteConnection, SqliteRow};
use sqlx::{Arguments, AssertSqlSafe, Decode, Row, TypeInfo, ValueRef};
use uuid::Uuid;

use super::advice::{SQLITE_BUSY, SQLITE_CANTOPEN, SQLITE_READONLY};
use super::cell::Cell;
use super::{FailureKind, sortable_decimal};
use crate::value::text_uuid;

/// The number of SQLite virtual machine steps between two checks for cancellation. These steps take less than 1 ms.
const STEPS: i32 = 1_000;

/// Makes a connection cancel its statements while `is_cancelled` is `true`.
pub(crate) async fn cancel_by(
    connection: &mut SqliteConnection,
    is_cancelled: Arc<AtomicBool>,
) -> Result<(), sqlx::Error> {
    let goes_on = move || !is_cancelled.load(Ordering::Relaxed);
    connection.lock_handle().await?.set_progress_handler(STEPS, goes_on);
    Ok(())
}

/// Returns `true` if a statement failed because the database is read-only.
pub(crate) fn is_read_only(error: &sqlx::Error) -> bool {
    error.as_database_error().and_then(code).is_some_and(|code| code & 0xFF == SQLITE_READONLY)
}

/// Runs a statement and returns the number of changed rows.
pub(super) async fn execute(
    connection: &mut SqliteConnection,
    sql: Arc<str>,
    values: Vec<SqlValue>,
    is_kept: bool,
) -> Result<u64, sqlx::Error> {
    let statement = sqlx::query_with(AssertSqlSafe(sql), arguments(values)?).persistent(is_kept);
    Ok(Box::pin(statement.execute(connection)).await?.rows_affected())
}

/// Runs a statement and returns its rows.
pub(super) async fn fetch(
    connection: &mut SqliteConnection,
    sql: Arc<str>,
    values: Vec<SqlValue>,
    is_kept: bool,
) -> Result<Vec<SqliteRow>, sqlx::Error> {
    // Reads all rows, because sqlx reports an error of the commit only at the end.
    let statement = sqlx::query_with(AssertSqlSafe(sql), arguments(values)?).persistent(is_kept);
    Box::pin(statement.fetch_all(connection)).await
}

/// Returns the value in the column `index` of a row.
pub(super) fn cell<'r>(row: &'r SqliteRow, index: usize, value_type: ValueType) -> Result<Cell<'r>, sqlx::Error> {
    let value = row.try_get_raw(index)?;
    if value.is_null() {
        return Ok(Cell::Null);
    }
    let stored = match value.type_info().name() {
        "INTEGER" => "INTEGER",
        "REAL" => "REAL",
        "TEXT" => "TEXT",
        _ => "BLOB",
    };
    let invalid = |source| sqlx::Error::ColumnDecode { index: index.to_string(), source };
    let unreadable = || invalid(format!("a value of the type {stored} is not a {}", value_type.name()).into());
    // SQLite would convert the value, such as a word to 0.
    let is_of_type = match value_type {
        ValueType::Integer | ValueType::Boolean | ValueType::DateTime => stored == "INTEGER",
        ValueType::Number | ValueType::Float => matches!(stored, "INTEGER" | "REAL"),
        ValueType::Uuid => matches!(stored, "TEXT" | "BLOB"),
        _ => stored == "TEXT",
    };
    if !is_of_type {
        return Err(unreadable());
    }
    let cell = match value_type {
        ValueType::Integer => Cell::Integer(<i64 as Decode<'_, sqlx::Sqlite>>::decode(value).map_err(invalid)?),
        ValueType::Number | ValueType::Float => {
            let number = <f64 as Decode<'_, sqlx::Sqlite>>::decode(value).map_err(invalid)?;
            Cell::number(number, value_type).map_err(|reason| invalid(reason.into()))?
        }
        ValueType::Boolean => match <i64 as Decode<'_, sqlx::Sqlite>>::decode(value).map_err(invalid)? {
            number @ (0 | 1) => Cell::Boolean(number == 1),
            _ => return Err(invalid("a Boolean must be 0 or 1".into())),
        },
        ValueType::DateTime => {
            let microseconds = <i64 as Decode<'_, sqlx::Sqlite>>::decode(value).map_err(invalid)?;
            Cell::date_time(microseconds).map_err(|reason| invalid(reason.into()))?
        }
        ValueType::Date => {
            let text = <&str as Decode<'_, sqlx::Sqlite>>::decode(value).map_err(invalid)?;
            let date: Date = text.parse().map_err(|_source: jiff::Error| unreadable())?;
            // Filters would not find a date in another form.
            if date.to_string() != text {
                return Err(unreadable());
            }
            Cell::date(date).map_err(|reason| invalid(reason.into()))?
        }
        ValueType::Uuid if stored == "TEXT" => {
            let text = <&str as Decode<'_, sqlx::Sqlite>>::decode(value).map_err(invalid)?;
            Cell::Uuid(text_uuid(text).ok_or_else(|| invalid("the UUID is not in lower case with hyphens".into()))?)
        }
        ValueType::Uuid => Cell::Uuid(<Uuid as Decode<'_, sqlx::Sqlite>>::decode(value).map_err(invalid)?),
        ValueType::Decimal => {
            let text = <&str as Decode<'_, sqlx::Sqlite>>::decode(value).map_err(invalid)?;
            let decimal = sortable_decimal::read(text);
            Cell::Decimal(decimal.ok_or_else(|| invalid("the decimal is not in the sortable form".into()))?)
        }
        ValueType::Json => Cell::Json(<&str as Decode<'_, sqlx::Sqlite>>::decode(value).map_err(invalid)?),
        _ => Cell::Text(<&str as Decode<'_, sqlx::Sqlite>>::decode(value).map_err(invalid)?),
    };
    Ok(cell)
}

/// Returns the result code of SQLite.
pub(crate) fn code(error: &(dyn DatabaseError + 'static)) -> Option<i32> {
    error.code()?.parse().ok()
}

/// Classifies an error by its primary SQLite result code. `Unavailable` includes busy, locked, out of memory, interrupted, I/O error, full
/// and cannot open.
pub(crate) fn failure(error: &(dyn DatabaseError + 'static)) -> FailureKind {
    match code(error).map(|code| code & 0xFF) {
        Some(SQLITE_BUSY | 6 | 7 | 9 | 10 | 13 | SQLITE_CANTOPEN) => FailureKind::Unavailable,
        _ => FailureKind::Other,
    }
}

fn arguments(values: Vec<SqlValue>) -> Result<SqliteArguments, sqlx::Error> {
    let mut arguments = SqliteArguments::default();
    for value in values {
        let added = match value {
            SqlValue::Bool(value) => arguments.add(value),
            SqlValue::TinyInt(value) => arguments.add(value),
            SqlValue::SmallInt(value) => arguments.add(value),
            SqlValue::Int(value) => arguments.add(value),
            SqlValue::BigInt(value) => arguments.add(value),
            SqlValue::TinyUnsigned(value) => arguments.add(value),
            SqlValue::SmallUnsigned(value) => arguments.add(value),
            SqlValue::Unsigned(value) => arguments.add(value),
            SqlValue::BigUnsigned(value) => match value.map(i64::try_from).transpose() {
                Ok(value) => arguments.add(value),
                Err(error) => Err(error.into()),
            },
            SqlValue::Float(value) => arguments.add(value),
            SqlValue::Double(value) => arguments.add(value),
            SqlValue::String(value) => arguments.add(value),
            SqlValue::Char(value) => arguments.add(value.map(String::from)),
            SqlValue::Bytes(value) => arguments.add(value),
            SqlValue::Uuid(value) => arguments.add(value),
            SqlValue::Decimal(value) => arguments.add(value.map(sortable_decimal::write)),
            SqlValue::ChronoDate(value) => arguments.add(value.map(|date| date.to_string())),
            SqlValue::ChronoDateTimeUtc(value) => arguments.add(value.map(|moment| moment.timestamp_micros())),
            other => Err(format!("the value {other:?} cannot be stored in SQLite").into()),
        };
        added.map_err(sqlx::Error::Encode)?;
    }
    Ok(arguments)
}
