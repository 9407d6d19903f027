//! Defines [`PropertyCollection`], the schema of an object.

use std::borrow::Cow;
use std::sync::Arc;

use crate::mode::{Mode, SchemaSide};
use crate::shape::property::Property;
use crate::shape::schema_object::{SchemaDocumentation, SchemaObject};
use crate::shape::schema_type::count::PropertyCount;
use crate::shape::schema_type::{SchemaType, SchemaTypeRepr};

/// The schema of an object, with its properties in the order of their declaration.
///
/// Unknown properties of a value are ignored unless the collection is [closed](PropertyCollection::closed), or part of a
/// schema that is [closed recursively](PropertyCollection::closed_recursively).
///
/// ```
/// use restwright_schema::{PropertyCollection, Registry, SchemaObject, SchemaSide, array, object, string};
///
/// let address = PropertyCollection::new("Address")
///     .property(string("street").min_length(1).max_length(200))
///     .property(string("zip").pattern("^[0-9]{5}$"));
/// let shelter = PropertyCollection::new("Shelter")
///     .property(object("address", address))
///     .property(array("phones", SchemaObject::string().max_length(30)).min_items(1));
///
/// let mut registry = Registry::new();
/// let shape = registry.compile(&shelter, SchemaSide::Input, None);
/// assert!(registry.errors().is_empty());
///
/// let error = shape.read_value(br#"{"address": {"street": ""}, "phones": ["1"]}"#, 100).unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "/address/street: must have at least 1 character (min_length); /address/zip: is required (required)"
/// );
/// ```
#[derive(Clone, Debug, PartialEq)]
#[must_use = "a collection has no effect until a schema uses it"]
pub struct PropertyCollection {
    pub(super) name: Cow<'static, str>,
    pub(super) documentation: SchemaDocumentation,
    pub(super) properties: Vec<Property>,
    pub(super) unknown: UnknownProperties,
    /// The names of undeclared properties that only responses contain.
    pub(super) response_only: Vec<Cow<'static, str>>,
    pub(super) count: PropertyCount,
}

/// The treatment of properties that a collection does not declare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum UnknownProperties {
    /// They are ignored, unless an outer collection rejects them recursively.
    Ignored,
    Rejected,
    RejectedRecursively,
    Accepted,
}

impl UnknownProperties {
    /// Returns `true` if the properties are violations. `within` is `true` inside a collection that rejects them
    /// recursively.
    #[inline]
    pub(super) fn are_rejected(self, within: bool) -> bool {
        match self {
            Self::Ignored => within,
            Self::Rejected | Self::RejectedRecursively => true,
            Self::Accepted => false,
        }
    }

    #[inline]
    pub(super) fn are_rejected_recursively(self) -> bool {
        self == Self::RejectedRecursively
    }

    /// Returns the treatment on one side. Only requests reject properties recursively.
    pub(super) fn on(self, side: SchemaSide) -> Self {
        match (self, side) {
            (Self::RejectedRecursively, SchemaSide::Output) => Self::Rejected,
            (unknown, _) => unknown,
        }
    }
}

impl PropertyCollection {
    /// Creates an empty collection. `name` is the name of its OpenAPI component. If the name is empty, the schema is
    /// published inline, without a component.
    pub fn new(name: impl Into<Cow<'static, str>>) -> Self {
        Self {
            name: name.into(),
            documentation: SchemaDocumentation::default(),
            properties: Vec::new(),
            unknown: UnknownProperties::Ignored,
            response_only: Vec::new(),
            count: PropertyCount::default(),
        }
    }

    /// Returns the name of the OpenAPI component.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the properties in the order of their declaration.
    pub fn properties(&self) -> &[Property] {
        &self.properties
    }

    /// Adds a property to the collection. Compiling the schema reports an error if two properties share a name.
    pub fn property(mut self, property: impl Into<Property>) -> Self {
        self.properties.push(property.into());
        self
    }

    /// Adds the properties of another collection, as serde's `flatten` does. The result is [open](Self::open) if the other
    /// collection is open.
    pub fn merge(mut self, other: &Self) -> Self {
        self.properties.extend(other.properties.iter().cloned());
        if other.unknown == UnknownProperties::Accepted {
            self.unknown = UnknownProperties::Accepted;
        }
        self
    }

