//! Visits the schemas inside an array, a tuple, a map or an untagged union. Objects and tagged unions are visited by
//! their properties and variants.

use std::sync::Arc;

use super::{SchemaType, SchemaTypeRepr};
use crate::shape::schema_object::SchemaObject;

impl SchemaType {
    /// Returns the schemas of items, keys, values or variants.
    pub(in crate::shape) fn inner(&self) -> Vec<&SchemaObject> {
        match &self.0 {
            SchemaTypeRepr::Array(array) => vec![&array.items],
            SchemaTypeRepr::Tuple(tuple) => tuple.items.iter().collect(),
            SchemaTypeRepr::Map(map) => map.keys.iter().chain([&map.values]).collect(),
            SchemaTypeRepr::AnyOf(any_of) => any_of.variants.iter().collect(),
            SchemaTypeRepr::Scalar(_)
            | SchemaTypeRepr::Object(_)
            | SchemaTypeRepr::OneOf(_)
            | SchemaTypeRepr::Any
            | SchemaTypeRepr::Reference(_)
            | SchemaTypeRepr::OfType(_) => Vec::new(),
        }
    }

    /// Replaces the schemas of items, keys, values or variants with the results of a function.
    pub(in crate::shape) fn with_inner(&self, change: &mut dyn FnMut(&SchemaObject) -> SchemaObject) -> Self {
        let mut changed = self.clone();
        let inner = match &mut changed.0 {
            SchemaTypeRepr::Array(array) => vec![&mut Arc::make_mut(array).items],
            SchemaTypeRepr::Tuple(tuple) => Arc::make_mut(tuple).items.iter_mut().collect(),
            SchemaTypeRepr::Map(map) => {
                let map = Arc::make_mut(map);
                map.keys.iter_mut().chain([&mut map.values]).collect()
            }
            SchemaTypeRepr::AnyOf(any_of) => Arc::make_mut(any_of).variants.iter_mut().collect(),
            _ => Vec::new(),
        };
        inner.into_iter().for_each(|schema| *schema = change(schema));
        changed
    }
}
