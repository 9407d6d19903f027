//! Defines [`Operand`], the value of a filter condition, adapted to the values that a column can store.

use jiff::Timestamp;
use jiff::civil::Date;
use restwright_core::schema::compare_integer_with_float;
use restwright_list::{Value, ValueType};
use sea_query::Value as SqlValue;

use crate::value::{self, date_time, day, microseconds};

/// The value of a filter condition, adapted to the values that a column can store. The database then compares exactly like the memory
/// store.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Operand {
    /// The column can store the operand.
    Exact(SqlValue),
    /// The column cannot store the operand. This value is the largest storable value below the operand.
    After(SqlValue),
    /// The operand is below every value of the column.
    BelowAll,
    /// The operand is above every value of the column.
    AboveAll,
}

impl Operand {
    pub(crate) fn new(value: &Value<'_>, column: ValueType) -> Self {
        match (column, value) {
            (_, Value::Null) => Self::BelowAll,
            (ValueType::Integer, Value::Integer(value)) => integer(*value),
            (ValueType::Integer, Value::Number(value)) => integer_of_number(*value),
            (ValueType::Number | ValueType::Float, Value::Number(value)) => number(*value),
            (ValueType::Number | ValueType::Float, Value::Integer(value)) => number_of_integer(*value),
            (ValueType::Enumeration, Value::Integer(value)) => Self::Exact(value.to_string().into()),
            (ValueType::Text | ValueType::Enumeration, Value::Text(value)) => text(value),
            (ValueType::Boolean, Value::Boolean(value)) => Self::Exact((*value).into()),
            (ValueType::Date, Value::Date(value)) if *value < Date::constant(0, 1, 1) => Self::BelowAll,
            (ValueType::Date, Value::Date(value)) => Self::Exact(day(*value)),
            (ValueType::DateTime, Value::DateTime(value)) => of_moment(*value),
            (ValueType::Uuid, Value::Uuid(value)) => Self::Exact((*value).into()),
            (ValueType::Decimal, Value::Decimal(value)) => Self::Exact((*value).into()),
            // Values of different types are ordered by their types.
            (column, value) if rank(value) < rank_of(column) => Self::BelowAll,
            _ => Self::AboveAll,
        }
    }
}

fn integer(value: i128) -> Operand {
    match i64::try_from(value) {
        Ok(value) => Operand::Exact(value.into()),
        Err(_) if value < 0 => Operand::BelowAll,
        Err(_) => Operand::AboveAll,
    }
}

#[expect(clippy::cast_possible_truncation, reason = "the cast saturates, and the result is compared with the original")]
fn integer_of_number(value: f64) -> Operand {
    if value.is_nan() {
        return Operand::AboveAll;
    }
    let floor = value.floor() as i128;
    match integer(floor) {
        Operand::Exact(floor) if value.fract() != 0.0 => Operand::After(floor),
        operand => operand,
    }
}

fn number(value: f64) -> Operand {
    // Both zeros are stored as `0.0`.
    if value.is_nan() { Operand::AboveAll } else { Operand::Exact((value + 0.0).into()) }
}

#[expect(clippy::cast_precision_loss, reason = "the result is compared with the original")]
fn number_of_integer(value: i128) -> Operand {
    let nearest = value as f64;
    match compare_integer_with_float(value, nearest) {
        std::cmp::Ordering::Equal => Operand::Exact(nearest.into()),
        std::cmp::Ordering::Less => Operand::After(nearest.next_down().into()),
        std::cmp::Ordering::Greater => Operand::After(nearest.into()),
    }
}

/// Converts a string to an operand. Columns cannot store NUL. For a string with NUL, the largest storable string below it
/// is the part before the NUL.
fn text(value: &str) -> Operand {
    match value.split_once('\0') {
        None => Operand::Exact(value.into()),
        Some((beginning, _)) => Operand::After(beginning.into()),
    }
}

fn of_moment(given: Timestamp) -> Operand {
    let floor = microseconds(given);
    match date_time(floor) {
        Some(moment) if moment < crate::value::FIRST => Operand::BelowAll,
        Some(moment) if moment == given => Operand::Exact(value::moment(moment)),
        Some(moment) => Operand::After(value::moment(moment)),
        None => Operand::BelowAll,
    }
}

/// Returns the sort rank of a value's type. Values of different types are ordered by this rank.
fn rank(value: &Value<'_>) -> u8 {
    match value {
        Value::Null => 0,
        Value::Boolean(_) => 1,
        Value::Integer(_) | Value::Number(_) => 2,
        Value::Text(_) => 3,
        Value::Date(_) => 4,
        Value::DateTime(_) => 5,
        Value::Uuid(_) => 6,
        _ => 7,
    }
}

fn rank_of(column: ValueType) -> u8 {
    match column {
        ValueType::Boolean => 1,
        ValueType::Integer | ValueType::Number | ValueType::Float => 2,
        ValueType::Text | ValueType::Enumeration => 3,
        ValueType::Date => 4,
        ValueType::DateTime => 5,
        ValueType::Decimal => 7,
        _ => 6,
    }
}
