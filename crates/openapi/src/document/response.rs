//! Answers.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;

use super::{MediaType, OrReference};

/// An answer under one status.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Response {
    /// What it means, in CommonMark.
    pub description: String,
    /// The headers by name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub headers: BTreeMap<String, OrReference<Header>>,
    /// The representations by media type; none for an answer without a body.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub content: BTreeMap<String, MediaType>,
    /// Where a client can go from here, by name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub links: BTreeMap<String, Link>,
}

/// A header of an answer.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Header {
    /// What it says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Whether every such answer carries it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub required: bool,
    /// Its shape.
    pub schema: Value,
}

/// Another operation that takes values of this answer.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Link {
    /// The operation that it leads to.
    pub operation_id: String,
    /// Constants or runtime expressions by the parameter's name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub parameters: BTreeMap<String, Value>,
    /// What it is for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}
