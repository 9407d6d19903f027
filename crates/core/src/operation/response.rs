//! The answers of success.

use std::collections::BTreeMap;

use http::StatusCode;
use serde_json::Value;

use super::{MediaTypeObject, SchemaUse};

/// What an operation answers under one status.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ResponseObject {
    /// The status.
    pub status: StatusCode,
    /// What it means.
    pub description: Option<String>,
    /// The headers that it carries.
    pub headers: Vec<HeaderObject>,
    /// Its representations; empty for an answer without a body.
    pub content: Vec<MediaTypeObject>,
    /// Where a client can go from here.
    pub links: Vec<LinkObject>,
}

impl ResponseObject {
    /// An answer without headers and body.
    #[must_use]
    pub fn new(status: StatusCode) -> Self {
        Self { status, description: None, headers: Vec::new(), content: Vec::new(), links: Vec::new() }
    }

    /// Adds a header, unless it is there.
    pub fn add_header(&mut self, header: HeaderObject) {
        if !self.headers.iter().any(|known| known.name.eq_ignore_ascii_case(&header.name)) {
            self.headers.push(header);
        }
    }
}

/// A header of an answer.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct HeaderObject {
    /// Its name.
    pub name: String,
    /// What it says.
    pub description: Option<String>,
    /// Whether every such answer carries it.
    pub required: bool,
    /// Its shape.
    pub schema: SchemaUse,
}

impl HeaderObject {
    /// A header that every such answer carries.
    #[must_use]
    pub fn new(name: impl Into<String>, schema: SchemaUse) -> Self {
        Self { name: name.into(), description: None, required: true, schema }
    }

    /// Adds what it says.
    #[must_use]
    pub fn description(mut self, description: impl Into<String>) -> Self {
        self.description = Some(description.into());
        self
    }

    /// Says that some such answers do not carry it.
    #[must_use]
    pub fn optional(mut self) -> Self {
        self.required = false;
        self
    }
}

/// Another operation that takes values of this answer.
#[derive(Debug, Clone)]
pub struct LinkObject {
    /// Its name in the document.
    pub name: String,
    /// The operation that it leads to, by id.
    pub operation_id: String,
    /// The parameters of that operation, as constants or runtime expressions such as `$response.body#/data/id`.
    pub parameters: BTreeMap<String, Value>,
    /// What it is for.
    pub description: Option<String>,
}
