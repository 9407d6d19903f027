//! A thing in its place, or where it stands.

use serde::Serialize;

/// A thing written in place, or a reference to where it stands among the components.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum OrReference<T> {
    /// Where it stands, such as `#/components/responses/NotFound`.
    Reference {
        /// The reference.
        #[serde(rename = "$ref")]
        reference: String,
    },
    /// The thing.
    Inline(T),
}

impl<T> OrReference<T> {
    /// A reference to a component of a section, such as `responses`.
    pub(crate) fn component(section: &str, name: &str) -> Self {
        Self::Reference { reference: format!("#/components/{section}/{name}") }
    }
}
