//! Defines [`StoredFile`], a field of an entity that refers to a file.

use std::fmt;

use restwright_core::schema::{PropertyCollection, Registry, Schema, SchemaType, int64, string};
use restwright_list::{FieldValue, Value, ValueType};
use serde::de::{Error, Visitor};
use serde::ser::SerializeStruct;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A file of an entity, as a field of the type `Option<StoredFile>` with `#[property(file)]`.
///
/// The entity contains the media type, the size and the SHA-256 of the content. The content is in the
/// [`FileStore`](restwright_files::FileStore) of [`Endpoints::files`](crate::Endpoints::files). Clients upload, load and delete it at a separate path, such
/// as `/animals/7/photo`. They cannot change the field in other ways.
///
/// Do not copy the value to another entity: the content is deleted when the field of the first entity changes.
///
#[cfg_attr(not(doctest), doc = include_str!("../../doc_examples/stored_file.md"))]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredFile {
    /// The key in the file store.
    pub(super) key: String,
    pub(super) size: u64,
    pub(super) sha256: String,
    pub(super) media_type: String,
}

impl StoredFile {
    pub(super) fn new(key: String, size: u64, sha256: String, media_type: String) -> Self {
        Self { key, size, sha256, media_type }
    }

    /// Returns the size of the content in bytes.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Returns the SHA-256 of the content in lower-case hexadecimal digits.
    #[must_use]
    pub fn sha256(&self) -> &str {
        &self.sha256
    }

    /// Returns the media type that the client sent with the content, or, with `check_content`, the media type of the content.
    #[must_use]
    pub fn media_type(&self) -> &str {
        &self.media_type
    }

    /// Returns the key of the content in the file store, for example to create a signed address of an object store.
    #[must_use]
    pub fn key(&self) -> &str {
        &self.key
    }

    /// Returns the file that a stored string describes.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let mut words = text.splitn(4, ' ');
        let (key, size, sha256) = (words.next()?, words.next()?.parse().ok()?, words.next()?);
        Some(Self::new(key.to_owned(), size, sha256.to_owned(), words.next()?.to_owned()))
    }
}

/// Writes the string that stores save.
impl fmt::Display for StoredFile {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { key, size, sha256, media_type } = self;
        write!(formatter, "{key} {size} {sha256} {media_type}")
    }
}

impl FieldValue for StoredFile {
    const VALUE_TYPE: ValueType = ValueType::Text;

    fn to_value(&self) -> Value<'_> {
        Value::from(self.to_string())
    }

    fn from_value(value: Value<'_>) -> Option<Self> {
        Self::parse(value.as_text()?)
    }
}

/// Writes the object that clients receive. It does not contain the key.
impl Serialize for StoredFile {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_struct("StoredFile", 3)?;
        object.serialize_field("media_type", &self.media_type)?;
        object.serialize_field("size", &self.size)?;
        object.serialize_field("sha256", &self.sha256)?;
        object.end()
    }
}

/// Reads the string that stores save.
impl<'de> Deserialize<'de> for StoredFile {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Stored;

        impl Visitor<'_> for Stored {
            type Value = StoredFile;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("the string of a stored file")
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<StoredFile, E> {
                StoredFile::parse(text).ok_or_else(|| E::custom("not the string of a stored file"))
            }
        }

        deserializer.deserialize_str(Stored)
    }
}

impl Schema for StoredFile {
    type Changes = Self;

    fn schema_type(registry: &mut Registry) -> SchemaType {
        registry.define::<Self, _>("StoredFile", |_| {
            PropertyCollection::new("StoredFile")
                .description("A file that was uploaded.")
                .property(string("media_type").description("The media type of the content, such as `image/png`."))
                .property(int64("size").minimum(0).description("The size of the content in bytes."))
                .property(
                    string("sha256")
                        .pattern("^[0-9a-f]{64}$")
                        .description("The SHA-256 of the content in hexadecimal digits."),
                )
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_stored_string_and_the_object_of_clients() {
        let media_type = "text/plain; charset=utf-8";
        let file = StoredFile::new("pets/photo/7.0a".to_owned(), 12, "00ff".to_owned(), media_type.to_owned());
        let stored = "pets/photo/7.0a 12 00ff text/plain; charset=utf-8";
        assert_eq!(file.to_value(), Value::from(stored));
        assert_eq!(serde_json::from_value::<StoredFile>(json!(stored)).unwrap(), file);
        let object = json!({"media_type": media_type, "size": 12, "sha256": "00ff"});
        assert_eq!(serde_json::to_value(&file).unwrap(), object);
        for other in [json!(null), json!(""), json!("a b c d"), json!("a 1 c"), object] {
            assert!(serde_json::from_value::<StoredFile>(other.clone()).is_err(), "{other}");
        }
    }
}
