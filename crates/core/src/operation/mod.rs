//! The description vocabulary: what an operation takes and answers, in the terms of OpenAPI.
//!
//! Whatever reads a piece of a request or makes a response describes itself by adding to an [`Operation`]; documents,
//! request shapes and the test client read it. It knows no document format.

mod attachments;
mod body;
mod failure;
mod parameter;
mod response;
mod schema_use;
mod security;

use std::collections::BTreeMap;

use http::{Method, StatusCode};
use serde_json::Value;

use crate::problem::{Location, ProblemKind};

pub use attachments::Attachments;
pub use body::{ExampleObject, MediaTypeObject, RequestBodyObject};
pub use failure::Failure;
pub use parameter::{ParameterObject, ParameterStyle};
pub use response::{HeaderObject, LinkObject, ResponseObject};
pub use schema_use::SchemaUse;
pub use security::{OAuthFlow, SecurityRequirement, SecurityScheme};

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
    /// What travels in path, query, headers and cookies.
    pub parameters: Vec<ParameterObject>,
    /// What travels in the body.
    pub request_body: Option<RequestBodyObject>,
    /// The answers of success.
    pub responses: Vec<ResponseObject>,
    /// The answers of failure.
    pub problems: Vec<ProblemKind>,
    /// Headers that every answer carries.
    pub common_headers: Vec<HeaderObject>,
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
    pub fn add_common_header(&mut self, header: HeaderObject) {
        if !self.common_headers.iter().any(|known| known.name.eq_ignore_ascii_case(&header.name)) {
            self.common_headers.push(header);
        }
    }

    /// The description of the answer with this status, made when it is missing.
    #[expect(clippy::indexing_slicing, reason = "the position is that of an element")]
    pub fn response(&mut self, status: StatusCode) -> &mut ResponseObject {
        let known = self.responses.iter().position(|response| response.status == status);
        let position = known.unwrap_or_else(|| {
            self.responses.push(ResponseObject::new(status));
            self.responses.len() - 1
        });
        &mut self.responses[position]
    }

    /// A parameter by location and name.
    #[must_use]
    pub fn parameter(&self, location: Location, name: &str) -> Option<&ParameterObject> {
        self.parameters.iter().find(|parameter| parameter.location == location && parameter.name == name)
    }
}
