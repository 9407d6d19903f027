//! Defines OpenAPI objects for request bodies, media types and examples.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;

use super::SchemaUse;
use super::keyed::{Keyed, by_key};

/// The request body of an operation (OpenAPI 3.1, Request Body Object).
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(bound = "S: Serialize")]
#[non_exhaustive]
pub struct RequestBodyObject<S = SchemaUse> {
    /// The description of the body, in CommonMark.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// `true` if a request without a body is rejected.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub required: bool,
    /// The accepted media types of the body. They are serialized as a map with their names as keys.
    #[serde(serialize_with = "by_key")]
    pub content: Vec<MediaTypeObject<S>>,
}

impl<S> RequestBodyObject<S> {
    /// Creates a required body without a description.
    #[must_use]
    pub fn new(content: impl IntoIterator<Item = MediaTypeObject<S>>) -> Self {
        Self { description: None, required: true, content: content.into_iter().collect() }
    }

    /// Sets the description of the body, in CommonMark.
    #[must_use]
    pub fn description(mut self, description: impl Into<String>) -> Self {
        self.description = Some(description.into());
        self
    }

    /// Makes the body optional.
    #[must_use]
    pub fn optional(mut self) -> Self {
        self.required = false;
        self
    }

    pub(super) fn render<T>(&self, render: &mut dyn FnMut(&S, Option<&str>) -> T) -> RequestBodyObject<T> {
        let description = self.description.as_deref();
        RequestBodyObject {
            description: self.description.clone(),
            required: self.required,
            content: self.content.iter().map(|content| content.render(description, render)).collect(),
        }
    }
}

/// A media type of a body, with its schema and examples (OpenAPI 3.1, Media Type Object).
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct MediaTypeObject<S = SchemaUse> {
    /// The media type, such as `application/json`.
    #[serde(skip)]
    pub name: String,
    /// The schema of the body, or `None` if the body is raw bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schema: Option<S>,
    /// The schema of each item of a stream, such as the data of server-sent events (OpenAPI 3.2, Media Type Object).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub item_schema: Option<S>,
    /// Examples of the body.
    #[serde(skip_serializing_if = "Vec::is_empty", serialize_with = "by_key")]
    pub examples: Vec<ExampleObject>,
    /// The encodings of properties of a form, by name (OpenAPI 3.1, Encoding Object).
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub encoding: BTreeMap<String, EncodingObject>,
    /// The OpenAPI extensions of the media type. Their names start with `x-`.
    #[serde(flatten)]
    pub extensions: BTreeMap<String, Value>,
}

impl<S> MediaTypeObject<S> {
    /// Creates a media type without a schema.
    #[must_use]
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            schema: None,
            item_schema: None,
            examples: Vec::new(),
            encoding: BTreeMap::new(),
            extensions: BTreeMap::new(),
        }
    }

    /// Creates the media type `application/json` with a schema.
    #[must_use]
    pub fn json(schema: S) -> Self {
        Self::new("application/json").schema(schema)
    }

    /// Sets the schema of the media type.
    #[must_use]
    pub fn schema(mut self, schema: S) -> Self {
        self.schema = Some(schema);
        self
    }

    /// Sets the schema of the items of a stream.
    #[must_use]
    pub fn item_schema(mut self, schema: S) -> Self {
        self.item_schema = Some(schema);
        self
    }

    /// Returns the schema of the body and the schema of its items.
    pub(super) fn schemas(&self) -> impl Iterator<Item = &S> {
        self.schema.iter().chain(&self.item_schema)
    }

    pub(super) fn render<T>(
        &self,
        description: Option<&str>,
        render: &mut dyn FnMut(&S, Option<&str>) -> T,
    ) -> MediaTypeObject<T> {
        MediaTypeObject {
            name: self.name.clone(),
            schema: self.schema.as_ref().map(|schema| render(schema, description)),
            item_schema: self.item_schema.as_ref().map(|schema| render(schema, None)),
            examples: self.examples.clone(),
            encoding: self.encoding.clone(),
            extensions: self.extensions.clone(),
        }
    }
}

impl<S> Keyed for MediaTypeObject<S> {
    fn key(&self) -> &str {
        &self.name
    }
}

/// The encoding of a property of a form (OpenAPI 3.1, Encoding Object).
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct EncodingObject {
    /// The media types of the property, such as `image/png, image/jpeg`.
    pub content_type: String,
}

impl EncodingObject {
    /// Creates an encoding with media types.
    #[must_use]
    pub fn new(content_type: impl Into<String>) -> Self {
        Self { content_type: content_type.into() }
    }
}

/// An example of a body or a parameter (OpenAPI 3.1, Example Object).
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ExampleObject {
    /// The key of the example in the OpenAPI document.
    #[serde(skip)]
    pub name: String,
    /// A short summary of the example.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// The example value.
    pub value: Value,
}

impl ExampleObject {
    /// Creates an example without a summary.
    #[must_use]
    pub fn new(name: impl Into<String>, value: impl Into<Value>) -> Self {
        Self { name: name.into(), summary: None, value: value.into() }
    }

    /// Sets the summary of the example.
    #[must_use]
    pub fn summary(mut self, summary: impl Into<String>) -> Self {
        self.summary = Some(summary.into());
        self
    }
}

impl Keyed for ExampleObject {
    fn key(&self) -> &str {
        &self.name
    }
}
