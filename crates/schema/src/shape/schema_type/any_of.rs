//! Defines the type of an untagged union, whose value matches at least one of several schemas (`anyOf`).

use crate::shape::schema_object::SchemaObject;

#[derive(Clone, Debug, PartialEq)]
pub(in crate::shape) struct AnyOfType {
    pub(in crate::shape) variants: Vec<SchemaObject>,
}
