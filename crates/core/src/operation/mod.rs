//! Contains a model of API operations that is based on the objects of OpenAPI 3.1.
//!
//! Code that reads a part of a request or creates a response describes itself by adding to an [`Operation`]. Documents,
//! generated types and the test client read the operation. The model is generic over its schemas: declarations use
//! [`SchemaUse`], and [`Operation::render`] creates the schemas of a document. The rendered objects serialise as the
//! OpenAPI objects of the same names.

mod body;
pub(crate) mod failure;
mod keyed;
mod messages;
mod parameter;
mod reference;
mod response;
mod run_time;
mod schema_use;
mod security;

use std::collections::BTreeMap;

use http::header::ACCEPT;
use http::{HeaderName, HeaderValue, Method, StatusCode};
use serde::{Serialize, Serializer};
use serde_json::Value;

use crate::problem::{ProblemKind, SharedErrorForm};
use keyed::by_key;

pub use crate::information::{ContactObject, ExternalDocumentationObject, LicenseObject, ServerObject, TagObject};
pub use body::{EncodingObject, ExampleObject, MediaTypeObject, RequestBodyObject};
pub use failure::FailureResponse;
pub use messages::MessagesObject;
pub use parameter::{ParameterLocation, ParameterObject, ParameterStyle};
pub use reference::{OrReference, Reference};
pub use response::{HeaderObject, LinkObject, ResponseObject};
pub use run_time::RunTimeShapes;
pub use schema_use::SchemaUse;
pub use security::{ApiKeyLocation, OAuthFlow, OAuthFlowKind, SecurityRequirement, SecurityScheme};

/// An OpenAPI operation, which is a method on a path.
///
/// Request parts and middlewares may change every field except the method, path and id.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Operation<S = SchemaUse> {
    /// The stable id of the operation. It is unique within the Api.
    #[serde(rename = "operationId")]
    pub id: String,
    /// The HTTP method.
    #[serde(skip)]
    pub method: Method,
    /// The path template, such as `/pets/{id}`.
    #[serde(skip)]
    pub path: String,
    /// The summary of the operation, in a few words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// The description of the operation, in CommonMark.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The tags that group operations in the OpenAPI document. Only their names are serialized.
    #[serde(skip_serializing_if = "Vec::is_empty", serialize_with = "names")]
    pub tags: Vec<TagObject>,
    /// `true` if clients should stop using the operation.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub deprecated: bool,
    /// The security requirements of the operation. A request must satisfy one of them. The list is empty for a public
    /// operation.
    pub security: Vec<SecurityRequirement>,
    /// The parameters in the path, the query string, headers and cookies.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub parameters: Vec<ParameterObject<S>>,
    /// The body of the request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request_body: Option<RequestBodyObject<S>>,
    /// The responses, one per status.
    ///
    /// A declared operation contains only success responses, all inline. A document adds the error responses, as
    /// references.
    #[serde(serialize_with = "by_key")]
    pub responses: Vec<OrReference<ResponseObject<S>>>,
    /// The messages of a WebSocket, which OpenAPI cannot describe. Documents contain them as the extension `x-websocket`.
    #[serde(rename = "x-websocket", skip_serializing_if = "Option::is_none")]
    pub messages: Option<MessagesObject<S>>,
    /// The kinds of problem that the operation can return. The OpenAPI document lists them as error responses.
    #[serde(skip)]
    pub problems: Vec<ProblemKind>,
    /// The headers that all responses share. The OpenAPI document lists them in each response.
    #[serde(skip)]
    pub common_headers: Vec<HeaderObject<S>>,
    /// The request headers that the pipeline reads but the OpenAPI document omits, such as `X-Request-Id` and
    /// `traceparent`.
    #[serde(skip)]
    pub unlisted_headers: Vec<HeaderName>,
    /// The OpenAPI extensions of the operation. Documents include only extensions whose names start with `x-`.
    #[serde(flatten)]
    pub extensions: BTreeMap<String, Value>,
    /// `true` if the operation returns a list that clients can filter, sort or paginate.
    #[serde(skip)]
    pub is_list: bool,
    /// `true` if the operation serves a documentation file of the Api, such as the OpenAPI document.
    #[serde(skip)]
    pub is_documentation: bool,
    /// The parameters, responses and list fields that are declared at run time, without Rust types.
    #[serde(skip)]
    pub run_time: RunTimeShapes,
    /// The custom error format of the Api, if the Api has one.
    #[serde(skip)]
    #[doc(hidden)]
    pub error_form: Option<SharedErrorForm>,
    /// The tags of the languages into which the Api translates problems.
    #[serde(skip)]
    #[doc(hidden)]
    pub languages: Vec<String>,
}

/// Serializes tags as their names.
fn names<S: Serializer>(tags: &[TagObject], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(tags.iter().map(|tag| &tag.name))
}