    /// Rejects unknown properties, as serde's `deny_unknown_fields` does. Unknown properties of nested objects are still
    /// ignored.
    pub fn closed(mut self) -> Self {
        self.unknown = UnknownProperties::Rejected;
        self
    }

    /// Rejects unknown properties in requests, also in nested objects that are not [open](Self::open). Responses and stored
    /// values are read as if the collection was [closed](Self::closed).
    ///
    /// The bodies of a resource are closed in this way. A nested property that clients cannot set is not unknown, and is
    /// ignored. In an untagged union, the first variant that the value matches without its unknown properties rejects
    /// these properties.
    ///
    /// ```
    /// use restwright_schema::{PropertyCollection, Registry, SchemaSide, object, string};
    ///
    /// let address = PropertyCollection::new("Address").property(string("city").optional());
    /// let pet = PropertyCollection::new("NewPet").property(object("address", address)).closed_recursively();
    /// let schema = Registry::new().compile(pet, SchemaSide::Input, None);
    /// let error = schema.read_value(br#"{"address": {"citty": "Oslo"}}"#, 10).unwrap_err();
    /// assert_eq!(error.to_string(), "/address/citty: is not a known property (unknown_property)");
    /// ```
    pub fn closed_recursively(mut self) -> Self {
        self.unknown = UnknownProperties::RejectedRecursively;
        self
    }

    /// Accepts unknown properties, also inside a schema that is [closed recursively](Self::closed_recursively). Use it for
    /// a type that collects unknown properties, such as in a flattened map.
    pub fn open(mut self) -> Self {
        self.unknown = UnknownProperties::Accepted;
        self
    }

    /// Sets the names of properties that responses contain, and that the collection does not declare because clients cannot set them.
    /// [Imports](crate::CompiledSchema::import_json) ignore these properties. Other requests treat them as unknown.
    pub fn response_only<N: Into<Cow<'static, str>>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.response_only.extend(names.into_iter().map(Into::into));
        self
    }

    /// Sets the title in the OpenAPI document.
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.documentation.title = Some(title.into());
        self
    }

    /// Returns the description for the OpenAPI document.
    #[must_use]
    pub fn description_text(&self) -> Option<&str> {
        self.documentation.description.as_deref()
    }

    /// Sets the description in the OpenAPI document, in CommonMark.
    pub fn description(mut self, description: impl Into<String>) -> Self {
        self.documentation.description = Some(description.into());
        self
    }

    /// Marks the schema as deprecated in the OpenAPI document.
    pub fn deprecated(mut self) -> Self {
        self.documentation.deprecated = true;
        self
    }

    /// Changes the name of the OpenAPI component.
    pub fn renamed(mut self, name: impl Into<Cow<'static, str>>) -> Self {
        self.name = name.into();
        self
    }

    /// Returns a copy with only the properties that exist in `mode`. Nested collections are projected too.
    ///
    /// If a property is omitted, the name of the mode is appended to the name of the collection (`OrderCreate`).
    /// Otherwise, the result equals the collection. Schemas that are referred to by name are projected when the
    /// collection is compiled in this mode.
    pub fn project(&self, mode: Mode) -> Self {
        let nested = Nested { change: &|collection| collection.project(mode), suffix: mode.name() };
        let kept = self.properties.iter().filter(|property| property.modes.contains(mode));
        let properties = kept.map(|property| Property { schema: nested.schema(&property.schema), ..property.clone() });
        self.with_properties(properties.collect(), mode.name())
    }

    /// Returns a copy for stores, in which no property is read-only or write-only. Nested collections are changed too.
    ///
    /// If the collection had read-only or write-only properties, `Entity` is appended to its name. Otherwise, the
    /// result equals the collection.
    pub fn stored(&self) -> Self {
        let nested = Nested { change: &Self::stored, suffix: "Entity" };
        let properties = self.properties.iter().map(|property| {
            let schema = nested.schema(&property.schema);
            Property { schema, read_only: false, write_only: false, ..property.clone() }
        });
        self.with_properties(properties.collect(), "Entity")
    }

    /// Returns a copy whose properties are replaced with the given properties. If they differ from the old properties,
    /// appends `suffix` to the name.
    fn with_properties(&self, properties: Vec<Property>, suffix: &str) -> Self {
        if properties == self.properties {
            return self.clone();
        }
        let name = if self.name.is_empty() { self.name.clone() } else { format!("{}{suffix}", self.name).into() };
        Self { name, properties, ..self.clone() }
    }
}

