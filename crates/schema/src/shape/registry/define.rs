//! Implements the methods of [`Registry`] that define named schemas. Each name identifies one schema, and nested
//! collections become references.

use std::any::TypeId;
use std::borrow::Cow;
use std::sync::Arc;

use super::{Definition, NamedSchema, Registry};
use crate::shape::collection::PropertyCollection;
use crate::shape::schema_object::SchemaObject;
use crate::shape::schema_type::{SchemaType, SchemaTypeRepr};

impl Registry {
    /// Defines the schema of the Rust type `T` under a name, and returns a reference to it.
    ///
    /// The closure `declare` runs once per type and name. It does not run again while the type is being defined, so
    /// types may be recursive. Two types with the same name are an error unless their schemas are equal.
    pub fn define<T: ?Sized, D: Into<Definition>>(
        &mut self,
        name: impl Into<Cow<'static, str>>,
        declare: impl FnOnce(&mut Self) -> D,
    ) -> SchemaType {
        let name = name.into();
        if self.begin(typeid::of::<T>(), name.clone()) {
            let definition = declare(self).into();
            self.enter(&name, definition, std::any::type_name::<T>());
        }
        SchemaType(SchemaTypeRepr::Reference(name))
    }

    /// Records that the schema of a Rust type is being defined under this name. Returns `false` if this is already
    /// recorded.
    fn begin(&mut self, id: TypeId, name: Cow<'static, str>) -> bool {
        // A type that contains a run-time schema has a different name for each schema.
        let is_known = self.types.get(&id).is_some_and(|known| *known == name);
        self.types.insert(id, name);
        !is_known
    }

    /// Sets the run-time schema of a type, such as the schema of a [`Bag`](crate::Bag). A later call for the same type
    /// replaces it.
    ///
    /// ```
    /// use restwright_schema::{PropertyCollection, Registry, Schema, SchemaType};
    ///
    /// struct Anything(serde_json::Value);
    ///
    /// impl Schema for Anything {
    ///     type Changes = Self;
    ///
    ///     fn schema_type(registry: &mut Registry) -> SchemaType {
    ///         registry.run_time_schema::<Self>()
    ///     }
    /// }
    ///
    /// let mut registry = Registry::new();
    /// registry.set_run_time_schema::<Anything>(PropertyCollection::new("Pet"));
    /// assert_eq!(registry.type_name(&SchemaType::of::<Anything>()), "object");
    /// ```
    pub fn set_run_time_schema<T: ?Sized>(&mut self, schema: impl Into<SchemaType>) {
        let schema_type = self.settle(&schema.into());
        self.run_time_schemas.insert(typeid::of::<T>(), schema_type);
    }

    /// Returns the run-time schema of a type. If no schema is set, returns [`SchemaType::any`].
    #[must_use]
    pub fn run_time_schema<T: ?Sized>(&self) -> SchemaType {
        let schema_type = self.run_time_schemas.get(&typeid::of::<T>());
        schema_type.cloned().unwrap_or(SchemaType(SchemaTypeRepr::Any))
    }

    /// Adds a collection and its nested collections to the registry, and returns a reference to the outer collection.
    ///
    /// Defining an equal collection again has no effect. Two different collections with the same name are an error. A
    /// collection without a name is returned inline.
    pub fn define_collection(&mut self, collection: &PropertyCollection) -> SchemaType {
        self.settle(&collection.clone().into())
    }

