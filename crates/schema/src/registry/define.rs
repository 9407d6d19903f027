//! Naming shapes: each name stands for one shape, and nested collections become references.

use std::borrow::Cow;

use super::{Definition, Entry, Registry};
use crate::collection::PropertyCollection;
use crate::property::Property;
use crate::schema_type::{SchemaType, SchemaTypeRepr};

impl Registry {
    /// Defines the shape of the Rust type `T` under a name, and answers a reference to it.
    ///
    /// The closure runs once per type, and not at all while the type is being defined, so that types may be recursive. Two types under one name
    /// are an error unless their shapes are equal.
    pub fn define<T: ?Sized, D: Into<Definition>>(
        &mut self,
        name: impl Into<Cow<'static, str>>,
        declare: impl FnOnce(&mut Self) -> D,
    ) -> SchemaType {
        let owner = std::any::type_name::<T>();
        if let Some(name) = self.types.get(owner) {
            return SchemaType(SchemaTypeRepr::Reference(name.clone()));
        }
        let name = name.into();
        self.types.insert(owner, name.clone());
        let definition = declare(self).into();
        self.enter(&name, definition, owner);
        SchemaType(SchemaTypeRepr::Reference(name))
    }

    /// Defines a collection, and those nested in it, under their names, and answers a reference to it.
    ///
    /// Defining an equal collection again is nothing new; two different ones under one name are an error. A collection without a name is used in place.
    pub fn define_collection(&mut self, collection: &PropertyCollection) -> SchemaType {
        self.settle(&collection.clone().into())
    }

    /// The name of what stands behind a kind, such as `int32` or `enumeration`: references and Rust types are followed.
    pub fn kind_name(&mut self, kind: &SchemaType) -> &'static str {
        let settled = self.settle(kind);
        let mut found = &settled;
        // A name cannot stand for itself through more names than there are.
        for _ in 0..self.definitions.len() {
            let Some(definition) = found.referred().and_then(|name| self.definition(name)) else { break };
            found = &definition.0.kind;
        }
        found.name()
    }

    /// The kind with references in place of everything in it that has a name.
    pub(super) fn settle(&mut self, kind: &SchemaType) -> SchemaType {
        match &kind.0 {
            SchemaTypeRepr::Object(collection) if collection.name.is_empty() => {
                self.settle_collection(collection).into()
            }
            SchemaTypeRepr::Object(collection) => {
                let name = collection.name.clone();
                self.enter(&name, (**collection).clone().into(), "a collection");
                SchemaType(SchemaTypeRepr::Reference(name))
            }
            SchemaTypeRepr::OneOf(one_of) => {
                let name = one_of.name.clone();
                self.enter(&name, (**one_of).clone().into(), "a one-of");
                SchemaType(SchemaTypeRepr::Reference(name))
            }
            SchemaTypeRepr::Array(array) => {
                let mut array = array.clone();
                array.items.kind = self.settle(&array.items.kind);
                SchemaType(SchemaTypeRepr::Array(array))
            }
            SchemaTypeRepr::Map(map) => {
                let mut map = map.clone();
                map.values.kind = self.settle(&map.values.kind);
                SchemaType(SchemaTypeRepr::Map(map))
            }
            SchemaTypeRepr::OfType(of_type) => {
                let kind = (of_type.kind)(self);
                self.settle(&kind)
            }
            SchemaTypeRepr::Scalar(_) | SchemaTypeRepr::Any | SchemaTypeRepr::Reference(_) => kind.clone(),
        }
    }

    fn enter(&mut self, name: &str, declared: Definition, owner: &'static str) {
        match self.definitions.get(name) {
            Some(entry) if entry.declared == declared => return,
            Some(entry) => {
                let sentence = format!(
                    "Two different shapes are named `{name}`, one by {} and one by {owner}; give one of them another name.",
                    entry.owner
                );
                return self.error(sentence);
            }
            None => {}
        }
        if !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte)) {
            self.error(format!(
                "The shape name `{name}` cannot name a component; write letters, digits, dots, underscores and hyphens of ASCII only."
            ));
        }
        // Known before what is nested in it, which may refer back to it.
        let entry = Entry { settled: declared.clone(), declared: declared.clone(), owner };
        self.definitions.insert(name.to_owned(), entry);
        let settled = Definition(Property { kind: self.settle_inside(&declared.0.kind), ..declared.0 });
        if let Some(entry) = self.definitions.get_mut(name) {
            entry.settled = settled;
        }
    }

    /// The kind itself stays; what it contains is settled.
    fn settle_inside(&mut self, kind: &SchemaType) -> SchemaType {
        match &kind.0 {
            SchemaTypeRepr::Object(collection) => self.settle_collection(collection).into(),
            SchemaTypeRepr::OneOf(one_of) => {
                let mut one_of = one_of.clone();
                for variant in &mut one_of.variants {
                    // A variant's collection is published with the discriminator in it, and never by itself.
                    variant.kind = self.settle_inside(&variant.kind);
                }
                SchemaType(SchemaTypeRepr::OneOf(one_of))
            }
            _ => self.settle(kind),
        }
    }

    fn settle_collection(&mut self, collection: &PropertyCollection) -> PropertyCollection {
        let mut settled = collection.clone();
        for property in &mut settled.properties {
            property.kind = self.settle(&property.kind);
        }
        settled
    }
}

#[cfg(test)]
mod tests {
    use crate::{
        Property, PropertyCollection, Registry, Schema, SchemaSide, SchemaType, enumeration, reference, string, typed,
    };

    struct Street;

    impl Schema for Street {
        fn kind(registry: &mut Registry) -> SchemaType {
            registry.define::<Self, _>("Street", |registry| {
                PropertyCollection::new("Street").property(typed::<String>(registry, "name").min_length(1))
            })
        }
    }

    struct Colour;

    impl Schema for Colour {
        fn kind(registry: &mut Registry) -> SchemaType {
            registry.define::<Self, _>("Colour", |_| enumeration("", ["red", "green"]))
        }
    }

    #[test]
    fn a_kind_is_known_behind_its_names() {
        let mut registry = Registry::new();
        assert_eq!(registry.kind_name(&SchemaType::of::<Option<i32>>()), "int32");
        assert_eq!(registry.kind_name(&SchemaType::of::<Colour>()), "enumeration");
        assert_eq!(registry.kind_name(reference("", "Colour").kind()), "enumeration");
        assert_eq!(registry.kind_name(&SchemaType::of::<Street>()), "object");
        assert_eq!(registry.kind_name(reference("", "Nothing").kind()), "reference");
    }

    #[test]
    fn a_run_time_collection_uses_a_typed_shape() {
        let mut registry = Registry::new();
        let house = PropertyCollection::new("House")
            .property(string("number"))
            .property(Property::of::<Street>("street"))
            .property(Property::of::<Option<Street>>("back_street"));
        let schema = registry.json_schema(&house.into(), SchemaSide::Input, None);
        let component = &registry.components()["House"];
        assert_eq!(schema["$ref"], "#/components/schemas/House");
        assert_eq!(component["properties"]["street"]["$ref"], "#/components/schemas/Street");
        assert_eq!(component["required"], serde_json::json!(["number", "street"]));
        assert!(registry.errors().is_empty(), "{:?}", registry.errors());
    }
}
