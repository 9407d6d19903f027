//! Defines the map type, which is an object with one schema for all values, and perhaps one for all property names.

use serde_json::{Map, Value};

use super::count::PropertyCount;
use super::{Scalar, ScalarType};
use crate::pending_violation::{PendingViolation, ViolationSink};
use crate::shape::schema_object::SchemaObject;

#[derive(Clone, Debug, PartialEq)]
pub(in crate::shape) struct MapType {
    /// The schema of the property names, or `None` if they can be any strings.
    pub(in crate::shape) keys: Option<SchemaObject>,
    pub(in crate::shape) values: SchemaObject,
    pub(in crate::shape) count: PropertyCount,
}

impl MapType {
    pub(in crate::shape) fn new(values: SchemaObject) -> Self {
        Self { keys: None, values, count: PropertyCount::default() }
    }
}

/// The values of a scalar type as the property names of a map.
impl ScalarType {
    /// Returns `true` if the values can be property names. Such a value has one spelling, apart from the case of a UUID.
    pub(in crate::shape) fn fits_names(&self) -> bool {
        match self {
            Self::String(_) | Self::Integer(_) | Self::Date(_) | Self::Uuid(_) => true,
            Self::Enumeration(enumeration) => enumeration.has_only_texts(),
            _ => false,
        }
    }

    /// Checks a property name. An integer must have its shortest spelling, so no two names are the same key.
    #[inline]
    pub(in crate::shape) fn check_name<S: ViolationSink>(&self, name: &str, sink: &mut S) {
        match (self, name.parse::<i64>()) {
            (Self::Integer(_), Ok(integer)) if integer.to_string() == name => {
                self.check(Scalar::Number(integer.into()), sink);
            }
            (Self::Integer(_), _) => sink.report(|| PendingViolation::wrong_type("integer", "string")),
            _ => self.check(Scalar::Text(name), sink),
        }
    }

    /// Returns the text that is equal for equal keys, if it differs from the name.
    pub(in crate::shape) fn same_name(&self, name: &str) -> Option<String> {
        let has_cases = matches!(self, Self::Uuid(_)) && name.bytes().any(|byte| byte.is_ascii_uppercase());
        has_cases.then(|| name.to_ascii_lowercase())
    }

    /// Returns the JSON Schema of the property names.
    pub(in crate::shape) fn schema_of_names(&self) -> Map<String, Value> {
        match self {
            Self::Integer(integer) => {
                let pattern = if integer.is_unsigned() { "^(0|[1-9][0-9]*)$" } else { "^(0|-?[1-9][0-9]*)$" };
                Map::from_iter([("pattern".to_owned(), pattern.into())])
            }
            _ => self.schema(),
        }
    }
}
