//! Parameters.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;

use super::Example;

/// A value in the path, the query string, a header or a cookie.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// Where it travels.
    #[serde(rename = "in")]
    pub location: &'static str,
    /// What it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Whether a request without it is refused.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub required: bool,
    /// Whether clients should stop sending it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub deprecated: bool,
    /// How its text becomes a value, when not in the standard way of its location.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub style: Option<&'static str>,
    /// Whether each element of an array is a parameter, when that is not the style's standard.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explode: Option<bool>,
    /// Its shape.
    pub schema: Value,
    /// Examples by name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub examples: BTreeMap<String, Example>,
}