    /// Returns the name of a type for messages, such as `int32` or `enumeration`. Resolves references and Rust types.
    pub fn type_name(&mut self, schema_type: &SchemaType) -> &'static str {
        let settled = self.settle(schema_type);
        let mut found = &settled;
        // A chain of references that is longer than the number of names is a cycle.
        for _ in 0..self.definitions.len() {
            let Some(definition) = found.referred().and_then(|name| self.definition(name)) else { break };
            found = &definition.0.schema_type;
        }
        found.name()
    }

    /// Adds the named schemas inside a schema to the registry, and replaces them with references.
    pub(super) fn settle_schema(&mut self, schema: &SchemaObject) -> SchemaObject {
        SchemaObject { schema_type: self.settle(&schema.schema_type), ..schema.clone() }
    }

    /// Adds the named schemas inside a type to the registry, and replaces them with references.
    pub(super) fn settle(&mut self, schema_type: &SchemaType) -> SchemaType {
        match &schema_type.0 {
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
            SchemaTypeRepr::Array(_) | SchemaTypeRepr::Tuple(_) | SchemaTypeRepr::Map(_) | SchemaTypeRepr::AnyOf(_) => {
                schema_type.with_inner(&mut |schema| self.settle_schema(schema))
            }
            SchemaTypeRepr::OfType(of_type) => {
                let schema_type = (of_type.schema_type)(self);
                self.settle(&schema_type)
            }
            SchemaTypeRepr::Scalar(_) | SchemaTypeRepr::Any | SchemaTypeRepr::Reference(_) => schema_type.clone(),
        }
    }

    fn enter(&mut self, name: &str, declared: Definition, owner: &'static str) {
        match self.definitions.get(name) {
            Some(entry) if entry.declared == declared => return,
            Some(entry) => {
                let sentence = format!(
                    "Two different schemas are named `{name}`, one by {} and one by {owner}; rename one of them.",
                    entry.owner
                );
                return self.error(sentence);
            }
            None => {}
        }
        if !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte)) {
            self.error(format!(
                "The schema name `{name}` is not a valid component name; use only ASCII letters, digits, dots, underscores and hyphens."
            ));
        }
        // The schema is stored before its nested schemas, because these may refer back to it.
        let entry = NamedSchema { settled: declared.clone(), declared: declared.clone(), owner };
        self.definitions.insert(name.to_owned(), entry);
        let settled =
            Definition(SchemaObject { schema_type: self.settle_inside(&declared.0.schema_type), ..declared.0 });
        if let Some(entry) = self.definitions.get_mut(name) {
            entry.settled = settled;
        }
    }

    /// Replaces the named schemas inside a type with references. The type itself does not become a reference.
    fn settle_inside(&mut self, schema_type: &SchemaType) -> SchemaType {
        match &schema_type.0 {
            SchemaTypeRepr::Object(collection) => self.settle_collection(collection).into(),
            SchemaTypeRepr::OneOf(one_of) => {
                let mut one_of = one_of.clone();
                for variant in &mut Arc::make_mut(&mut one_of).variants {
                    // The collection of a variant is published together with its discriminator, and never alone.
                    variant.kind = self.settle_inside(&variant.kind);
                }
                SchemaType(SchemaTypeRepr::OneOf(one_of))
            }
            _ => self.settle(schema_type),
        }
    }

    fn settle_collection(&mut self, collection: &PropertyCollection) -> PropertyCollection {
        let mut settled = collection.clone();
        for property in &mut settled.properties {
            property.schema = self.settle_schema(&property.schema);
        }
        settled
    }
}

#[cfg(test)]
mod tests {
    use crate::{Property, PropertyCollection, Registry, Schema, SchemaObject, SchemaSide, SchemaType, string, typed};

    struct Street;

    impl Schema for Street {
        type Changes = Self;

        fn schema_type(registry: &mut Registry) -> SchemaType {
            registry.define::<Self, _>("Street", |registry| {
                PropertyCollection::new("Street").property(typed::<String>(registry, "name").min_length(1))
            })
        }
    }

    struct Colour;

    impl Schema for Colour {
        type Changes = Self;

        fn schema_type(registry: &mut Registry) -> SchemaType {
            registry.define::<Self, _>("Colour", |_| SchemaObject::enumeration(["red", "green"]))
        }
    }

    #[test]
    fn resolves_the_names_of_a_type() {
        let mut registry = Registry::new();
        assert_eq!(registry.type_name(&SchemaType::of::<Option<i32>>()), "int32");
        assert_eq!(registry.type_name(&SchemaType::of::<Colour>()), "enumeration");
        assert_eq!(registry.type_name(&SchemaType::reference("Colour")), "enumeration");
        assert_eq!(registry.type_name(&SchemaType::of::<Street>()), "object");
        assert_eq!(registry.type_name(&SchemaType::reference("Nothing")), "reference");
    }

    #[test]
    fn refers_to_a_type_from_a_run_time_collection() {
        let mut registry = Registry::new();
        let house = PropertyCollection::new("House")
            .property(string("number"))
            .property(Property::of::<Street>("street"))
            .property(Property::of::<Option<Street>>("back_street"));
        let schema = registry.json_schema(&house, SchemaSide::Input, None);
        let component = &registry.components()["House"];
        assert_eq!(schema["$ref"], "#/components/schemas/House");
        assert_eq!(component["properties"]["street"]["$ref"], "#/components/schemas/Street");
        assert_eq!(component["required"], serde_json::json!(["number", "street"]));
        assert!(registry.errors().is_empty(), "{:?}", registry.errors());
    }
}
