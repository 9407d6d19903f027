//! Records whether a schema is used in requests, responses or both. The names of its components depend on these uses.

use std::collections::HashSet;

use super::Registry;
use crate::mode::{Mode, SchemaSide};
use crate::shape::property::Property;
use crate::shape::schema_object::SchemaObject;
use crate::shape::schema_type::{SchemaType, SchemaTypeRepr};

/// Records whether a named schema is used in requests, in responses or in both.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Uses {
    /// Requests outside a recursively closed schema.
    input: bool,
    output: bool,
}

/// The component of a schema in a request, inside a recursively closed schema.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum ClosedComponent {
    /// No other component of the schema exists.
    Only,
    /// The component without a suffix is used elsewhere.
    Input,
    /// The component with the suffix `Input` is also used elsewhere.
    ClosedInput,
}

impl Registry {
    /// Records that a schema is used in requests or in responses, depending on `side`. The named schemas inside it are
    /// recorded too.
    ///
    /// Properties that do not exist in `mode` are skipped.
    ///
    /// Record all uses before the first schema is published. A schema with recorded uses has one component with its
    /// name. A second component, `NameInput`, exists only if the schema is used on both sides and differs between them:
    /// by `read_only`, by `write_only`, by different names, or by a property that only responses may omit. If both
    /// sides share a component, a property that is optional in requests is also optional in responses. A schema that
    /// is also used inside a [recursively closed](crate::PropertyCollection::closed_recursively) schema has an additional component for it.
    ///
    /// ```
    /// use restwright_schema::{PropertyCollection, Registry, SchemaObject, SchemaSide, string};
    ///
    /// let pet = PropertyCollection::new("Pet").property(string("name").default_value("Rex"));
    /// let mut registry = Registry::new();
    /// registry.note_use(&SchemaObject::object(pet.clone()), SchemaSide::Input, None);
    /// let schema = registry.json_schema(pet, SchemaSide::Input, None);
    /// assert_eq!(schema["$ref"], "#/components/schemas/Pet");
    /// ```
    pub fn note_use(&mut self, schema: &SchemaObject, side: SchemaSide, mode: Option<Mode>) {
        let settled = self.settle(&schema.schema_type);
        let mut search = UseSearch { registry: self, side, mode, within_closed: false, found: HashSet::new() };
        search.schema_type(&settled);
        for (name, within_closed) in search.found {
            let uses = self.uses.entry(name).or_default();
            match side {
                SchemaSide::Input => uses.input |= !within_closed,
                SchemaSide::Output => uses.output = true,
            }
        }
    }

    /// Records a set of a Rust type by the schema of its items.
    pub(crate) fn note_set(&mut self, items: &SchemaObject) {
        let items = self.settle(&items.schema_type);
        if !self.sets.contains(&items) {
            self.sets.push(items);
        }
    }

    /// Returns the name of an untagged union in a type.
    pub(super) fn union_in(&self, schema_type: &SchemaType) -> Option<String> {
        let mut search = UseSearch {
            registry: self,
            side: SchemaSide::Input,
            mode: None,
            within_closed: false,
            found: HashSet::new(),
        };
        search.schema_type(schema_type);
        let is_union = |name: &String| {
            let definition = self.definition(name).map(|definition| &definition.0.schema_type.0);
            matches!(definition, Some(SchemaTypeRepr::AnyOf(_)))
        };
        search.found.into_iter().map(|(name, _)| name).filter(is_union).min()
    }

    /// Returns `true` if a schema may have different components for requests and for responses.
    pub(super) fn may_have_two_components(&self, name: &str) -> bool {
        self.uses.get(name).is_none_or(|uses| uses.input && uses.output)
    }

    /// Returns the component of a schema inside a recursively closed schema. `has_two_sides` is `true` if the schema differs
    /// between requests and responses.
    pub(super) fn closed_component(&self, name: &str, has_two_sides: bool) -> ClosedComponent {
        match self.uses.get(name) {
            Some(Uses { input: false, output: false }) => ClosedComponent::Only,
            _ if has_two_sides && self.may_have_two_components(name) => ClosedComponent::ClosedInput,
            _ => ClosedComponent::Input,
        }
    }

