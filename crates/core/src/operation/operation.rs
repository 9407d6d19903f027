//! One operation: a method on a path.

use std::collections::BTreeMap;

use http::{Method, StatusCode};
use restwright_schema::{Mode, Property, SchemaSide};
use serde_json::Value;

use super::{Attachments, Header, Parameter, ResponseDescription, SecurityRequirement};
use crate::problem::{Location, ProblemKind};

/// What is known of one operation; everything but method, path and id may be added to by parts and middlewares.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Operation {
    /// The stable name of the operation, unique in the Api.
    pub id: String,
    /// The method.
    pub method: Method,
    /// The path template, such as `/pets/{id}`.
    pub path: String,
    /// A few words.
    pub summary: Option<String>,
    /// Several sentences, CommonMark.
    pub description: Option<String>,
    /// The groups in which documents show it.
    pub tags: Vec<String>,
    /// Whether clients should stop using it.
    pub deprecated: bool,
    /// The API versions in which it exists; empty for all.
    pub versions: Vec<String>,
    /// What travels in path, query, headers and cookies.
    pub parameters: Vec<Parameter>,
    /// What travels in the body.
    pub request_body: Option<RequestBody>,
    /// The answers of success.
    pub responses: Vec<ResponseDescription>,
    /// The answers of failure.
    pub problems: Vec<ProblemKind>,
    /// Headers that every answer carries.
    pub common_headers: Vec<Header>,
    /// The alternatives that let a caller in; empty for a public operation.
    pub security: Vec<SecurityRequirement>,
    /// Members of the application's own, `x-` first.
    pub extensions: BTreeMap<String, Value>,
    /// What middlewares and parts leave here for the time when it is called; no document shows it.
    pub attachments: Attachments,
}

impl Operation {
    /// An operation of which only the address is known.
    #[must_use]
    pub fn new(id: impl Into<String>, method: Method, path: impl Into<String>) -> Self {
        Self {
            id: id.into(),
            method,
            path: path.into(),
            summary: None,
            description: None,
            tags: Vec::new(),
            deprecated: false,
            versions: Vec::new(),
            parameters: Vec::new(),
            request_body: None,
            responses: Vec::new(),
            problems: Vec::new(),
            common_headers: Vec::new(),
            security: Vec::new(),
            extensions: BTreeMap::new(),
            attachments: Attachments::default(),
        }
    }

    /// Adds a problem that the operation may answer, unless it is there.
    pub fn add_problem(&mut self, kind: ProblemKind) {
        if !self.problems.contains(&kind) {
            self.problems.push(kind);
        }
    }

    /// Adds a header that every answer carries, success or failure.
    pub fn add_common_header(&mut self, header: Header) {
        if !self.common_headers.iter().any(|known| known.name.eq_ignore_ascii_case(&header.name)) {
            self.common_headers.push(header);
        }
    }

    /// The description of the answer with this status, made when it is missing.
    #[expect(clippy::indexing_slicing, reason = "the position is that of an element")]
    pub fn response(&mut self, status: StatusCode) -> &mut ResponseDescription {
        let known = self.responses.iter().position(|response| response.status == status);
        let position = known.unwrap_or_else(|| {
            self.responses.push(ResponseDescription::new(status));
            self.responses.len() - 1
        });
        &mut self.responses[position]
    }

    /// A parameter by location and name.
    #[must_use]
    pub fn parameter(&self, location: Location, name: &str) -> Option<&Parameter> {
        self.parameters.iter().find(|parameter| parameter.location == location && parameter.name == name)
    }
}

/// What travels in the body.
#[derive(Debug, Clone)]
pub struct RequestBody {
    /// What it is.
    pub description: Option<String>,
    /// Whether a request without it is refused.
    pub required: bool,
    /// Its representations.
    pub content: Vec<MediaType>,
}

/// One representation of a body.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct MediaType {
    /// Such as `application/json`.
    pub name: String,
    /// Its shape; `None` for bytes.
    pub schema: Option<SchemaUse>,
    /// Examples by name.
    pub examples: BTreeMap<String, Example>,
}

impl MediaType {
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
pub struct Example {
    /// A few words.
    pub summary: Option<String>,
    /// The value.
    pub value: Value,
}

/// The use of a shape: which one, which of its faces, projected to which mode.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct SchemaUse {
    /// The shape with its constraints; its name is not used.
    pub property: Property,
    /// Whether it is read or written.
    pub face: SchemaSide,
    /// The mode that it is projected to.
    pub mode: Option<Mode>,
}

impl SchemaUse {
    /// A shape that is read.
    #[must_use]
    pub fn input(property: impl Into<Property>) -> Self {
        Self { property: property.into(), face: SchemaSide::Input, mode: None }
    }

    /// A shape that is written.
    #[must_use]
    pub fn output(property: impl Into<Property>) -> Self {
        Self { property: property.into(), face: SchemaSide::Output, mode: None }
    }

    /// The same, projected to a mode.
    #[must_use]
    pub fn mode(mut self, mode: Mode) -> Self {
        self.mode = Some(mode);
        self
    }
}
