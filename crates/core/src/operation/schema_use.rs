//! The use of a schema in an operation.

use restwright_schema::{Mode, SchemaObject, SchemaSide};

/// A schema as an operation uses it: on one side, and optionally in one mode.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct SchemaUse {
    /// The schema.
    pub schema: SchemaObject,
    /// The side: input (request) or output (response).
    pub side: SchemaSide,
    /// The mode that the schema is projected to.
    pub mode: Option<Mode>,
    /// `true` if the value is stored. Its strings do not contain the character NUL, because databases do not store it.
    pub is_stored: bool,
}

impl SchemaUse {
    /// Creates the use of a schema in a request.
    #[must_use]
    pub fn input(schema: impl Into<SchemaObject>) -> Self {
        Self { schema: schema.into(), side: SchemaSide::Input, mode: None, is_stored: false }
    }

    /// Creates the use of a schema in a response.
    #[must_use]
    pub fn output(schema: impl Into<SchemaObject>) -> Self {
        Self { schema: schema.into(), side: SchemaSide::Output, mode: None, is_stored: false }
    }

    /// Projects the schema to a mode.
    #[must_use]
    pub fn mode(mut self, mode: Mode) -> Self {
        self.mode = Some(mode);
        self
    }

    /// Excludes the character NUL from the strings, because the value is stored.
    #[must_use]
    pub fn stored(mut self) -> Self {
        self.is_stored = true;
        self
    }
}
