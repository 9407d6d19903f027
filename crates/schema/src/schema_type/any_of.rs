//! Defines the type of an untagged union, whose value matches at least one of several schemas (`anyOf`).

use crate::schema_object::SchemaObject;

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct AnyOfType {
    pub(crate) variants: Vec<SchemaObject>,
}
