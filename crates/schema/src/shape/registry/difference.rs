//! Detects whether a named schema differs between modes, or between requests and responses. This includes differences
//! in the schemas that it refers to.

use std::collections::HashSet;

use super::Registry;
use crate::mode::Mode;
use crate::shape::schema_type::{SchemaType, SchemaTypeRepr};

/// Records whether a named schema differs between modes, or between requests and responses. This determines the names
/// of its components.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct SchemaDifference {
    /// `true` if the schema contains a property that does not exist in the mode.
    pub(super) by_mode: bool,
    /// `true` if the schema differs between requests and responses.
    pub(super) by_side: bool,
    /// `true` if the schema rejects more undeclared properties inside a recursively closed schema.
    pub(super) by_closed: bool,
}

impl Registry {
    pub(super) fn difference(&mut self, name: &str, mode: Option<Mode>) -> SchemaDifference {
        let key = (name.to_owned(), mode);
        if let Some(difference) = self.differences.get(&key) {
            return *difference;
        }
        let mut search = DifferenceSearch {
            registry: self,
            mode,
            owner: "",
            within_closed: false,
            found: SchemaDifference::default(),
            visited: HashSet::new(),
        };
        search.reference(name);
        let found = search.found;
        self.differences.insert(key, found);
        found
    }
}

struct DifferenceSearch<'r> {
    registry: &'r Registry,
    mode: Option<Mode>,
    /// The name of the schema that is searched for differences.
    owner: &'r str,
    /// `true` inside a recursively closed schema.
    within_closed: bool,
    found: SchemaDifference,
    /// The visited schemas, paired with the value of `within_closed`.
    visited: HashSet<(&'r str, bool)>,
}

impl<'r> DifferenceSearch<'r> {
    fn reference(&mut self, name: &str) {
        if let Some((name, entry)) = self.registry.definitions.get_key_value(name)
            && self.visited.insert((name, self.within_closed))
        {
            let outer = std::mem::replace(&mut self.owner, name);
            self.schema_type(&entry.settled.0.schema_type);
            self.owner = outer;
        }
    }

    fn schema_type(&mut self, schema_type: &'r SchemaType) {
        match &schema_type.0 {
            SchemaTypeRepr::Object(collection) => {
                let [ignores, rejects] = [false, true].map(|within| !collection.unknown.are_rejected(within));
                if ignores != rejects {
                    // A schema that is itself recursively closed is the same in each other schema, but not in responses.
                    self.found.by_side |= self.within_closed;
                    self.found.by_closed |= !self.within_closed;
                }
                let outer = self.within_closed;
                self.within_closed |= collection.unknown.are_rejected_recursively();
                for property in &collection.properties {
                    if self.mode.is_some_and(|mode| !property.modes.contains(mode)) {
                        self.found.by_mode = true;
                        continue;
                    }
                    self.found.by_side |= self.registry.has_two_sides(self.owner, property);
                    self.schema_type(&property.schema.schema_type);
                }
                self.within_closed = outer;
            }
            SchemaTypeRepr::OneOf(one_of) => {
                for variant in &one_of.variants {
                    self.schema_type(&variant.kind);
                }
            }
            SchemaTypeRepr::Reference(name) => self.reference(name),
            _ => schema_type.inner().into_iter().for_each(|schema| self.schema_type(&schema.schema_type)),
        }
    }
}
