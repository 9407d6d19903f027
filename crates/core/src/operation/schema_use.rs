//! The use of a schema by an operation.

use restwright_schema::{Mode, SchemaObject, SchemaSide};

/// The use of a schema: which one, which of its sides, projected to which mode.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct SchemaUse {
    /// The schema.
    pub schema: SchemaObject,
    /// The side: read or written.
    pub side: SchemaSide,
    /// The mode to which it is projected.
    pub mode: Option<Mode>,
}

impl SchemaUse {
    /// Uses a schema that is read.
    #[must_use]
    pub fn input(schema: impl Into<SchemaObject>) -> Self {
        Self { schema: schema.into(), side: SchemaSide::Input, mode: None }
    }

    /// Uses a schema that is written.
    #[must_use]
    pub fn output(schema: impl Into<SchemaObject>) -> Self {
        Self { schema: schema.into(), side: SchemaSide::Output, mode: None }
    }

    /// Projects the schema to a mode.
    #[must_use]
    pub fn mode(mut self, mode: Mode) -> Self {
        self.mode = Some(mode);
        self
    }
}
