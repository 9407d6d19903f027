//! Defines [`Document`], [`Info`], [`PathItem`] and [`Components`], the objects of an OpenAPI document.

use std::collections::BTreeMap;
use std::sync::Arc;

use restwright_runtime::Api;
use restwright_runtime::core::operation::{
    ContactObject, ExternalDocumentationObject, HeaderObject, LicenseObject, Operation, ResponseObject, SecurityScheme,
    ServerObject, TagObject,
};
use serde::Serialize;
use serde_json::Value;

use super::ByName;
use crate::generate::versions::DocumentOptions;

/// An OpenAPI document. [`from_api`](Self::from_api) creates version 3.1, with schemas in JSON Schema 2020-12.
/// [`with_options`](Self::with_options) also creates 3.0 and 3.2.
///
/// The document contains the operations of the Api with their rendered schemas. All parts have a fixed order, so the
/// same application always has the same document, byte for byte.
///
/// ```
/// use restwright_runtime::core::Configuration;
/// use restwright_runtime::Api;
/// use restwright_openapi::Document;
///
/// let api = Api::builder(Configuration::new("animals", "1.0.0")).build()?;
/// let document = Document::from_api(&api);
/// assert_eq!(document.info.title, "animals");
/// assert!(document.to_json().starts_with("{\n  \"openapi\": \"3.1.0\""));
/// # Ok::<(), restwright_runtime::core::BuildErrors>(())
/// ```
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct Document {
    /// The version of the OpenAPI specification, such as `3.1.0`.
    pub openapi: &'static str,
    /// The name, version and contact of the service.
    pub info: Info,
    /// A link to external documentation.
    #[serde(rename = "externalDocs", skip_serializing_if = "Option::is_none")]
    pub external_docs: Option<ExternalDocumentationObject>,
    /// The URLs of the service.
    pub servers: Vec<ServerObject>,
    /// The tags of operations, in the order of their first use. Tags that only health checks and metrics use are last.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<TagObject>,
    /// The paths of the Api, each with its operations.
    pub paths: ByName<PathItem>,
    /// The headers that every response of the Api includes (`x-response-headers`). Operations list only additional
    /// headers.
    #[serde(rename = "x-response-headers", skip_serializing_if = "ByName::is_empty")]
    pub response_headers: ByName<HeaderObject<Value>>,
    /// The shared objects that operations refer to with `$ref`.
    #[serde(skip_serializing_if = "Components::is_empty")]
    pub components: Components,
}

impl Document {
    /// Creates the OpenAPI 3.1 document of an Api. Hidden operations are omitted.
    ///
    /// OpenAPI 3.1 supports eight methods: `GET`, `HEAD`, `POST`, `PUT`, `PATCH`, `DELETE`, `OPTIONS` and `TRACE`.
    /// Operations with another method are not included.
    #[must_use]
    pub fn from_api(api: &Api) -> Self {
        Self::with_options(api, &DocumentOptions::default())
    }

    /// Returns the document as indented JSON with a final line break, for files.
    #[must_use]
    pub fn to_json(&self) -> String {
        // A `Value` is pretty-printed, so the types of the document are compiled for only one serializer.
        let value = serde_json::from_str::<Value>(&self.to_compact_json());
        value.and_then(|value| serde_json::to_string_pretty(&value)).unwrap_or_default() + "\n"
    }

    /// Returns the document as JSON without white space, for responses.
    #[must_use]
    pub fn to_compact_json(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }
}

/// The name, version and contact of a service.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Info {
    /// The name of the service.
    pub title: String,
    /// The version of the service.
    pub version: String,
    /// The description of the service, in CommonMark.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The URL of the terms of service.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub terms_of_service: Option<String>,
    /// The contact for questions about the service.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contact: Option<ContactObject>,
    /// The licence under which clients may use the service.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub license: Option<LicenseObject>,
}

/// The operations of one path.
#[derive(Debug, Clone, Default, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct PathItem {
    /// The operation for `GET` requests.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub get: Option<Operation<Value>>,
    /// The operation for `HEAD` requests, if a route declares it. Every `GET` operation also serves `HEAD`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub head: Option<Operation<Value>>,
    /// The operation for `POST` requests.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub post: Option<Operation<Value>>,
    /// The operation for `PUT` requests.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub put: Option<Operation<Value>>,
    /// The operation for `PATCH` requests.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub patch: Option<Operation<Value>>,
    /// The operation for `DELETE` requests.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delete: Option<Operation<Value>>,
    /// The operation for `OPTIONS` requests, if a route declares it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub options: Option<Operation<Value>>,
    /// The operation for `TRACE` requests.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trace: Option<Operation<Value>>,
    /// The operation for `QUERY` requests, which only OpenAPI 3.2 supports.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub query: Option<Operation<Value>>,
    /// The operations for all other methods, by method. Only OpenAPI 3.2 supports them.
    #[serde(skip_serializing_if = "ByName::is_empty")]
    pub additional_operations: ByName<Operation<Value>>,
}

impl PathItem {
    /// Stores an operation in the field of its HTTP method.
    pub(super) fn insert(&mut self, operation: Operation<Value>) {
        let place = match operation.method.as_str() {
            "GET" => &mut self.get,
            "HEAD" => &mut self.head,
            "POST" => &mut self.post,
            "PUT" => &mut self.put,
            "PATCH" => &mut self.patch,
            "DELETE" => &mut self.delete,
            "OPTIONS" => &mut self.options,
            "TRACE" => &mut self.trace,
            "QUERY" => &mut self.query,
            other => {
                let method = other.to_owned();
                self.additional_operations.get_or_insert_with(&method, || operation);
                return;
            }
        };
        *place = Some(operation);
    }

    /// Returns all operations of the path.
    pub(crate) fn operations_mut(&mut self) -> impl Iterator<Item = &mut Operation<Value>> {
        let fixed = [
            &mut self.get,
            &mut self.head,
            &mut self.post,
            &mut self.put,
            &mut self.patch,
            &mut self.delete,
            &mut self.options,
            &mut self.trace,
            &mut self.query,
        ];
        fixed.into_iter().flatten().chain(self.additional_operations.iter_mut().map(|(_, operation)| operation))
    }
}

/// The shared objects of a document, which operations refer to with `$ref`.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Components {
    /// The named schemas in JSON Schema 2020-12, by name. Documents of one Api share them.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub schemas: BTreeMap<String, Arc<Value>>,
    /// The error responses (4xx and 5xx) that operations share.
    #[serde(skip_serializing_if = "ByName::is_empty")]
    pub responses: ByName<ResponseObject<Value>>,
    /// The headers that several responses share.
    #[serde(skip_serializing_if = "ByName::is_empty")]
    pub headers: ByName<HeaderObject<Value>>,
    /// The security schemes, by the names of their authenticators.
    #[serde(skip_serializing_if = "ByName::is_empty")]
    pub security_schemes: ByName<SecurityScheme>,
}

impl Components {
    /// Returns `true` if the document contains no shared objects.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}