impl PropertyCollection {
    /// Returns the schema of a partial update (RFC 7396). Its name has the suffix `Changes`.
    ///
    /// Every property that clients may send is optional. A property is also nullable if it was already optional or has
    /// a default. Nested collections are partial too.
    ///
    /// ```
    /// use restwright_schema::{PropertyCollection, Registry, SchemaSide, string};
    ///
    /// let pet = PropertyCollection::new("Pet").property(string("name")).property(string("note").optional());
    /// let changes = pet.changes();
    /// assert_eq!(changes.name(), "PetChanges");
    /// let schema = Registry::new().compile(&changes, SchemaSide::Input, None);
    /// assert!(schema.read_value(br#"{"note": null}"#, 10).is_ok());
    /// assert!(schema.read_value(br#"{"name": null}"#, 10).is_err());
    /// ```
    pub fn changes(&self) -> Self {
        let sent = self.properties.iter().filter(|property| property.exists_in(SchemaSide::Input, Some(Mode::Update)));
        let properties = sent.map(|property| {
            let mut changes = Property { optional: true, is_patch: true, ..property.clone() };
            let schema = &mut changes.schema;
            // Null removes the value, or resets it to its default.
            schema.nullable |= property.optional || schema.default.is_some();
            schema.default = None;
            if let SchemaTypeRepr::Object(collection) = &mut schema.schema_type.0 {
                *collection = collection.changes().into();
            }
            changes
        });
        let properties = properties.collect();
        let name = if self.name.is_empty() { self.name.clone() } else { format!("{}Changes", self.name).into() };
        Self { name, properties, ..self.clone() }
    }
}

/// A function that is applied to all nested collections of a schema. The name of each changed collection or `oneOf`
/// gets the suffix `suffix`.
struct Nested<'n> {
    change: &'n dyn Fn(&PropertyCollection) -> PropertyCollection,
    suffix: &'n str,
}

impl Nested<'_> {
    fn schema(&self, schema: &SchemaObject) -> SchemaObject {
        SchemaObject { schema_type: self.schema_type(&schema.schema_type), ..schema.clone() }
    }

    fn schema_type(&self, schema_type: &SchemaType) -> SchemaType {
        let mut changed = schema_type.clone();
        match &mut changed.0 {
            SchemaTypeRepr::Object(collection) => *collection = (self.change)(collection).into(),
            SchemaTypeRepr::OneOf(one_of) => {
                let one_of = Arc::make_mut(one_of);
                let original = one_of.variants.clone();
                for variant in &mut one_of.variants {
                    variant.kind = self.schema_type(&variant.kind);
                }
                if one_of.variants != original {
                    one_of.name = format!("{}{}", one_of.name, self.suffix).into();
                }
            }
            _ => return schema_type.with_inner(&mut |schema| self.schema(schema)),
        }
        changed
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{array, object, string};

    #[test]
    fn projects_nested_collections_and_renames_changed_ones() {
        let item = PropertyCollection::new("Item").property(string("sku")).property(string("note").modes([Mode::View]));
        let order = PropertyCollection::new("Order")
            .property(array("items", item))
            .property(object("customer", PropertyCollection::new("Customer").property(string("name"))));

        let create = order.project(Mode::Create);
        assert_eq!(create.name(), "OrderCreate");
        assert_eq!(create.properties()[0].schema_type().label(), "ListOfItemCreate");
        assert_eq!(create.properties()[1].schema_type().label(), "Customer");
        assert_eq!(order.project(Mode::View), order);
    }

    #[test]
    fn stores_no_read_only_or_write_only_properties() {
        let item = PropertyCollection::new("Item").property(string("sku")).property(string("key").write_only());
        let order = PropertyCollection::new("Order")
            .property(array("items", item))
            .property(string("id").read_only())
            .property(object("customer", PropertyCollection::new("Customer").property(string("name"))));

        let stored = order.stored();
        assert_eq!(stored.name(), "OrderEntity");
        assert_eq!(stored.properties()[0].schema_type().label(), "ListOfItemEntity");
        assert_eq!(stored.properties()[1], string("id"));
        assert_eq!(stored.properties()[2].schema_type().label(), "Customer");
        assert_eq!(stored.stored(), stored);
    }
}
