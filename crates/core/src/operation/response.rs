//! Defines OpenAPI objects for responses, headers and links.

use std::collections::BTreeMap;

use http::StatusCode;
use serde::Serialize;
use serde_json::Value;

use super::keyed::{Keyed, by_key};
use super::{MediaTypeObject, OrReference, SchemaUse};

/// A response of an operation for one status (OpenAPI 3.1, Response Object).
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(bound = "S: Serialize")]
#[non_exhaustive]
pub struct ResponseObject<S = SchemaUse> {
    /// The status of the response.
    #[serde(skip)]
    pub status: StatusCode,
    /// The description of the response, in CommonMark. If it is `None`, the OpenAPI document uses the reason phrase of
    /// the status.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The headers of the response. They are serialized as a map with their names as keys.
    #[serde(skip_serializing_if = "Vec::is_empty", serialize_with = "by_key")]
    pub headers: Vec<OrReference<HeaderObject<S>>>,
    /// The media types of the body. They are serialized as a map with their names as keys.
    ///
    /// The list is empty for a response without a body.
    #[serde(skip_serializing_if = "Vec::is_empty", serialize_with = "by_key")]
    pub content: Vec<MediaTypeObject<S>>,
    /// The links to operations that a client can call next. They are serialized as a map with the link names as keys.
    #[serde(skip_serializing_if = "Vec::is_empty", serialize_with = "by_key")]
    pub links: Vec<LinkObject>,
}

impl<S> ResponseObject<S> {
    /// Creates a response without headers or a body.
    #[must_use]
    pub fn new(status: StatusCode) -> Self {
        Self { status, description: None, headers: Vec::new(), content: Vec::new(), links: Vec::new() }
    }

    /// Adds a header unless a header with the same name exists.
    pub fn add_header(&mut self, header: HeaderObject<S>) {
        if !self.headers.iter().any(|known| known.key().eq_ignore_ascii_case(&header.name)) {
            self.headers.push(OrReference::Inline(header));
        }
    }

    /// Returns the inline headers, without references to components.
    pub fn inline_headers(&self) -> impl Iterator<Item = &HeaderObject<S>> {
        self.headers.iter().filter_map(OrReference::inline)
    }

    pub(super) fn render<T>(&self, render: &mut dyn FnMut(&S, Option<&str>) -> T) -> ResponseObject<T> {
        let description = self.description.as_deref();
        ResponseObject {
            status: self.status,
            description: self.description.clone(),
            headers: self.headers.iter().map(|one| one.map(|header| header.render(render))).collect(),
            content: self.content.iter().map(|content| content.render(description, render)).collect(),
            links: self.links.clone(),
        }
    }
}

impl<S> Keyed for ResponseObject<S> {
    fn key(&self) -> &str {
        self.status.as_str()
    }
}

/// A header of a response (OpenAPI 3.1, Header Object).
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct HeaderObject<S = SchemaUse> {
    /// The name of the header.
    #[serde(skip)]
    pub name: String,
    /// The description of the header, in CommonMark.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// `true` if every response with this status includes the header.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub required: bool,
    /// The schema of the header value.
    pub schema: S,
}

impl<S> HeaderObject<S> {
    /// Creates a required header.
    #[must_use]
    pub fn new(name: impl Into<String>, schema: S) -> Self {
        Self { name: name.into(), description: None, required: true, schema }
    }

    /// Sets the description of the header, in CommonMark.
    #[must_use]
    pub fn description(mut self, description: impl Into<String>) -> Self {
        self.description = Some(description.into());
        self
    }

    /// Makes the header optional.
    #[must_use]
    pub fn optional(mut self) -> Self {
        self.required = false;
        self
    }

    /// Converts the schema of the header with `render`. See [`Operation::render`](super::Operation::render).
    pub fn render<T>(&self, render: &mut dyn FnMut(&S, Option<&str>) -> T) -> HeaderObject<T> {
        HeaderObject {
            name: self.name.clone(),
            description: self.description.clone(),
            required: self.required,
            schema: render(&self.schema, self.description.as_deref()),
        }
    }
}

impl<S> Keyed for HeaderObject<S> {
    fn key(&self) -> &str {
        &self.name
    }
}

/// A link from a response to another operation (OpenAPI 3.1, Link Object).
///
/// The parameters of the link can use values of the response.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct LinkObject {
    /// The key of the link in the OpenAPI document.
    #[serde(skip)]
    pub name: String,
    /// The id of the linked operation.
    pub operation_id: String,
    /// The parameters of the linked operation. Their values are constants, or runtime expressions such as
    /// `$response.body#/data/id`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub parameters: BTreeMap<String, Value>,
    /// The description of the link, in CommonMark.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

impl LinkObject {
    /// Creates a link without parameters.
    #[must_use]
    pub fn new(name: impl Into<String>, operation_id: impl Into<String>) -> Self {
        Self { name: name.into(), operation_id: operation_id.into(), parameters: BTreeMap::new(), description: None }
    }

    /// Sets a parameter of the linked operation. The value is a constant, or a runtime expression such as
    /// `$response.body#/data/id`.
    #[must_use]
    pub fn parameter(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        self.parameters.insert(name.into(), value.into());
        self
    }

    /// Sets the description of the link, in CommonMark.
    #[must_use]
    pub fn description(mut self, description: impl Into<String>) -> Self {
        self.description = Some(description.into());
        self
    }
}

impl Keyed for LinkObject {
    fn key(&self) -> &str {
        &self.name
    }
}
