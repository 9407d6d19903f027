//! The values of entities, as they are bound.

use chrono::{DateTime, NaiveDate};
use jiff::Timestamp;
use jiff::civil::Date;
use restwright_list::{Value, ValueType, fold};
use sea_query::Value as SqlValue;
use uuid::Uuid;

/// The first moment of the year 0, before which no column has a date-time.
pub(crate) const FIRST: Timestamp = Timestamp::constant(-62_167_219_200, 0);

/// Returns the time in microseconds, rounded down.
pub(crate) fn microseconds(moment: Timestamp) -> i64 {
    i64::try_from(moment.as_nanosecond().div_euclid(1_000)).unwrap_or(i64::MIN)
}

pub(crate) fn date_time(microseconds: i64) -> Option<Timestamp> {
    // In nanoseconds, since the last second is none of jiff's microseconds.
    Timestamp::from_nanosecond(i128::from(microseconds) * 1_000).ok()
}

/// Returns a date as it is bound.
pub(crate) fn day(date: Date) -> SqlValue {
    let (month, day) = (u32::from(date.month().unsigned_abs()), u32::from(date.day().unsigned_abs()));
    SqlValue::ChronoDate(NaiveDate::from_ymd_opt(date.year().into(), month, day))
}

/// Returns a date-time as it is bound, rounded down to microseconds.
pub(crate) fn moment(moment: Timestamp) -> SqlValue {
    SqlValue::ChronoDateTimeUtc(DateTime::from_timestamp_micros(microseconds(moment)))
}

/// Returns a value as it is bound to a column; null where it is of another type, which no entity has.
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
        _ => null(column),
    }
}

/// Reads the UUID of a column of texts. In another form than that of filters it would be found by no filter.
pub(crate) fn text_uuid(text: &str) -> Option<Uuid> {
    let uuid = Uuid::try_parse(text).ok()?;
    let mut buffer = Uuid::encode_buffer();
    (uuid.hyphenated().encode_lower(&mut buffer) == text).then_some(uuid)
}

/// Returns the folded text of a value.
pub(crate) fn folded(value: &Value<'_>) -> SqlValue {
    SqlValue::String(value.as_text().map(fold))
}

/// Returns the null of a column's type.
pub(crate) fn null(column: ValueType) -> SqlValue {
    match column {
        ValueType::Integer => SqlValue::BigInt(None),
        ValueType::Number | ValueType::Float => SqlValue::Double(None),
        ValueType::Boolean => SqlValue::Bool(None),
        ValueType::Date => SqlValue::ChronoDate(None),
        ValueType::DateTime => SqlValue::ChronoDateTimeUtc(None),
        ValueType::Uuid => SqlValue::Uuid(None),
        _ => SqlValue::String(None),
    }
}