    /// Returns `true` if the property of the schema `owner` differs between requests and responses.
    pub(super) fn has_two_sides(&self, owner: &str, property: &Property) -> bool {
        let [input, output] = [SchemaSide::Input, SchemaSide::Output].map(|side| property.is_required_in(side));
        property.has_two_sides() || if self.uses.contains_key(owner) { input && !output } else { input != output }
    }

    /// Returns `true` if the published schema of `owner` lists the property in `required`.
    pub(super) fn requires(&self, owner: &str, property: &Property, side: SchemaSide) -> bool {
        let is_read_too = self.uses.get(owner).is_some_and(|uses| uses.input);
        property.is_required_in(side)
            && (side == SchemaSide::Input || !is_read_too || property.is_required_in(SchemaSide::Input))
    }
}

struct UseSearch<'r> {
    registry: &'r Registry,
    side: SchemaSide,
    mode: Option<Mode>,
    /// `true` inside a recursively closed schema.
    within_closed: bool,
    /// The names of the schemas. Each is paired with `true` if it is used inside a recursively closed schema.
    found: HashSet<(String, bool)>,
}

impl UseSearch<'_> {
    fn schema_type(&mut self, schema_type: &SchemaType) {
        match &schema_type.0 {
            SchemaTypeRepr::Object(collection) => {
                let existing = |property: &&Property| property.exists_in(self.side, self.mode);
                let properties: Vec<_> = collection.properties.iter().filter(existing).collect();
                let outer = self.within_closed;
                self.within_closed |= collection.unknown.on(self.side).are_rejected_recursively();
                properties.into_iter().for_each(|property| self.schema_type(&property.schema.schema_type));
                self.within_closed = outer;
            }
            SchemaTypeRepr::OneOf(one_of) => {
                for variant in &one_of.variants {
                    self.found.insert((one_of.variant_name(variant), self.within_closed));
                    // A variant is published under this name, even if its collection has another name.
                    match self.registry.collection(&variant.kind) {
                        Some(collection) => self.schema_type(&collection.clone().into()),
                        None => self.schema_type(&variant.kind),
                    }
                }
            }
            SchemaTypeRepr::Reference(name) => {
                if let Some(definition) = self.registry.definition(name)
                    && self.found.insert((name.to_string(), self.within_closed))
                {
                    self.schema_type(&definition.0.schema_type);
                }
            }
            _ => schema_type.inner().into_iter().for_each(|schema| self.schema_type(&schema.schema_type)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{PropertyCollection, object, string};

    #[test]
    fn publishes_two_components_only_for_a_declared_difference() {
        let inner = PropertyCollection::new("Inner").property(string("a"));
        for (property, names) in [
            (string("b"), &["Inner", "Thing"][..]),
            (string("b").optional(), &["Inner", "Thing"]),
            (string("b").input_optional(), &["Inner", "Thing"]),
            (string("b").default_value("c"), &["Inner", "Thing"]),
            (string("b").optional().output_optional(), &["Inner", "Thing"]),
            (string("b").output_optional(), &["Inner", "Thing", "ThingInput"]),
            (string("b").read_only(), &["Inner", "Thing", "ThingInput"]),
            (string("b").write_only(), &["Inner", "Thing", "ThingInput"]),
            (string("b").input_name("c"), &["Inner", "Thing", "ThingInput"]),
            (string("b").alias("c"), &["Inner", "Thing", "ThingInput"]),
        ] {
            let thing =
                PropertyCollection::new("Thing").property(property.clone()).property(object("inner", inner.clone()));
            let schema = SchemaObject::object(thing);
            let published = |sides: &[SchemaSide]| {
                let mut registry = Registry::new();
                sides.iter().for_each(|side| registry.note_use(&schema, *side, None));
                sides.iter().for_each(|side| drop(registry.json_schema(&schema, *side, None)));
                registry.into_components().into_keys().collect::<Vec<_>>()
            };
            assert_eq!(published(&[SchemaSide::Input, SchemaSide::Output]), names, "{property:?}");
            assert_eq!(published(&[SchemaSide::Input]), ["Inner", "Thing"], "{property:?}");
            assert_eq!(published(&[SchemaSide::Output]), ["Inner", "Thing"], "{property:?}");
        }
    }
}
