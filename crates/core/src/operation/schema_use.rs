//! Defines [`SchemaUse`], a schema that is used in a request or a response.

use restwright_schema::{Mode, SchemaObject, SchemaSide};

/// A schema that is used in a request or a response.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct SchemaUse {
    /// The schema of the value.
    pub schema: SchemaObject,
    /// The direction in which the value is sent, as input (request) or output (response).
    pub side: SchemaSide,
    /// The mode that limits the properties of the schema, such as [`Mode::Create`]. `None` means all properties.
    pub mode: Option<Mode>,
    /// `true` if the value is stored in a database. Strings in the value must then not contain NUL (U+0000).
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

    /// Limits the schema to the properties of one [`Mode`].
    #[must_use]
    pub fn mode(mut self, mode: Mode) -> Self {
        self.mode = Some(mode);
        self
    }

    /// Marks the value as stored in a database. Strings in the value must then not contain NUL (U+0000).
    #[must_use]
    pub fn stored(mut self) -> Self {
        self.is_stored = true;
        self
    }
}
