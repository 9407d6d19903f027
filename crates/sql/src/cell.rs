//! Defines [`Cell`], the value of one column in a row, and deserializes it with serde.

use std::fmt;

use jiff::Timestamp;
use jiff::civil::Date;
use restwright_list::{Value, ValueType, with_scale};
use rust_decimal::Decimal;
use serde::de::value::{BorrowedStrDeserializer, StrDeserializer};
use serde::de::{DeserializeSeed, Deserializer, Error as _, IntoDeserializer, MapAccess, Visitor};
use serde::forward_to_deserialize_any;
use uuid::Uuid;

use crate::table::Column;
use crate::value::{FIRST, date_time};

/// The value of one column in a row.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Cell<'r> {
    /// A null value.
    Null,
    /// A Boolean.
    Boolean(bool),
    /// An integer.
    Integer(i64),
    /// A floating-point number.
    Number(f64),
    /// A string.
    Text(&'r str),
    /// A date.
    Date(Date),
    /// A date-time.
    DateTime(Timestamp),
    /// A UUID.
    Uuid(Uuid),
    /// A decimal.
    Decimal(Decimal),
    /// A JSON value as a string.
    Json(&'r str),
}

impl Cell<'_> {
    /// Creates a number of a field. `value_type` is [`ValueType::Number`] or [`ValueType::Float`].
    ///
    /// # Errors
    /// JSON cannot contain the number: it is NaN or infinite, or a single-precision number would be infinite.
    pub(crate) fn number(value: f64, value_type: ValueType) -> Result<Self, &'static str> {
        match value_type {
            _ if !value.is_finite() => Err("a number must be finite"),
            ValueType::Float if value.abs() > f64::from(f32::MAX) => Err("a number must have single precision"),
            _ => Ok(Self::Number(value)),
        }
    }

    /// Creates a date.
    ///
    /// # Errors
    /// The year is before 0, so RFC 3339 has no form for the date.
    pub(crate) fn date(value: Date) -> Result<Self, &'static str> {
        if value.year() < 0 { Err("a date must be from 0000-01-01 to 9999-12-31") } else { Ok(Self::Date(value)) }
    }

    /// Creates a date-time from microseconds since 1970.
    ///
    /// # Errors
    /// The year is before 0, so RFC 3339 has no form for the date-time. Or the date-time is after the maximum of jiff.
    pub(crate) fn date_time(microseconds: i64) -> Result<Self, &'static str> {
        let moment = date_time(microseconds).filter(|moment| *moment >= FIRST);
        moment.map(Self::DateTime).ok_or("a date-time must be from 0000-01-01T00:00:00Z to 9999-12-30T22:00:00Z")
    }

    /// Returns a value of a type, in place of a value that no field can contain.
    pub(crate) fn any_of(value_type: ValueType, is_nullable: bool) -> Self {
        match value_type {
            _ if is_nullable => Self::Null,
            ValueType::Text => Self::Text(""),
            ValueType::Integer => Self::Integer(0),
            ValueType::Number | ValueType::Float => Self::Number(0.0),
            ValueType::Boolean => Self::Boolean(false),
            ValueType::Date => Self::Date(Date::constant(1970, 1, 1)),
            ValueType::DateTime => Self::DateTime(Timestamp::UNIX_EPOCH),
            ValueType::Uuid => Self::Uuid(Uuid::nil()),
            ValueType::Decimal => Self::Decimal(Decimal::ZERO),
            // A list, an object or an enumeration may not accept any fixed value.
            _ => Self::Null,
        }
    }

    /// Writes a decimal with the scale of its field. A decimal with more digits, which another program has written, keeps them.
    pub(crate) fn scaled(self, scale: Option<u32>) -> Self {
        match self {
            Self::Decimal(value) => Self::Decimal(with_scale(value, scale).unwrap_or_else(|| value.normalize())),
            other => other,
        }
    }

    /// Converts the cell to a `Value`. JSON becomes a string.
    pub(crate) fn into_value(self) -> Value<'static> {
        match self {
            Self::Null => Value::Null,
            Self::Boolean(value) => value.into(),
            Self::Integer(value) => value.into(),
            Self::Number(value) => value.into(),
            Self::Text(value) | Self::Json(value) => Value::Text(value.to_owned().into()),
            Self::Date(value) => value.into(),
            Self::DateTime(value) => value.into(),
            Self::Uuid(value) => value.into(),
            Self::Decimal(value) => value.into(),
        }
    }
}

/// An error that occurred while a row was deserialized as an entity.
#[derive(Debug)]
pub struct CellError(String);

impl fmt::Display for CellError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl std::error::Error for CellError {}

impl CellError {
    fn in_column(self, column: &Column) -> Self {
        Self(format!("the column `{}`: {self}", column.name))
    }
}

impl serde::de::Error for CellError {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self(message.to_string())
    }
}

/// Deserializes the cells of a row as an object, with the field names as keys.
pub(crate) struct RowReader<'r> {
    columns: std::slice::Iter<'r, Column>,
    cells: std::vec::IntoIter<Cell<'r>>,
    current: Option<(&'r Column, Cell<'r>)>,
}

