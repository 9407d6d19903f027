//! Defines [`Encoding`], the representation of a column's values in the database.

use chrono::DateTime;
use restwright_list::Value;
use restwright_resource::Row;
use sea_query::Value as SqlValue;

use super::Column;
use super::Table;
use super::operand::Operand;
use crate::value::{date_time, microseconds};

/// The representation of a column's values in the database. It depends on the type of an existing column.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Encoding {
    /// `true` if UUIDs are stored as strings in lower case with hyphens.
    pub(crate) is_text: bool,
    /// `true` if date-times are stored in UTC without a time zone.
    pub(crate) is_without_zone: bool,
    /// `true` if the column sorts strings by the rules of a language. Statements then compare explicitly by code point.
    pub(crate) is_of_language: bool,
    /// The number of digits after the second in a date-time, if the column stores fewer than six. Further digits are cut.
    pub(crate) second_digits: Option<u32>,
}

impl Column {
    /// Returns the encoding of the column's values.
    pub(crate) fn encoding(&self) -> Encoding {
        self.encoding.get().copied().unwrap_or_default()
    }

    /// Converts a value to the encoding of the column.
    pub(crate) fn encoded(&self, value: SqlValue) -> SqlValue {
        let encoding = self.encoding();
        let value = match (value, encoding.second_digits) {
            (SqlValue::ChronoDateTimeUtc(Some(moment)), Some(digits)) => {
                SqlValue::ChronoDateTimeUtc(DateTime::from_timestamp_micros(cut(moment.timestamp_micros(), digits)))
            }
            (value, _) => value,
        };
        match value {
            SqlValue::Uuid(value) if encoding.is_text => {
                SqlValue::String(value.map(|value| value.hyphenated().to_string()))
            }
            SqlValue::ChronoDateTimeUtc(value) if encoding.is_without_zone => {
                SqlValue::ChronoDateTime(value.map(|value| value.naive_utc()))
            }
            value => value,
        }
    }

    /// Returns a date-time without the digits that the column does not store. Returns `None` if it stores all of them.
    fn cut(&self, value: &Value<'_>) -> Option<Value<'static>> {
        let digits = self.encoding().second_digits?;
        let Value::DateTime(moment) = value else { return None };
        date_time(cut(microseconds(*moment), digits)).filter(|stored| stored != moment).map(Value::from)
    }

    /// Converts the value of a filter condition to an operand for the column.
    pub(crate) fn operand(&self, value: &Value<'_>) -> Operand {
        let cut = self.cut(value);
        match Operand::new(cut.as_ref().unwrap_or(value), self.field.value_type()) {
            Operand::Exact(value) => Operand::Exact(self.encoded(value)),
            Operand::After(value) => Operand::After(self.encoded(value)),
            operand => operand,
        }
    }
}

impl Table {
    /// Removes the digits of date-times that the columns do not store, so the row is equal to the stored one.
    pub(crate) fn cut(&self, row: &mut Row) {
        for column in &self.columns {
            if let Some(value) = column.cut(&row.value(column.field.name())) {
                let is_set = row.set(column.field.name(), value);
                debug_assert!(is_set, "the value has the type of its field");
            }
        }
    }
}

/// Rounds microseconds down to a number of digits after the second.
fn cut(microseconds: i64, digits: u32) -> i64 {
    let step = 10_i64.pow(6_u32.saturating_sub(digits));
    microseconds.div_euclid(step).saturating_mul(step)
}
