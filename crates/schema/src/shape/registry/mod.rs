//! Defines [`Registry`], which compiles and publishes the named schemas of an application.

use std::any::TypeId;
use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use serde_json::Value;

use crate::mode::{Mode, SchemaSide};
use crate::pattern::CompiledPatterns;
use crate::shape::collection::PropertyCollection;
use crate::shape::compiled_schema::CompiledSchema;
use crate::shape::property::Property;
use crate::shape::schema::Schema;
use crate::shape::schema_object::{SchemaDocumentation, SchemaObject};
use crate::shape::schema_type::{OneOf, SchemaType, SchemaTypeRepr};
use crate::shape::typed::TypedSchema;

use difference::SchemaDifference;
use publish::ComponentMeaning;
use uses::Uses;

mod compile;
mod define;
mod difference;
mod publish;
#[cfg(test)]
mod tests;
mod uses;

/// The named schemas of an application.
///
/// Types and collections define themselves in the registry under their names. They refer to each other by name, so they
/// may be recursive. The registry compiles schemas for reading, and publishes them as JSON Schema. It collects errors
/// in declarations, and does not panic.
///
/// ```
/// use restwright_schema::{PropertyCollection, Registry, SchemaObject, SchemaSide, array, string};
///
/// let category = PropertyCollection::new("Category")
///     .property(string("name"))
///     .property(array("children", SchemaObject::reference("Category")).optional());
/// let mut registry = Registry::new();
/// let shape = registry.compile(&category, SchemaSide::Input, None);
/// assert!(shape.read_value(br#"{"name": "a", "children": [{"name": "b"}]}"#, 100).is_ok());
/// assert!(shape.read_value(br#"{"name": "a", "children": [{"name": 1}]}"#, 100).is_err());
/// assert_eq!(registry.json_schema(&category, SchemaSide::Input, None)["$ref"], "#/components/schemas/Category");
/// ```
#[derive(Clone, Debug, Default)]
pub struct Registry {
    /// Maps each Rust type to its schema name as soon as its definition starts.
    types: HashMap<TypeId, Cow<'static, str>>,
    definitions: HashMap<String, NamedSchema>,
    /// Maps each Rust type to its run-time schema.
    run_time_schemas: HashMap<TypeId, SchemaType>,
    /// The errors in the order in which they were found, without repetitions.
    errors: Vec<String>,
    compiled: HashMap<(String, SchemaSide, Option<Mode>), CompiledSchema>,
    patterns: CompiledPatterns,
    differences: HashMap<(String, Option<Mode>), SchemaDifference>,
    components: BTreeMap<String, Arc<Value>>,
    /// The schema that each component publishes, by component name.
    published: HashMap<String, ComponentMeaning>,
    /// The items of the sets of Rust types.
    sets: Vec<SchemaType>,
    checked_values: HashSet<(String, String)>,
    /// The sides on which each named schema is used, by schema name.
    uses: HashMap<String, Uses>,
    /// The name of the schema that is being published.
    publishing: String,
    /// `true` while a schema inside a recursively closed schema is being published.
    within_closed: bool,
}

/// A named schema.
#[derive(Clone, Debug)]
struct NamedSchema {
    /// The original declaration, for comparison with a later declaration of the same name.
    declared: Definition,
    /// The declaration, with references instead of nested collections.
    settled: Definition,
    /// The Rust type that declared the schema, for error messages.
    owner: &'static str,
}

/// A schema to define under a name, such as a collection, a `oneOf` or an enumeration.
#[derive(Clone, Debug, PartialEq)]
pub struct Definition(pub(in crate::shape) SchemaObject);

impl From<PropertyCollection> for Definition {
    fn from(collection: PropertyCollection) -> Self {
        let mut schema = SchemaObject::object(collection.clone());
        schema.documentation = Some(Box::new(collection.documentation));
        Self(schema)
    }
}

impl From<OneOf> for Definition {
    fn from(one_of: OneOf) -> Self {
        let mut schema = SchemaObject::one_of(one_of.clone());
        *schema.documentation_mut() = SchemaDocumentation {
            title: one_of.title,
            description: one_of.description,
            ..SchemaDocumentation::default()
        };
        Self(schema)
    }
}

/// Converts any schema to a definition, for example to define a named enumeration.
impl From<SchemaObject> for Definition {
    fn from(schema: SchemaObject) -> Self {
        Self(schema)
    }
}

