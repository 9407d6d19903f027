//! Deserializes a JSON value, and adds the path of the rejected property to the error.

use std::fmt;

use serde::de::value::StrDeserializer;
use serde::de::{DeserializeOwned, DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde::forward_to_deserialize_any;
use serde_json::{Map, Value};

use super::BagError;

/// Deserializes a JSON value into a Rust type. The error contains the path of the rejected property, such as
/// `owner/age`.
pub(super) fn read<T: DeserializeOwned>(value: Value) -> Result<T, BagError> {
    T::deserialize(Tracked(value)).map_err(|PathError { mut path, reason }| {
        path.reverse();
        BagError::new(&path.join("/"), format!("cannot be read: {reason}"))
    })
}

/// A deserializer that adds the path of the rejected property to its errors.
struct Tracked(Value);

#[derive(Debug)]
struct PathError {
    /// The segments of the rejected property's path, innermost first.
    path: Vec<String>,
    reason: String,
}

impl PathError {
    fn within(mut self, part: impl Into<String>) -> Self {
        self.path.push(part.into());
        self
    }
}

impl fmt::Display for PathError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.reason)
    }
}

impl std::error::Error for PathError {}

impl serde::de::Error for PathError {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self { path: Vec::new(), reason: message.to_string() }
    }
}

impl<'de> Deserializer<'de> for Tracked {
    type Error = PathError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, PathError> {
        match self.0 {
            Value::Array(items) => {
                let mut items = ItemValues { rest: items.into_iter(), position: 0 };
                let read = visitor.visit_seq(&mut items)?;
                items.finish().map(|()| read)
            }
            Value::Object(members) => {
                let mut members = MemberValues { rest: members.into_iter(), value: None };
                let read = visitor.visit_map(&mut members)?;
                members.finish().map(|()| read)
            }
            scalar => scalar.deserialize_any(visitor).map_err(PathError::custom),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, PathError> {
        if self.0.is_null() { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, PathError> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, PathError> {
        self.0.deserialize_enum(name, variants, visitor).map_err(PathError::custom)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf
        unit unit_struct seq tuple tuple_struct map struct identifier ignored_any
    }
}

struct ItemValues {
    rest: std::vec::IntoIter<Value>,
    position: usize,
}

impl ItemValues {
    fn finish(self) -> Result<(), PathError> {
        if self.rest.len() == 0 { Ok(()) } else { Err(PathError::custom("has more items than the type accepts")) }
    }
}

impl<'de> SeqAccess<'de> for &mut ItemValues {
    type Error = PathError;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, PathError> {
        let Some(item) = self.rest.next() else { return Ok(None) };
        let position = self.position;
        self.position += 1;
        seed.deserialize(Tracked(item)).map(Some).map_err(|error| error.within(position.to_string()))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.rest.len())
    }
}

struct MemberValues {
    rest: <Map<String, Value> as IntoIterator>::IntoIter,
    /// The name and the value of the current property of an object.
    value: Option<(String, Value)>,
}

impl MemberValues {
    fn finish(self) -> Result<(), PathError> {
        if self.rest.len() == 0 { Ok(()) } else { Err(PathError::custom("has more properties than the type accepts")) }
    }
}

impl<'de> MapAccess<'de> for &mut MemberValues {
    type Error = PathError;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, PathError> {
        let Some((name, value)) = self.rest.next() else { return Ok(None) };
        let key = seed.deserialize(StrDeserializer::new(&name)).map_err(|error: PathError| error.within(&name))?;
        self.value = Some((name, value));
        Ok(Some(key))
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, PathError> {
        let (name, value) = self.value.take().ok_or_else(|| PathError::custom("a value without a name"))?;
        seed.deserialize(Tracked(value)).map_err(|error| error.within(name))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.rest.len())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde::Deserialize;
    use serde_json::json;

    use super::*;

    #[derive(Debug, PartialEq, Deserialize)]
    struct Pet {
        name: String,
        age: Option<u8>,
        #[serde(default)]
        weights: Vec<f64>,
        #[serde(default)]
        owners: BTreeMap<String, Owner>,
        kind: Option<Kind>,
        extra: Option<Value>,
    }

    #[derive(Debug, PartialEq, Deserialize)]
    struct Owner(bool);

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(tag = "species")]
    enum Kind {
        Cat { indoor: bool },
    }

    #[test]
    fn values_are_read_as_by_serde_json() {
        for value in [
            json!({ "name": "Rex" }),
            json!({ "name": "Rex", "age": null, "weights": [1, 2.5], "owners": { "Bo": true }, "unknown": [1] }),
            json!({ "name": "Rex", "kind": { "species": "Cat", "indoor": true }, "extra": { "a": [null, -1, 1.5, "b"] } }),
            json!({ "name": 7 }),
            json!({ "name": "Rex", "age": 300 }),
            json!({ "name": "Rex", "kind": { "species": "Dog" } }),
            json!(["Rex", 4, [], {}, null, null]),
            json!(["Rex", 4, [], {}, null, null, "more"]),
            json!(null),
        ] {
            let expected = serde_json::from_value::<Pet>(value.clone());
            assert_eq!(read::<Pet>(value.clone()).ok(), expected.ok(), "{value}");
        }
    }

    #[test]
    fn errors_name_the_property() {
        for (value, expected) in [
            (json!({ "name": 7 }), "the property `name` cannot be read: invalid type: integer `7`, expected a string"),
            (json!({}), "the value cannot be read: missing field `name`"),
            (
                json!({ "name": "", "weights": [1, "b"] }),
                "the property `weights/1` cannot be read: invalid type: string \"b\", expected f64",
            ),
            (
                json!({ "name": "", "owners": { "Bo": 1 } }),
                "the property `owners/Bo` cannot be read: invalid type: integer `1`, expected a boolean",
            ),
        ] {
            assert_eq!(read::<Pet>(value).unwrap_err().to_string(), expected);
        }
    }
}
