//! Serializes the fields of an entity that are stored as JSON.

use std::fmt;

use restwright_resource::Entity;
use serde::ser::{Error as _, Impossible, Serialize, SerializeMap, SerializeStruct, Serializer};

/// Serializes each field in `fields` to JSON, in the same order. A field is `None` if it is null or the entity does not serialize it.
fn json_fields<T: Serialize>(entity: &T, fields: &[&str]) -> Result<Vec<Option<String>>, JsonFieldError> {
    let fields = JsonFields { names: fields, found: vec![None; fields.len()], key: None };
    if fields.names.is_empty() { Ok(Vec::new()) } else { entity.serialize(fields) }
}

/// An entity that an insert or update writes.
pub trait WrittenEntity: Entity {
    /// Serializes each field in `fields` to JSON, like the function [`json_fields`].
    fn json_fields(&self, fields: &[&str]) -> Result<Vec<Option<String>>, JsonFieldError>;
}

impl<R: Entity + Serialize> WrittenEntity for R {
    fn json_fields(&self, fields: &[&str]) -> Result<Vec<Option<String>>, JsonFieldError> {
        json_fields(self, fields)
    }
}

/// A serializer that writes some fields of an object and skips the others.
struct JsonFields<'f> {
    names: &'f [&'f str],
    found: Vec<Option<String>>,
    /// The index of the field whose value is serialized next.
    key: Option<usize>,
}

/// An error that occurred while the fields of an entity were serialized.
#[derive(Debug)]
pub struct JsonFieldError(String);

impl fmt::Display for JsonFieldError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl std::error::Error for JsonFieldError {}

impl serde::ser::Error for JsonFieldError {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self(message.to_string())
    }
}

impl JsonFields<'_> {
    fn place(&self, key: &str) -> Option<usize> {
        self.names.iter().position(|name| *name == key)
    }

    fn write<T: Serialize + ?Sized>(&mut self, place: Option<usize>, value: &T) -> Result<(), JsonFieldError> {
        if let Some(found) = place.and_then(|place| self.found.get_mut(place)) {
            let json = serde_json::to_string(value).map_err(JsonFieldError::custom)?;
            *found = (json != "null").then_some(json);
        }
        Ok(())
    }
}

impl SerializeStruct for JsonFields<'_> {
    type Ok = Vec<Option<String>>;
    type Error = JsonFieldError;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, key: &'static str, value: &T) -> Result<(), JsonFieldError> {
        self.write(self.place(key), value)
    }

    fn end(self) -> Result<Self::Ok, JsonFieldError> {
        Ok(self.found)
    }
}

impl SerializeMap for JsonFields<'_> {
    type Ok = Vec<Option<String>>;
    type Error = JsonFieldError;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), JsonFieldError> {
        let json = serde_json::to_value(key).map_err(JsonFieldError::custom)?;
        self.key = json.as_str().and_then(|key| self.place(key));
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), JsonFieldError> {
        let place = self.key.take();
        self.write(place, value)
    }

    fn end(self) -> Result<Self::Ok, JsonFieldError> {
        Ok(self.found)
    }
}

/// Defines serializer methods that always fail, because an entity must serialize to an object.
macro_rules! no_object {
    ($($method:ident($($argument:ty),*)),* $(,)?) => { $(
        fn $method(self, $(_: $argument),*) -> Result<Self::Ok, JsonFieldError> {
            Err(no_object())
        }
    )* };
}

fn no_object() -> JsonFieldError {
    JsonFieldError::custom("an entity must serialize to an object; let its `Serialize` write a struct or a map")
}

impl<'f> Serializer for JsonFields<'f> {
    type Ok = Vec<Option<String>>;
    type Error = JsonFieldError;
    type SerializeSeq = Impossible<Self::Ok, JsonFieldError>;
    type SerializeTuple = Impossible<Self::Ok, JsonFieldError>;
    type SerializeTupleStruct = Impossible<Self::Ok, JsonFieldError>;
    type SerializeTupleVariant = Impossible<Self::Ok, JsonFieldError>;
    type SerializeMap = JsonFields<'f>;
    type SerializeStruct = JsonFields<'f>;
    type SerializeStructVariant = Impossible<Self::Ok, JsonFieldError>;

    fn serialize_map(self, _: Option<usize>) -> Result<Self, JsonFieldError> {
        Ok(self)
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Self, JsonFieldError> {
        Ok(self)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> Result<Self::Ok, JsonFieldError> {
        value.serialize(self)
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<Self::Ok, JsonFieldError> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: &T,
    ) -> Result<Self::Ok, JsonFieldError> {
        Err(no_object())
    }

    no_object!(
        serialize_bool(bool),
        serialize_i8(i8),
        serialize_i16(i16),
        serialize_i32(i32),
        serialize_i64(i64),
        serialize_u8(u8),
        serialize_u16(u16),
        serialize_u32(u32),
        serialize_u64(u64),
        serialize_f32(f32),
        serialize_f64(f64),
        serialize_char(char),
        serialize_str(&str),
        serialize_bytes(&[u8]),
        serialize_none(),
        serialize_unit(),
        serialize_unit_struct(&'static str),
        serialize_unit_variant(&'static str, u32, &'static str),
    );

    fn serialize_seq(self, _: Option<usize>) -> Result<Self::SerializeSeq, JsonFieldError> {
        Err(no_object())
    }

    fn serialize_tuple(self, _: usize) -> Result<Self::SerializeTuple, JsonFieldError> {
        Err(no_object())
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Self::SerializeTupleStruct, JsonFieldError> {
        Err(no_object())
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeTupleVariant, JsonFieldError> {
        Err(no_object())
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeStructVariant, JsonFieldError> {
        Err(no_object())
    }
}

#[cfg(test)]
mod tests {
    use serde::Serialize;

    use super::json_fields;

    #[derive(Serialize)]
    struct Animal {
        name: &'static str,
        tags: Vec<&'static str>,
        #[serde(flatten)]
        more: More,
    }

    #[derive(Serialize)]
    struct More {
        owner: Option<u8>,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        parents: Vec<u8>,
    }

    #[test]
    fn writes_only_the_requested_fields() {
        let animal = Animal { name: "Rex", tags: vec!["a", "b"], more: More { owner: None, parents: Vec::new() } };
        let fields = json_fields(&animal, &["tags", "owner", "parents", "none"]).unwrap();
        assert_eq!(fields, [Some(r#"["a","b"]"#.to_owned()), None, None, None]);
        assert_eq!(json_fields(&animal, &["name"]).unwrap(), [Some(r#""Rex""#.to_owned())]);
        assert!(json_fields(&["Rex"], &["name"]).is_err());
    }
}
