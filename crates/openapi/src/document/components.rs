//! What several operations refer to.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;

use super::{Header, Response, SecurityScheme};

/// The parts of a document that stand once and are referred to.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Components {
    /// The named shapes, as JSON Schema 2020-12.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub schemas: BTreeMap<String, Value>,
    /// The answers of failure.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub responses: BTreeMap<String, Response>,
    /// The headers that every answer of an operation carries.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub headers: BTreeMap<String, Header>,
    /// The ways to prove who calls.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub security_schemes: BTreeMap<String, SecurityScheme>,
}

impl Components {
    /// Whether there is nothing to refer to.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}
