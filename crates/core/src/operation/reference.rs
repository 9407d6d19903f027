//! Defines OpenAPI objects that are either inline or a reference to a component.

use serde::Serialize;

use super::keyed::Keyed;

/// An inline object, or a reference to a component of the OpenAPI document.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum OrReference<T> {
    /// An inline object.
    Inline(T),
    /// A reference to a component. References exist only in documents, not in declared operations.
    Reference(Reference),
}

/// A reference to a component of the same document (OpenAPI 3.1, Reference Object).
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Reference {
    #[serde(skip)]
    key: String,
    #[serde(rename = "$ref")]
    uri: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
}

impl Reference {
    /// Creates a reference to the component `name` in a section of `components`, such as `responses`.
    ///
    /// `key` is the key of the reference in the map that contains the reference, such as a status.
    #[must_use]
    pub fn component(key: impl Into<String>, section: &str, name: &str) -> Self {
        Self { key: key.into(), uri: ["#/components/", section, "/", name].concat(), description: None }
    }

    /// Sets a description, which overrides the description of the component.
    #[must_use]
    pub fn with_description(mut self, description: impl Into<String>) -> Self {
        self.description = Some(description.into());
        self
    }

    /// Returns the description set by [`with_description`](Self::with_description).
    #[must_use]
    pub fn description(&self) -> Option<&str> {
        self.description.as_deref()
    }

    /// Returns the URI of the reference, such as `#/components/responses/NotFound`.
    #[must_use]
    pub fn uri(&self) -> &str {
        &self.uri
    }
}

impl<T> OrReference<T> {
    /// Returns the inline object, or `None` if this is a [`Reference`].
    pub fn inline(&self) -> Option<&T> {
        match self {
            Self::Inline(object) => Some(object),
            Self::Reference(_) => None,
        }
    }

    /// Returns a mutable reference to the inline object, or `None` if this is a [`Reference`].
    pub fn inline_mut(&mut self) -> Option<&mut T> {
        match self {
            Self::Inline(object) => Some(object),
            Self::Reference(_) => None,
        }
    }

    pub(super) fn inline_or_insert_with(&mut self, make: impl FnOnce() -> T) -> &mut T {
        if let Self::Reference(_) = self {
            *self = Self::Inline(make());
        }
        match self {
            Self::Inline(object) => object,
            Self::Reference(_) => unreachable!("a reference was replaced"),
        }
    }

    pub(super) fn map<U>(&self, map: impl FnOnce(&T) -> U) -> OrReference<U> {
        match self {
            Self::Inline(object) => OrReference::Inline(map(object)),
            Self::Reference(reference) => OrReference::Reference(reference.clone()),
        }
    }
}

#[expect(private_bounds, reason = "only objects of this model have keys")]
impl<T: Keyed> OrReference<T> {
    /// Returns the key under which the OpenAPI document lists the object. The key of a response is its status. The key
    /// of a header is its name.
    pub fn key(&self) -> &str {
        match self {
            Self::Inline(object) => object.key(),
            Self::Reference(reference) => &reference.key,
        }
    }
}

impl<T: Keyed> Keyed for OrReference<T> {
    fn key(&self) -> &str {
        OrReference::key(self)
    }
}
