//! The document itself: small structs in the vocabulary of OpenAPI 3.1, with JSON Schema 2020-12 as plain values.
//!
//! Everything is ordered, so that equal applications make equal documents, byte for byte.

mod body;
mod components;
mod info;
mod operation;
mod parameter;
mod reference;
mod response;
mod security;

use std::collections::BTreeMap;

use restwright_core::Api;
use serde::Serialize;

pub use body::{Example, MediaType, RequestBody};
pub use components::Components;
pub use info::{Info, Server, Tag};
pub use operation::{Operation, PathItem};
pub use parameter::Parameter;
pub use reference::OrReference;
pub use response::{Header, Link, Response};
pub use security::{OAuthFlow, SecurityRequirement, SecurityScheme};

/// An OpenAPI 3.1 document.
///
/// ```
/// use restwright_core::{Api, Configuration};
/// use restwright_openapi::Document;
///
/// let api = Api::builder(Configuration::new("animals", "1.0.0")).build()?;
/// let document = Document::of(&api);
/// assert_eq!(document.info.title, "animals");
/// assert!(document.to_json().starts_with("{\n  \"openapi\": \"3.1.0\""));
/// # Ok::<(), restwright_core::BuildErrors>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Document {
    /// The version of the specification.
    pub openapi: &'static str,
    /// What the service is.
    pub info: Info,
    /// Where the service is.
    pub servers: Vec<Server>,
    /// The groups of operations, in the order in which operations first name them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<Tag>,
    /// The operations by path.
    pub paths: BTreeMap<String, PathItem>,
    /// What operations refer to.
    #[serde(skip_serializing_if = "Components::is_empty")]
    pub components: Components,
}

impl Document {
    /// Describes every operation that is not hidden.
    ///
    /// OpenAPI 3.1 knows eight methods; an operation with another one is left out.
    #[must_use]
    pub fn of(api: &Api) -> Self {
        crate::generate::document(api)
    }

    /// The document as indented JSON that ends with a line break, as it is kept in a file.
    #[must_use]
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }

    /// The document as JSON without white space, as it is sent.
    #[must_use]
    pub fn to_compact_json(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }
}
