//! Bodies and their representations.

use std::collections::BTreeMap;

use serde_json::Value;

use super::SchemaUse;

/// What travels in the body.
#[derive(Debug, Clone)]
pub struct RequestBodyObject {
    /// What it is.
    pub description: Option<String>,
    /// Whether a request without it is refused.
    pub required: bool,
    /// Its representations.
    pub content: Vec<MediaTypeObject>,
}

/// One representation of a body.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct MediaTypeObject {
    /// Such as `application/json`.
    pub name: String,
    /// Its shape; `None` for bytes.
    pub schema: Option<SchemaUse>,
    /// Examples by name.
    pub examples: BTreeMap<String, ExampleObject>,
}

impl MediaTypeObject {
    /// A representation without a shape.
    #[must_use]
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), schema: None, examples: BTreeMap::new() }
    }

    /// `application/json` of a shape.
    #[must_use]
    pub fn json(schema: SchemaUse) -> Self {
        Self { schema: Some(schema), ..Self::new("application/json") }
    }
}

/// An example of a body or a parameter.
#[derive(Debug, Clone, PartialEq)]
pub struct ExampleObject {
    /// A few words.
    pub summary: Option<String>,
    /// The value.
    pub value: Value,
}
