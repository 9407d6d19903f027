//! Defines [`Base64`], bytes in JSON.

use std::fmt;
use std::ops::Deref;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use restwright_runtime::core::schema::{Format, HasCharacters, Registry, Schema, SchemaObject, SchemaType};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Bytes that are base64 with padding in JSON (RFC 4648, section 4).
///
/// For more than a few kilobytes, a file of a form or a [`FileResponse`](crate::FileResponse) is smaller and need not fit
/// in memory. `min_length` and `max_length` count the characters of the text, which are 4 for 3 bytes.
///
#[cfg_attr(not(doctest), doc = include_str!("doc_examples/base64.md"))]
#[derive(Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Base64(Vec<u8>);

impl Base64 {
    /// Returns the bytes.
    #[must_use]
    pub fn into_bytes(self) -> Vec<u8> {
        self.0
    }
}

impl From<Vec<u8>> for Base64 {
    fn from(bytes: Vec<u8>) -> Self {
        Self(bytes)
    }
}

impl Deref for Base64 {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0
    }
}

/// Shows only the number of bytes, because the bytes may be a secret.
impl fmt::Debug for Base64 {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Base64({} bytes)", self.0.len())
    }
}

impl Serialize for Base64 {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&STANDARD.encode(&self.0))
    }
}

impl<'de> Deserialize<'de> for Base64 {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<str>::deserialize(deserializer)?;
        STANDARD.decode(text.as_bytes()).map(Self).map_err(serde::de::Error::custom)
    }
}

impl Schema for Base64 {
    type Changes = Self;

    fn schema_type(_: &mut Registry) -> SchemaType {
        SchemaObject::string().format(Format::BASE64).schema_type().clone()
    }
}

impl HasCharacters for Base64 {}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use restwright_runtime::core::schema::SchemaSide;

    use super::*;

    fn read(json: &str) -> Result<Base64, String> {
        let mut registry = Registry::new();
        let schema_type = Base64::schema_type(&mut registry);
        let schema = registry.compile(&schema_type, SchemaSide::Input, None);
        schema.read(json.as_bytes(), 10).map_err(|error| error.to_string())
    }

    #[test]
    fn a_text_that_is_no_base64_is_a_violation() {
        assert_eq!(read(r#""3q0=""#).unwrap().into_bytes(), [0xde, 0xad]);
        for text in ["3q0", "3q1=", "3q0=\\n", "3q-_"] {
            let error = read(&format!("\"{text}\"")).unwrap_err();
            assert_eq!(error, ": must have the format base64, such as aGVsbG8= (format)", "{text}");
        }
    }

    proptest! {
        #[test]
        fn the_format_is_what_the_library_reads(text in "[A-Za-z0-9+/=]{0,9}", bytes in any::<Vec<u8>>()) {
            let is_base64 = STANDARD.decode(&text).is_ok();
            prop_assert_eq!(read(&format!("\"{text}\"")).is_ok(), is_base64, "{}", text);
            let written = serde_json::to_string(&Base64::from(bytes.clone())).unwrap();
            prop_assert_eq!(read(&written).unwrap().into_bytes(), bytes);
        }
    }
}
