//! Whether a named shape looks different in a mode, or from its two sides: with everything that it refers to.

use std::collections::HashSet;

use super::Registry;
use crate::mode::Mode;
use crate::schema_type::{SchemaType, SchemaTypeRepr};

/// In what a shape differs from itself as it was declared.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Difference {
    /// The mode leaves something out.
    pub(super) by_mode: bool,
    /// What is read differs from what is written.
    pub(super) by_face: bool,
}

impl Registry {
    pub(super) fn difference(&mut self, name: &str, mode: Option<Mode>) -> Difference {
        let key = (name.to_owned(), mode);
        if let Some(difference) = self.differences.get(&key) {
            return *difference;
        }
        let mut search = Search { registry: self, mode, found: Difference::default(), visited: HashSet::new() };
        search.reference(name);
        let found = search.found;
        self.differences.insert(key, found);
        found
    }
}

struct Search<'r> {
    registry: &'r Registry,
    mode: Option<Mode>,
    found: Difference,
    visited: HashSet<&'r str>,
}

impl<'r> Search<'r> {
    fn reference(&mut self, name: &str) {
        if let Some((name, entry)) = self.registry.definitions.get_key_value(name)
            && self.visited.insert(name)
        {
            self.kind(&entry.settled.0.kind);
        }
    }

    fn kind(&mut self, kind: &'r SchemaType) {
        match &kind.0 {
            SchemaTypeRepr::Object(collection) => {
                for property in &collection.properties {
                    if self.mode.is_some_and(|mode| !property.modes.contains(mode)) {
                        self.found.by_mode = true;
                        continue;
                    }
                    self.found.by_face |= property.has_two_faces();
                    self.kind(&property.kind);
                }
            }
            SchemaTypeRepr::Array(array) => self.kind(&array.items.kind),
            SchemaTypeRepr::Map(map) => self.kind(&map.values.kind),
            SchemaTypeRepr::OneOf(one_of) => {
                for variant in &one_of.variants {
                    self.kind(&variant.kind);
                }
            }
            SchemaTypeRepr::Reference(name) => self.reference(name),
            SchemaTypeRepr::Scalar(_) | SchemaTypeRepr::Any | SchemaTypeRepr::OfType(_) => {}
        }
    }
}
