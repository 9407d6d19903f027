//! [`SchemaUse`]: a schema in a request or a response.

use restwright_schema::{Mode, SchemaObject, SchemaSide};

/// A schema in a request or a response, optionally for one [`Mode`] of a resource.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct SchemaUse {
    /// The schema.
    pub schema: SchemaObject,
    /// The side: input (request) or output (response).
    pub side: SchemaSide,
    /// The mode, if the schema contains only the properties that exist in this mode.
    pub mode: Option<Mode>,
    /// `true` if the value is stored. Its strings must not contain the character NUL (U+0000), because databases do not
    /// store it.
    pub is_stored: bool,
}

impl SchemaUse {
    /// Creates a schema for requests.
    #[must_use]
    pub fn input(schema: impl Into<SchemaObject>) -> Self {
        Self { schema: schema.into(), side: SchemaSide::Input, mode: None, is_stored: false }
    }

    /// Creates a schema for responses.
    #[must_use]
    pub fn output(schema: impl Into<SchemaObject>) -> Self {
        Self { schema: schema.into(), side: SchemaSide::Output, mode: None, is_stored: false }
    }

    /// Limits the schema to the properties that exist in a mode.
    #[must_use]
    pub fn mode(mut self, mode: Mode) -> Self {
        self.mode = Some(mode);
        self
    }

    /// Marks the value as stored. Its strings must not contain the character NUL (U+0000).
    #[must_use]
    pub fn stored(mut self) -> Self {
        self.is_stored = true;
        self
    }
}
