//! Runs statements on PostgreSQL.

use std::sync::Arc;

use jiff::Span;
use jiff::civil::{Date, date};
use restwright_list::ValueType;
use sea_query::Value as SqlValue;
use sqlx::error::{BoxDynError, DatabaseError};
use sqlx::postgres::{PgArguments, PgConnection, PgDatabaseError, PgRow, PgValueFormat, PgValueRef};
use sqlx::{Arguments, AssertSqlSafe, Row, TypeInfo, ValueRef};
use uuid::Uuid;

use super::cell::Cell;
use super::driver_error::DriverError;
use super::{FailureKind, numeric, trace};
use crate::value::text_uuid;

/// The epoch of PostgreSQL, 2000-01-01, in microseconds since 1970.
const EPOCH: i64 = 946_684_800_000_000;

/// The epoch of PostgreSQL, as a date.
const EPOCH_DAY: Date = date(2000, 1, 1);

/// Runs a statement and returns the number of changed rows.
pub(super) async fn execute(
    connection: &mut PgConnection,
    sql: Arc<str>,
    values: Vec<SqlValue>,
    is_kept: bool,
) -> Result<u64, sqlx::Error> {
    trace(&sql);
    let statement = sqlx::query_with(AssertSqlSafe(sql), arguments(values)?).persistent(is_kept);
    Ok(Box::pin(statement.execute(connection)).await?.rows_affected())
}

/// Runs a statement and returns its rows.
pub(super) async fn fetch(
    connection: &mut PgConnection,
    sql: Arc<str>,
    values: Vec<SqlValue>,
    is_kept: bool,
) -> Result<Vec<PgRow>, sqlx::Error> {
    trace(&sql);
    let statement = sqlx::query_with(AssertSqlSafe(sql), arguments(values)?).persistent(is_kept);
    Box::pin(statement.fetch_all(connection)).await
}

/// Returns the value in the column `index` of a row.
pub(super) fn cell(row: &PgRow, index: usize, value_type: ValueType) -> Result<Cell<'_>, DriverError> {
    let value = row.try_get_raw(index)?;
    if value.is_null() {
        return Ok(Cell::Null);
    }
    read(&value, value_type).map_err(|reason| DriverError::column(index, reason))
}

fn read<'r>(value: &PgValueRef<'r>, value_type: ValueType) -> Result<Cell<'r>, BoxDynError> {
    if value.format() != PgValueFormat::Binary {
        return Err("the value must be in the binary format".into());
    }
    let bytes = value.as_bytes()?;
    let text = || std::str::from_utf8(bytes).map_err(BoxDynError::from);
    let type_info = value.type_info();
    let name = type_info.name();
    // Another migration may have changed the type of the column since the start.
    let is_of_type = match value_type {
        ValueType::Integer => matches!(name, "INT2" | "INT4" | "INT8"),
        ValueType::Number | ValueType::Float => matches!(name, "FLOAT4" | "FLOAT8"),
        ValueType::Boolean => name == "BOOL",
        ValueType::DateTime => matches!(name, "TIMESTAMP" | "TIMESTAMPTZ"),
        ValueType::Date => name == "DATE",
        ValueType::Decimal => name == "NUMERIC",
        _ => !matches!(
            name,
            "INT2"
                | "INT4"
                | "INT8"
                | "FLOAT4"
                | "FLOAT8"
                | "BOOL"
                | "TIMESTAMP"
                | "TIMESTAMPTZ"
                | "DATE"
                | "BYTEA"
                | "NUMERIC"
        ),
    };
    if !is_of_type {
        return Err(format!("a value of the type {name} is not a {}", value_type.name()).into());
    }
    Ok(match value_type {
        ValueType::Integer => Cell::Integer(integer(bytes)?),
        ValueType::Number | ValueType::Float => {
            let number = match *bytes {
                [a, b, c, d] => f64::from(f32::from_be_bytes([a, b, c, d])),
                _ => f64::from_be_bytes(bytes.try_into()?),
            };
            Cell::number(number, value_type)?
        }
        ValueType::Boolean => Cell::Boolean(bytes.first().is_some_and(|byte| *byte != 0)),
        // `infinity` is the largest integer, and `-infinity` the smallest.
        ValueType::DateTime => Cell::date_time(integer(bytes)?.saturating_add(EPOCH))?,
        ValueType::Date => {
            let days = Span::new().try_days(integer(bytes)?);
            let date = days.and_then(|days| EPOCH_DAY.checked_add(days));
            Cell::date(date.map_err(|_source| "a date must be from 0000-01-01 to 9999-12-31")?)?
        }
        ValueType::Uuid if bytes.len() == 16 => Cell::Uuid(Uuid::from_slice(bytes)?),
        ValueType::Uuid => Cell::Uuid(text_uuid(text()?).ok_or("the UUID is not in lower case with hyphens")?),
        ValueType::Decimal => Cell::Decimal(numeric::read(bytes)?),
        // `jsonb` starts with its format version.
        ValueType::Json => match bytes {
            [1, ..] if name == "JSONB" => Cell::Json(std::str::from_utf8(bytes.get(1..).unwrap_or_default())?),
            _ => Cell::Json(text()?),
        },
        _ => Cell::Text(text()?),
    })
}

