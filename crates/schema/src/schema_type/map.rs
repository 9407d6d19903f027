//! Defines the map type, which is an object with arbitrary property names and one schema for all values.

use super::count::PropertyCount;
use crate::schema_object::SchemaObject;

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct MapType {
    pub(crate) values: SchemaObject,
    pub(crate) count: PropertyCount,
}

impl MapType {
    pub(crate) fn new(values: SchemaObject) -> Self {
        Self { values, count: PropertyCount::default() }
    }
}
