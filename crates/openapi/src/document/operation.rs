//! Paths and their operations.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;

use super::{OrReference, Parameter, RequestBody, Response, SecurityRequirement};

/// The operations of one path.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct PathItem {
    /// The operation of `GET`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub get: Option<Operation>,
    /// The operation of `HEAD`, where it is declared; every `GET` also answers it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub head: Option<Operation>,
    /// The operation of `POST`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub post: Option<Operation>,
    /// The operation of `PUT`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub put: Option<Operation>,
    /// The operation of `PATCH`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub patch: Option<Operation>,
    /// The operation of `DELETE`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delete: Option<Operation>,
    /// The operation of `OPTIONS`, where it is declared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub options: Option<Operation>,
    /// The operation of `TRACE`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trace: Option<Operation>,
}

impl PathItem {
    /// The place of a method's operation; none for a method that OpenAPI 3.1 does not know.
    pub fn operation_mut(&mut self, method: &str) -> Option<&mut Option<Operation>> {
        match method {
            "GET" => Some(&mut self.get),
            "HEAD" => Some(&mut self.head),
            "POST" => Some(&mut self.post),
            "PUT" => Some(&mut self.put),
            "PATCH" => Some(&mut self.patch),
            "DELETE" => Some(&mut self.delete),
            "OPTIONS" => Some(&mut self.options),
            "TRACE" => Some(&mut self.trace),
            _ => None,
        }
    }
}

/// A method on a path.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Operation {
    /// The stable name, unique in the document.
    pub operation_id: String,
    /// A few words.
    pub summary: String,
    /// Several sentences, CommonMark.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The groups in which it is shown.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// Whether clients should stop using it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub deprecated: bool,
    /// Who may call: alternatives, or nothing for anybody.
    pub security: Vec<SecurityRequirement>,
    /// What travels in path, query, headers and cookies.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub parameters: Vec<Parameter>,
    /// What travels in the body.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request_body: Option<RequestBody>,
    /// The answers by status.
    pub responses: BTreeMap<String, OrReference<Response>>,
    /// Members of the application's own, `x-` first.
    #[serde(flatten)]
    pub extensions: BTreeMap<String, Value>,
}