/// Decodes an integer of 16, 32 or 64 bits.
fn integer(bytes: &[u8]) -> Result<i64, BoxDynError> {
    Ok(match *bytes {
        [a, b] => i64::from(i16::from_be_bytes([a, b])),
        [a, b, c, d] => i64::from(i32::from_be_bytes([a, b, c, d])),
        _ => i64::from_be_bytes(bytes.try_into()?),
    })
}

fn arguments(values: Vec<SqlValue>) -> Result<PgArguments, sqlx::Error> {
    let mut arguments = PgArguments::default();
    for value in values {
        let added = match value {
            SqlValue::Bool(value) => arguments.add(value),
            SqlValue::TinyInt(value) => arguments.add(value.map(i16::from)),
            SqlValue::SmallInt(value) => arguments.add(value),
            SqlValue::Int(value) => arguments.add(value),
            SqlValue::BigInt(value) => arguments.add(value),
            SqlValue::TinyUnsigned(value) => arguments.add(value.map(i16::from)),
            SqlValue::SmallUnsigned(value) => arguments.add(value.map(i32::from)),
            SqlValue::Unsigned(value) => arguments.add(value.map(i64::from)),
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
            SqlValue::Decimal(value) => arguments.add(value),
            SqlValue::ChronoDate(value) => arguments.add(value),
            SqlValue::ChronoDateTimeUtc(value) => arguments.add(value),
            SqlValue::ChronoDateTime(value) => arguments.add(value),
            other => Err(format!("the value {other:?} cannot be sent to PostgreSQL").into()),
        };
        added.map_err(sqlx::Error::Encode)?;
    }
    Ok(arguments)
}

/// Classifies errors that do not concern a row.
pub(crate) fn failure(error: &(dyn DatabaseError + 'static)) -> FailureKind {
    match error.code().as_deref() {
        // Another program changed the type of a column, so the prepared statements of the connection are useless.
        Some("0A000") if routine(error) == Some("RevalidateCachedQuery") => FailureKind::Unavailable,
        // A serialization failure, a deadlock, or a lock that was not granted in time.
        Some("40001" | "40P01" | "55P03") => FailureKind::Conflict,
        // The statement was canceled, or the transaction was idle for too long.
        Some("57014" | "25P03") => FailureKind::Unavailable,
        // Errors of the connection, of resources, of the operator or of the system.
        Some(code) if ["08", "53", "57", "58"].iter().any(|class| code.starts_with(class)) => FailureKind::Unavailable,
        // The server became a standby.
        Some("25006") => FailureKind::Unavailable,
        _ => FailureKind::Other,
    }
}

/// Returns the name of the C function in the PostgreSQL server that reported an error.
pub(crate) fn routine<'e>(error: &'e (dyn DatabaseError + 'static)) -> Option<&'e str> {
    error.try_downcast_ref::<PgDatabaseError>().and_then(PgDatabaseError::routine)
}

/// Classifies an error of the server or of the driver.
pub(super) fn failure_of_driver(error: &sqlx::Error) -> FailureKind {
    match error {
        sqlx::Error::Database(error) => failure(error.as_ref()),
        sqlx::Error::Io(_)
        | sqlx::Error::Tls(_)
        | sqlx::Error::Protocol(_)
        | sqlx::Error::PoolTimedOut
        | sqlx::Error::PoolClosed
        | sqlx::Error::WorkerCrashed
        | sqlx::Error::BeginFailed => FailureKind::Unavailable,
        _ => FailureKind::Other,
    }
}