impl<S> Operation<S> {
    /// Creates an operation with only its id, method and path.
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
            security: Vec::new(),
            parameters: Vec::new(),
            request_body: None,
            responses: Vec::new(),
            messages: None,
            problems: Vec::new(),
            common_headers: Vec::new(),
            unlisted_headers: Vec::new(),
            extensions: BTreeMap::new(),
            is_list: false,
            is_documentation: false,
            run_time: RunTimeShapes::default(),
            error_form: None,
            languages: Vec::new(),
        }
    }

    /// Returns the response header that lists the media types that the operation accepts as a request body. Returns
    /// `None` if the operation has no request body.
    ///
    /// The header is `Accept-Patch` (RFC 5789, section 3.1) for `PATCH`, `Accept-Query` (RFC 10008, section 3) for
    /// `QUERY`, and `Accept` (RFC 9110, section 12.5.1) for other methods.
    #[must_use]
    pub fn accepted_bodies(&self) -> Option<(HeaderName, HeaderValue)> {
        let content = &self.request_body.as_ref()?.content;
        let names: Vec<_> = content.iter().map(|content| content.name.as_str()).collect();
        let (name, value) = match self.method {
            Method::PATCH => (HeaderName::from_static("accept-patch"), names.join(", ")),
            // A list of strings (RFC 9651, section 3.3.3).
            Method::QUERY => (HeaderName::from_static("accept-query"), format!("\"{}\"", names.join("\", \""))),
            _ => (ACCEPT, names.join(", ")),
        };
        Some((name, HeaderValue::try_from(value).ok()?))
    }

    /// Adds a kind of problem that the operation can return. Does nothing if the kind is already listed.
    pub fn add_problem(&mut self, kind: ProblemKind) {
        if !self.problems.contains(&kind) {
            self.problems.push(kind);
        }
    }

    /// Adds a header to all success and error responses. Does nothing if a header with this name is already listed.
    pub fn add_common_header(&mut self, header: HeaderObject<S>) {
        if !self.common_headers.iter().any(|known| known.name.eq_ignore_ascii_case(&header.name)) {
            self.common_headers.push(header);
        }
    }

    /// Returns the inline response for a status. If there is no inline response, inserts an empty one.
    ///
    /// A reference for this status is replaced.
    #[expect(clippy::indexing_slicing, reason = "the position was just found")]
    pub fn response(&mut self, status: StatusCode) -> &mut ResponseObject<S> {
        let known = self.responses.iter().position(|response| response.key() == status.as_str());
        let position = known.unwrap_or(self.responses.len());
        if known.is_none() {
            self.responses.push(OrReference::Inline(ResponseObject::new(status)));
        }
        self.responses[position].inline_or_insert_with(|| ResponseObject::new(status))
    }

    /// Returns the inline responses, without references to components.
    pub fn inline_responses(&self) -> impl Iterator<Item = &ResponseObject<S>> {
        self.responses.iter().filter_map(OrReference::inline)
    }

    /// Returns the parameter with this location and name, or `None` if there is no such parameter.
    #[must_use]
    pub fn parameter(&self, location: ParameterLocation, name: &str) -> Option<&ParameterObject<S>> {
        self.parameters.iter().find(|parameter| parameter.location == location && parameter.name == name)
    }

    /// Returns the schemas of all parameters, bodies and response headers.
    pub fn schemas(&self) -> impl Iterator<Item = &S> {
        let mut schemas: Vec<_> = self.parameters.iter().map(|parameter| &parameter.schema).collect();
        for response in self.inline_responses() {
            schemas.extend(response.inline_headers().map(|header| &header.schema));
        }
        if let Some(body) = &self.request_body {
            schemas.extend(body.content.iter().flat_map(MediaTypeObject::schemas));
        }
        for response in self.inline_responses() {
            schemas.extend(response.content.iter().flat_map(MediaTypeObject::schemas));
        }
        schemas.extend(self.messages.iter().flat_map(MessagesObject::schemas));
        schemas.into_iter()
    }

    /// Reduces the capacity of each list to its length, because an operation lives as long as its Api.
    pub(crate) fn shrink_to_fit(&mut self) {
        self.tags.shrink_to_fit();
        self.security.shrink_to_fit();
        self.parameters.shrink_to_fit();
        if let Some(body) = &mut self.request_body {
            body.content.shrink_to_fit();
        }
        self.responses.shrink_to_fit();
        for response in self.responses.iter_mut().filter_map(OrReference::inline_mut) {
            response.headers.shrink_to_fit();
            response.content.shrink_to_fit();
            response.links.shrink_to_fit();
        }
        self.problems.shrink_to_fit();
        self.common_headers.shrink_to_fit();
        self.unlisted_headers.shrink_to_fit();
    }

    /// Converts each schema of the operation with `render`, for example to JSON Schema.
    ///
    /// `render` also receives the description of the object that contains the schema. Problems and common headers are
    /// omitted, because documents list them elsewhere.
    pub fn render<T>(&self, render: &mut dyn FnMut(&S, Option<&str>) -> T) -> Operation<T> {
        Operation {
            summary: self.summary.clone(),
            description: self.description.clone(),
            tags: self.tags.clone(),
            deprecated: self.deprecated,
            security: self.security.clone(),
            parameters: self.parameters.iter().map(|parameter| parameter.render(render)).collect(),
            request_body: self.request_body.as_ref().map(|body| body.render(render)),
            responses: self.responses.iter().map(|one| one.map(|response| response.render(render))).collect(),
            messages: self.messages.as_ref().map(|messages| messages.render(render)),
            extensions: self.extensions.clone(),
            ..Operation::new(self.id.clone(), self.method.clone(), self.path.clone())
        }
    }
}