impl<'r> RowReader<'r> {
    pub(crate) fn new(columns: &'r [Column], cells: Vec<Cell<'r>>) -> Self {
        Self { columns: columns.iter(), cells: cells.into_iter(), current: None }
    }

    /// Advances to the next cell and returns the name of its field. Skips the JSON `null` in a field that is not nullable, so the field gets its
    /// default.
    fn next_field(&mut self) -> Option<&'r str> {
        let (column, cell) = loop {
            let column = self.columns.next()?;
            let cell = self.cells.next().unwrap_or(Cell::Null);
            let has_default = column.is_json() && !column.field.is_nullable();
            if !has_default || cell != Cell::Json("null") {
                break (column, cell);
            }
        };
        self.current = Some((column, cell));
        Some(column.field.name())
    }
}

impl<'r> Deserializer<'r> for RowReader<'r> {
    type Error = CellError;

    fn deserialize_any<V: Visitor<'r>>(self, visitor: V) -> Result<V::Value, CellError> {
        visitor.visit_map(self)
    }

    forward_to_deserialize_any! {
        <V: Visitor<'r>>
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct newtype_struct seq
        tuple tuple_struct map struct enum identifier ignored_any
    }
}

impl<'r> MapAccess<'r> for RowReader<'r> {
    type Error = CellError;

    fn next_key_seed<K: DeserializeSeed<'r>>(&mut self, seed: K) -> Result<Option<K::Value>, CellError> {
        let Some(name) = self.next_field() else { return Ok(None) };
        let key: StrDeserializer<'_, CellError> = name.into_deserializer();
        seed.deserialize(key).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'r>>(&mut self, seed: V) -> Result<V::Value, CellError> {
        let Some((column, cell)) = self.current.take() else {
            return Err(CellError::custom("a value was read before its key"));
        };
        let read = match cell {
            Cell::Json(text) => {
                let mut json = serde_json::Deserializer::from_str(text);
                seed.deserialize(&mut json).map_err(CellError::custom)
            }
            cell => seed.deserialize(cell),
        };
        read.map_err(|error| error.in_column(column))
    }
}

impl<'r> Deserializer<'r> for Cell<'r> {
    type Error = CellError;

    fn deserialize_any<V: Visitor<'r>>(self, visitor: V) -> Result<V::Value, CellError> {
        match self {
            Self::Null => visitor.visit_unit(),
            Self::Boolean(value) => visitor.visit_bool(value),
            Self::Integer(value) => visitor.visit_i64(value),
            Self::Number(value) => visitor.visit_f64(value),
            Self::Text(value) => visitor.visit_borrowed_str(value),
            Self::Date(value) => visitor.visit_string(value.to_string()),
            Self::DateTime(value) => visitor.visit_string(value.to_string()),
            Self::Uuid(value) => visitor.visit_str(value.hyphenated().encode_lower(&mut Uuid::encode_buffer())),
            Self::Decimal(value) => visitor.visit_string(value.to_string()),
            Self::Json(value) => {
                let mut json = serde_json::Deserializer::from_str(value);
                json.deserialize_any(visitor).map_err(CellError::custom)
            }
        }
    }

    fn deserialize_option<V: Visitor<'r>>(self, visitor: V) -> Result<V::Value, CellError> {
        match self {
            Self::Null => visitor.visit_none(),
            value => visitor.visit_some(value),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'r>>(self, _: &'static str, visitor: V) -> Result<V::Value, CellError> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'r>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, CellError> {
        match self {
            Self::Text(value) => {
                BorrowedStrDeserializer::<CellError>::new(value).deserialize_enum(name, variants, visitor)
            }
            value => value.deserialize_any(visitor),
        }
    }

    // An enumeration of integers is stored as strings.
    fn deserialize_i64<V: Visitor<'r>>(self, visitor: V) -> Result<V::Value, CellError> {
        match self {
            Self::Text(value) => visitor.visit_i64(value.parse().map_err(CellError::custom)?),
            value => value.deserialize_any(visitor),
        }
    }

    fn deserialize_i8<V: Visitor<'r>>(self, visitor: V) -> Result<V::Value, CellError> {
        self.deserialize_i64(visitor)
    }

    fn deserialize_i16<V: Visitor<'r>>(self, visitor: V) -> Result<V::Value, CellError> {
        self.deserialize_i64(visitor)
    }

    fn deserialize_i32<V: Visitor<'r>>(self, visitor: V) -> Result<V::Value, CellError> {
        self.deserialize_i64(visitor)
    }

    fn deserialize_u8<V: Visitor<'r>>(self, visitor: V) -> Result<V::Value, CellError> {
        self.deserialize_i64(visitor)
    }

    fn deserialize_u16<V: Visitor<'r>>(self, visitor: V) -> Result<V::Value, CellError> {
        self.deserialize_i64(visitor)
    }

    fn deserialize_u32<V: Visitor<'r>>(self, visitor: V) -> Result<V::Value, CellError> {
        self.deserialize_i64(visitor)
    }

    fn deserialize_u64<V: Visitor<'r>>(self, visitor: V) -> Result<V::Value, CellError> {
        self.deserialize_i64(visitor)
    }

    forward_to_deserialize_any! {
        <V: Visitor<'r>>
        bool i128 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple tuple_struct map struct identifier ignored_any
    }
}
