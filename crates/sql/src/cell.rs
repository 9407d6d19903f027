//! [`Cell`]: one value of a row, and its reading by serde.

use std::fmt;

use jiff::Timestamp;
use jiff::civil::Date;
use restwright_list::Value;
use serde::de::value::{BorrowedStrDeserializer, StrDeserializer};
use serde::de::{DeserializeSeed, Deserializer, Error as _, IntoDeserializer, MapAccess, Visitor};
use serde::forward_to_deserialize_any;
use uuid::Uuid;

/// One value of a row.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell<'r> {
    /// Null.
    Null,
    /// True or false.
    Boolean(bool),
    /// An integer.
    Integer(i64),
    /// A number.
    Number(f64),
    /// A text.
    Text(&'r str),
    /// A date.
    Date(Date),
    /// A date-time.
    DateTime(Timestamp),
    /// A UUID.
    Uuid(Uuid),
    /// A JSON text.
    Json(&'r str),
}

impl Cell<'_> {
    /// Returns the value, that of JSON as its text.
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
        }
    }
}

/// The reason why a row is no entity.
#[derive(Debug)]
pub struct CellError(String);

impl fmt::Display for CellError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl std::error::Error for CellError {}

impl serde::de::Error for CellError {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self(message.to_string())
    }
}

/// A field whose cell is read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ReadField<'n> {
    pub(crate) name: &'n str,
    pub(crate) column: &'n str,
    /// The JSON text `null` stands for the default of the field, which is then left out.
    pub(crate) has_default: bool,
}

/// The cells of a row with their fields, as serde reads an object.
pub(crate) struct RowReader<'n, 'r, N> {
    fields: N,
    cells: std::vec::IntoIter<Cell<'r>>,
    current: Option<(ReadField<'n>, Cell<'r>)>,
}

impl<'n, 'r, N: Iterator<Item = ReadField<'n>>> RowReader<'n, 'r, N> {
    pub(crate) fn new(fields: N, cells: Vec<Cell<'r>>) -> Self {
        Self { fields, cells: cells.into_iter(), current: None }
    }
}

impl<'n, 'r, N: Iterator<Item = ReadField<'n>>> Deserializer<'r> for RowReader<'n, 'r, N> {
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

impl<'n, 'r, N: Iterator<Item = ReadField<'n>>> MapAccess<'r> for RowReader<'n, 'r, N> {
    type Error = CellError;

    fn next_key_seed<K: DeserializeSeed<'r>>(&mut self, seed: K) -> Result<Option<K::Value>, CellError> {
        let (field, cell) = loop {
            let Some(field) = self.fields.next() else { return Ok(None) };
            let cell = self.cells.next().unwrap_or(Cell::Null);
            if !field.has_default || cell != Cell::Json("null") {
                break (field, cell);
            }
        };
        self.current = Some((field, cell));
        let key: StrDeserializer<'_, CellError> = field.name.into_deserializer();
        seed.deserialize(key).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'r>>(&mut self, seed: V) -> Result<V::Value, CellError> {
        let Some((field, cell)) = self.current.take() else {
            return Err(CellError::custom("a value without its key"));
        };
        let read = match cell {
            Cell::Json(text) => {
                let mut json = serde_json::Deserializer::from_str(text);
                seed.deserialize(&mut json).map_err(CellError::custom)
            }
            cell => seed.deserialize(cell),
        };
        read.map_err(|error| CellError(format!("the column `{}`: {error}", field.column)))
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

    // The column of an enumeration of integers holds their texts.
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
