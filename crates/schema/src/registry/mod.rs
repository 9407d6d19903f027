//! [`Registry`]: the named shapes of an application, and what is made of them.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};

use serde_json::Value;

use crate::collection::PropertyCollection;
use crate::compiled_schema::CompiledSchema;
use crate::mode::{Mode, SchemaSide};
use crate::pattern::CompiledPatterns;
use crate::property::Property;
use crate::schema::Schema;
use crate::schema_type::{OneOf, SchemaType, SchemaTypeRepr};

use difference::Difference;
use publish::Meaning;

mod compile;
mod define;
mod difference;
mod publish;
#[cfg(test)]
mod tests;

/// The named shapes of an application.
///
/// Types and collections define themselves in it under their names and refer to each other by name, so that they may be recursive. Shapes to
/// read with and JSON Schemas to publish are made of it; what is wrong with the declarations is gathered and never panics.
///
/// ```
/// use restwright_schema::{SchemaSide, PropertyCollection, Registry, array, reference, string};
///
/// let category = PropertyCollection::new("Category")
///     .property(string("name"))
///     .property(array("children", reference("", "Category")).optional());
/// let mut registry = Registry::new();
/// let kind = registry.define_collection(&category);
/// let shape = registry.compile(&kind, SchemaSide::Input, None);
/// assert!(shape.read_value(br#"{"name": "a", "children": [{"name": "b"}]}"#, 100).is_ok());
/// assert!(shape.read_value(br#"{"name": "a", "children": [{"name": 1}]}"#, 100).is_err());
/// assert_eq!(registry.json_schema(&kind, SchemaSide::Input, None)["$ref"], "#/components/schemas/Category");
/// ```
#[derive(Clone, Debug, Default)]
pub struct Registry {
    /// Names of the Rust types that have defined themselves, also while they do.
    types: HashMap<&'static str, Cow<'static, str>>,
    definitions: HashMap<String, Entry>,
    /// In the order in which they were found, each once.
    errors: Vec<String>,
    shapes: HashMap<(String, SchemaSide, Option<Mode>), CompiledSchema>,
    patterns: CompiledPatterns,
    differences: HashMap<(String, Option<Mode>), Difference>,
    components: BTreeMap<String, Value>,
    /// What each component's name stands for.
    published: HashMap<String, Meaning>,
    checked_values: HashSet<(String, String)>,
}

/// A named shape.
#[derive(Clone, Debug)]
struct Entry {
    /// As it was declared: what another declaration under the same name is held against.
    declared: Definition,
    /// The same with references in place of nested collections.
    settled: Definition,
    /// Who declared it, for messages.
    owner: &'static str,
}

/// What stands behind a name: a collection, a one-of, or any other kind with its documentation.
#[derive(Clone, Debug, PartialEq)]
pub struct Definition(pub(crate) Property);

impl From<PropertyCollection> for Definition {
    fn from(collection: PropertyCollection) -> Self {
        let mut property = Property::new("", collection.clone());
        property.documentation = collection.documentation;
        Self(property)
    }
}

impl From<OneOf> for Definition {
    fn from(one_of: OneOf) -> Self {
        let mut property = Property::new("", one_of.clone());
        property.documentation.title = one_of.title;
        property.documentation.description = one_of.description;
        Self(property)
    }
}

/// A shape that is neither, such as an enumeration with a name: the property's own name is not used.
impl From<Property> for Definition {
    fn from(property: Property) -> Self {
        Self(property)
    }
}

impl<T: ?Sized> From<crate::typed::Typed<T>> for Definition {
    fn from(typed: crate::typed::Typed<T>) -> Self {
        Self(typed.into_property())
    }
}

impl From<SchemaType> for Definition {
    fn from(kind: SchemaType) -> Self {
        Self(Property::new("", kind))
    }
}

impl Registry {
    /// A registry without shapes.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// What is wrong with the declarations that were defined, compiled or published so far: complete sentences, each once.
    #[must_use]
    pub fn errors(&self) -> &[String] {
        &self.errors
    }

    /// The collection behind a kind: of a run-time declaration, or of a struct that defined itself.
    #[must_use]
    pub fn collection<'c>(&'c self, kind: &'c SchemaType) -> Option<&'c PropertyCollection> {
        match &kind.0 {
            SchemaTypeRepr::Object(collection) => Some(collection),
            SchemaTypeRepr::Reference(name) => match &self.definitions.get(name.as_ref())?.settled.0.kind.0 {
                SchemaTypeRepr::Object(collection) => Some(collection),
                _ => None,
            },
            _ => None,
        }
    }

    /// The properties of a struct that is flattened into another, for [`PropertyCollection::merge`].
    ///
    /// A type that is no object with declared properties is an error, and answers none.
    pub fn flatten<T: Schema + ?Sized>(&mut self) -> PropertyCollection {
        let kind = T::kind(self);
        if let Some(collection) = self.collection(&kind) {
            return collection.clone();
        }
        let name = kind.label();
        self.error(format!(
            "`{name}` is flattened and is no struct with properties of its own; nest it in place of flattening it."
        ));
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
