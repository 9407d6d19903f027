//! Bodies and their representations.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;

/// What travels in the body of a request.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RequestBody {
    /// What it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Whether a request without it is refused.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub required: bool,
    /// The representations by media type.
    pub content: BTreeMap<String, MediaType>,
}

/// One representation of a body.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct MediaType {
    /// The shape; none for bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schema: Option<Value>,
    /// Examples by name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub examples: BTreeMap<String, Example>,
}

/// An example of a body or a parameter.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Example {
    /// A few words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// The value.
    pub value: Value,
}
