//! Defines [`Encoding`], the representation of a column's values in the database.

use restwright_list::Value;
use sea_query::Value as SqlValue;

use super::Column;
use super::operand::Operand;

/// The representation of a column's values in the database. It depends on the type of an existing column.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Encoding {
    /// `true` if UUIDs are stored as strings in lower case with hyphens.
    pub(crate) is_text: bool,
    /// `true` if date-times are stored in UTC without a time zone.
    pub(crate) is_without_zone: bool,
    /// `true` if the column sorts strings by the rules of a language. Statements then compare explicitly by code point.
    pub(crate) is_of_language: bool,
}

impl Column {
    /// Returns the encoding of the column's values.
    pub(crate) fn encoding(&self) -> Encoding {
        self.encoding.get().copied().unwrap_or_default()
    }

    /// Converts a value to the encoding of the column.
    pub(crate) fn encoded(&self, value: SqlValue) -> SqlValue {
        let encoding = self.encoding();
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

    /// Converts the value of a filter condition to an operand for the column.
    pub(crate) fn operand(&self, value: &Value<'_>) -> Operand {
        match Operand::new(value, self.field.value_type()) {
            Operand::Exact(value) => Operand::Exact(self.encoded(value)),
            Operand::After(value) => Operand::After(self.encoded(value)),
            operand => operand,
        }
    }
}
