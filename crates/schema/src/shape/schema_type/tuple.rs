//! Defines the tuple type, which is an array with one schema for each item.

use serde_json::{Map, Value};

use super::array::ItemRules;
use crate::shape::schema_object::SchemaObject;

#[derive(Clone, Debug, PartialEq)]
pub(in crate::shape) struct TupleType {
    pub(in crate::shape) items: Vec<SchemaObject>,
}

impl TupleType {
    /// Returns the constraints on the number of items: a tuple has exactly its items.
    pub(in crate::shape) fn rules(&self) -> ItemRules {
        ItemRules::exactly(self.items.len())
    }

    /// Publishes the items. `maxItems` excludes further items, because some generators cannot read `items: false`, and some
    /// linters require `items`.
    pub(in crate::shape) fn publish(&self, items: Vec<Value>, schema: &mut Map<String, Value>) {
        schema.insert("prefixItems".to_owned(), items.into());
        schema.insert("items".to_owned(), Map::new().into());
        self.rules().publish(schema);
    }
}
