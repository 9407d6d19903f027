//! Converts entity values to sea-query values.

use chrono::{DateTime, NaiveDate};
use jiff::Timestamp;
use jiff::civil::Date;
use restwright_list::{Value, ValueType, fold};
use sea_query::Value as SqlValue;
use uuid::Uuid;

/// The first moment of the year 0. Columns contain no earlier date-time.
pub(crate) const FIRST: Timestamp = Timestamp::constant(-62_167_219_200, 0);

/// Converts a time to microseconds since 1970, rounded down.
pub(crate) fn microseconds(moment: Timestamp) -> i64 {
    i64::try_from(moment.as_nanosecond().div_euclid(1_000)).unwrap_or(i64::MIN)
}

pub(crate) fn date_time(microseconds: i64) -> Option<Timestamp> {
    // Uses nanoseconds, because jiff cannot create the last second from microseconds.
    Timestamp::from_nanosecond(i128::from(microseconds) * 1_000).ok()
}

/// Converts a date to a bound value.
pub(crate) fn day(date: Date) -> SqlValue {
    let (month, day) = (u32::from(date.month().unsigned_abs()), u32::from(date.day().unsigned_abs()));
    SqlValue::ChronoDate(NaiveDate::from_ymd_opt(date.year().into(), month, day))
}

/// Converts a date-time to a bound value, rounded down to microseconds.
pub(crate) fn moment(moment: Timestamp) -> SqlValue {
    SqlValue::ChronoDateTimeUtc(DateTime::from_timestamp_micros(microseconds(moment)))
}

/// Converts a value to a bound value for a column. Returns null for a value of another type, which entities do not contain.
pub(crate) fn bound(value: Value<'_>, column: ValueType) -> SqlValue {
    match value {
        Value::Integer(value) if column == ValueType::Enumeration => value.to_string().into(),
        Value::Integer(value) => i64::try_from(value).ok().into(),
        Value::Boolean(value) => value.into(),
        Value::Number(value) if value.is_finite() => (value + 0.0).into(),
        Value::Text(value) => value.into_owned().into(),
        Value::Date(value) => day(value),
        Value::DateTime(value) => moment(value),
        Value::Uuid(value) => value.into(),
        Value::Decimal(value) => value.into(),
        _ => null(column),
    }
}

/// Parses a UUID that is stored in a string column. Filters compare strings, so only the canonical form is accepted.
pub(crate) fn text_uuid(text: &str) -> Option<Uuid> {
    let uuid = Uuid::try_parse(text).ok()?;
    let mut buffer = Uuid::encode_buffer();
    (uuid.hyphenated().encode_lower(&mut buffer) == text).then_some(uuid)
}

/// Returns the case-folded string of a value.
pub(crate) fn folded(value: &Value<'_>) -> SqlValue {
    SqlValue::String(value.as_text().map(fold))
}

/// Returns a null value of a column's type.
pub(crate) fn null(column: ValueType) -> SqlValue {
    match column {
        ValueType::Integer => SqlValue::BigInt(None),
        ValueType::Number | ValueType::Float => SqlValue::Double(None),
        ValueType::Boolean => SqlValue::Bool(None),
        ValueType::Date => SqlValue::ChronoDate(None),
        ValueType::DateTime => SqlValue::ChronoDateTimeUtc(None),
        ValueType::Uuid => SqlValue::Uuid(None),
        ValueType::Decimal => SqlValue::Decimal(None),
        _ => SqlValue::String(None),
    }
}