impl<T: ?Sized> From<TypedSchema<T>> for Definition {
    fn from(typed: TypedSchema<T>) -> Self {
        Self(typed.into_schema())
    }
}

impl From<SchemaType> for Definition {
    fn from(schema_type: SchemaType) -> Self {
        Self(schema_type.into())
    }
}

impl Registry {
    /// Creates an empty registry.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the errors that the registry has found in declarations. Each error is a complete sentence and is listed
    /// once.
    #[must_use]
    pub fn errors(&self) -> &[String] {
        &self.errors
    }

    /// Returns the collection of an object type, or of a reference to an object. Returns `None` for other types.
    #[must_use]
    pub fn collection<'c>(&'c self, schema_type: &'c SchemaType) -> Option<&'c PropertyCollection> {
        match &schema_type.0 {
            SchemaTypeRepr::Object(collection) => Some(collection),
            SchemaTypeRepr::Reference(name) => match &self.definitions.get(name.as_ref())?.settled.0.schema_type.0 {
                SchemaTypeRepr::Object(collection) => Some(collection),
                _ => None,
            },
            _ => None,
        }
    }

    /// Changes a property of a named collection. Schemas that are compiled or published later use the changed property.
    /// Other types and unknown names are ignored.
    ///
    /// ```
    /// use restwright_schema::{Property, PropertyCollection, Registry, SchemaSide, string};
    ///
    /// let mut registry = Registry::new();
    /// let pet = registry.define_collection(&PropertyCollection::new("Pet").property(string("name")));
    /// registry.amend(&pet, "name", Property::output_optional);
    /// let name = &registry.collection(&pet).unwrap().properties()[0];
    /// assert!(!name.is_required_in(SchemaSide::Output) && name.is_required_in(SchemaSide::Input));
    /// ```
    pub fn amend(&mut self, schema_type: &SchemaType, property: &str, change: impl FnOnce(Property) -> Property) {
        let SchemaTypeRepr::Reference(name) = &schema_type.0 else { return };
        let Some(entry) = self.definitions.get_mut(name.as_ref()) else { return };
        // The original declaration stays the same, so defining an equal schema again is not an error.
        let SchemaTypeRepr::Object(collection) = &mut entry.settled.0.schema_type.0 else { return };
        let properties = &mut Arc::make_mut(collection).properties;
        if let Some(found) = properties.iter_mut().find(|known| known.name == property) {
            *found = change(found.clone());
        }
    }

    /// Adds a property to a named collection. Schemas that are compiled or published later contain the property. Other
    /// types, and collections that already have a property with this name, are ignored.
    ///
    /// ```
    /// use restwright_schema::{PropertyCollection, Registry, int64, string};
    ///
    /// let mut registry = Registry::new();
    /// let pet = registry.define_collection(&PropertyCollection::new("Pet").property(string("name")));
    /// registry.add_property(&pet, int64("age").optional());
    /// assert_eq!(registry.collection(&pet).unwrap().properties().len(), 2);
    /// ```
    pub fn add_property(&mut self, schema_type: &SchemaType, property: Property) {
        let SchemaTypeRepr::Reference(name) = &schema_type.0 else { return };
        let Some(entry) = self.definitions.get_mut(name.as_ref()) else { return };
        // The original declaration stays the same, so defining an equal schema again is not an error.
        let SchemaTypeRepr::Object(collection) = &mut entry.settled.0.schema_type.0 else { return };
        let properties = &mut Arc::make_mut(collection).properties;
        if properties.iter().all(|known| known.name != property.name) {
            properties.push(property);
        }
    }

    /// Returns the properties of the struct `T`. Pass them to [`PropertyCollection::merge`] to flatten `T` into another
    /// struct.
    ///
    /// If the type is not an object with declared properties, an error is recorded and the result is empty.
    pub fn flatten<T: Schema + ?Sized>(&mut self) -> PropertyCollection {
        let schema_type = T::schema_type(self);
        if let Some(collection) = self.collection(&schema_type) {
            return collection.clone();
        }
        let name = schema_type.label();
        self.error(format!("`{name}` is flattened but has no properties; nest it instead of flattening it."));
        PropertyCollection::new(name)
    }

    fn error(&mut self, sentence: String) {
        if !self.errors.contains(&sentence) {
            self.errors.push(sentence);
        }
    }

    fn definition(&self, name: &str) -> Option<&Definition> {
        self.definitions.get(name).map(|entry| &entry.settled)
    }
}
