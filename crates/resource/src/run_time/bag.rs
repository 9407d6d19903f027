//! Defines property bags for the entities, request bodies and views of resources that are declared at run time.

use std::fmt;
use std::sync::Arc;

use restwright_core::schema::{
    Bag, BagError, Checks, Code, DEFAULT_MAX_VIOLATIONS, Registry, Schema, SchemaType, Violation,
};
use restwright_list::{FieldName, FieldValue, FilterBag, Record, Value, ValueType};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};

use super::RunTimeShapes;
use super::merge::merge;
use crate::definition::{EntityDefinition, IdentifierKind};
use crate::endpoints::Resource;
use crate::entity::Entity;
use crate::row::{Row, RowError};

/// An entity of a [`ResourceDefinition`](crate::ResourceDefinition). It contains a JSON value for each property.
pub struct EntityBag {
    /// The schemas of the resource. They are `None` if the bag was deserialized and the schemas were not attached yet.
    shapes: Option<Arc<RunTimeShapes>>,
    values: Map<String, Json>,
}

impl EntityBag {
    pub(super) fn new(shapes: Option<Arc<RunTimeShapes>>, values: Map<String, Json>) -> Self {
        Self { shapes, values }
    }

    /// Attaches the schemas of the resource to a bag that a store returned. A bag that already has schemas stays unchanged.
    pub(crate) fn attach(&mut self, shapes: &Arc<RunTimeShapes>) {
        if self.shapes.is_none() {
            shapes.restore(&mut self.values);
            self.shapes = Some(Arc::clone(shapes));
        }
    }

    /// Returns the value of a property, or `None` if the entity does not contain the property.
    #[must_use]
    pub fn get(&self, property: &str) -> Option<&Json> {
        self.values.get(property)
    }

    /// Sets the value of a property. The value is checked against the schema when the entity is stored.
    pub fn set(&mut self, property: impl Into<String>, value: impl Into<Json>) {
        self.values.insert(property.into(), value.into());
    }

    /// Returns the values of all properties. The keys of the map are the names of the properties.
    #[must_use]
    pub fn values(&self) -> &Map<String, Json> {
        &self.values
    }

    /// Deserializes the entity into a Rust type, for example a type that the subcommand `shapes` generates.
    ///
    /// # Errors
    /// [`BagError`] if the type rejects a value or requires a missing value. Before the insert, an entity lacks a generated identifier and
    /// the values that the application sets.
    pub fn read<T: DeserializeOwned>(&self) -> Result<T, BagError> {
        Bag::new(self.values.clone()).read()
    }

    /// Replaces the properties of the entity with the fields of a serializable value. Omitted properties are removed, except the
    /// identifier, the scope, managed times and the version.
    ///
    /// The values are checked against the shape when the entity is stored.
    ///
    #[cfg_attr(not(doctest), doc = include_str!("../doc_examples/entity_bag_write.md"))]
    ///
    /// # Errors
    /// [`BagError`] if the type does not serialize to an object.
    pub fn write<T: Serialize + ?Sized>(&mut self, values: &T) -> Result<(), BagError> {
        let mut values: Map<String, Json> = Bag::from_typed(values)?.read()?;
        let definition = self.shapes.as_ref().map(|shapes| &shapes.entity);
        for field in definition.into_iter().flat_map(EntityDefinition::fields) {
            let name = field.name();
            let is_identifier = definition.is_some_and(|definition| definition.identifier() == name);
            let is_set = is_identifier || field.is_scope() || field.managed().is_some();
            if let Some(value) = self.values.get(name).filter(|_| is_set && !values.contains_key(name)) {
                values.insert(name.to_owned(), value.clone());
            }
        }
        self.values = values;
        Ok(())
    }

    fn item_type(&self, field: &str) -> Option<ValueType> {
        self.shapes.as_ref()?.entity.get(field)?.item_type()
    }

    fn value_type(&self, field: &str) -> Option<ValueType> {
        Some(self.shapes.as_ref()?.entity.get(field)?.value_type())
    }
}

impl Clone for EntityBag {
    fn clone(&self) -> Self {
        Self::new(self.shapes.clone(), self.values.clone())
    }
}

impl fmt::Debug for EntityBag {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("EntityBag").field("values", &self.values).finish_non_exhaustive()
    }
}

impl PartialEq for EntityBag {
    fn eq(&self, other: &Self) -> bool {
        self.values == other.values
    }
}

impl Serialize for EntityBag {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.values.serialize(serializer)
    }
}

/// Creates a bag without schemas. They are attached when the entities of a [`ResourceDefinition`](crate::ResourceDefinition) are read from
/// a store.
impl<'de> Deserialize<'de> for EntityBag {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Map::deserialize(deserializer).map(|values| Self::new(None, values))
    }
}

/// Accepts every field name and reads the value of the field from the bag. The names are checked against the definition when the Api is
/// built.
impl Record for EntityBag {
    fn has_field(_: &str) -> bool {
        true
    }

    fn value(&self, field: &str) -> Value<'_> {
        let Some(json) = self.values.get(field) else { return Value::Null };
        match (self.value_type(field), json) {
            (Some(ValueType::Text | ValueType::Enumeration), Json::String(text)) => Value::from(text.as_str()),
            (Some(ValueType::Json), Json::Array(items)) => match self.item_type(field) {
                Some(item) => Value::List(items.iter().filter_map(|json| item.read(json)).collect()),
                None => Value::Null,
            },
            (Some(value_type), json) => value_type.read(json).unwrap_or(Value::Null),
            (None, _) => Value::Null,
        }
    }
}

impl Entity for EntityBag {
    fn from_row(row: &mut Row) -> Result<Self, RowError> {
        Ok(Self::new(None, row.to_json()?))
    }

    fn to_row(&self, definition: &EntityDefinition) -> Result<Row, RowError> {
        Row::from_json(definition, &self.values)
    }

    fn set_value(&mut self, field: &str, value: Value<'static>) -> bool {
        // Stores and endpoints set only single values.
        if matches!(self.value_type(field), None | Some(ValueType::Json)) {
            return false;
        }
        self.values.insert(field.to_owned(), value.to_json());
        true
    }
}

impl Resource for EntityBag {
    // This is not used, because the definition of each resource contains its names.
    const NAME: &'static str = "Entity";
    const PATH: &'static str = "/";

    type Id = IdentifierBag;
    type New = NewBag;
    type Update = ChangesBag;
    type View = ViewBag;
    type Item = ItemBag;
    type Filters = FilterBag;
    type Sort = FieldName;

    /// Returns a placeholder definition without a name. This type serves many resources, and the real definition of each resource is in its
    /// [`ResourceDefinition`](crate::ResourceDefinition). Using the placeholder is an error.
    fn definition() -> EntityDefinition {
        EntityDefinition::new("", "id", IdentifierKind::Uuid)
    }

    fn create(new: NewBag) -> Self {
        Self::new(None, members(new.into_value()))
    }

    fn change(&mut self, changes: ChangesBag, _: &mut Checks<'_>) {
        // A body that ignores unknown properties may contain properties that an update cannot change.
        let changes = match &self.shapes {
            Some(shapes) => shapes.compiled().changes.project_value(&changes.0),
            None => changes.0,
        };
        let shape = self.shapes.as_ref().map(|shapes| &shapes.whole);
        merge(&mut self.values, members(changes), shape);
    }

    fn replace(&mut self, new: NewBag) {
        let Some(shapes) = &self.shapes else { return };
        let replaced = shapes.create(new).values;
        // Values that clients cannot send stay unchanged.
        let is_sent = |name: &str| shapes.new.properties().iter().any(|property| property.name() == name);
        self.values.retain(|name, _| !is_sent(name));
        self.values.extend(replaced);
    }

    fn copy_field(&mut self, from: &Self, field: &str) -> bool {
        match from.values.get(field) {
            Some(value) => drop(self.values.insert(field.to_owned(), value.clone())),
            None => drop(self.values.shift_remove(field)),
        }
        true
    }
}

/// Checks a complete entity against the schema of its resource.
impl Schema for EntityBag {
    type Changes = Self;

    fn schema_type(registry: &mut Registry) -> SchemaType {
        registry.run_time_schema::<Self>()
    }

    fn run_checks(&self, checks: &mut Checks<'_>) {
        let Some(shapes) = &self.shapes else { return };
        let values = Json::Object(self.values.clone());
        let Err(found) = shapes.compiled().whole.check_value(&values, DEFAULT_MAX_VIOLATIONS) else { return };
        let is_set_later = |one: &Violation| one.code == Code::REQUIRED && shapes.set_later.contains(&one.pointer);
        found.into_iter().filter(|one| !is_set_later(one)).for_each(|one| checks.refuse(one));
    }
}

/// Returns the members of a JSON object. Returns an empty map for any other value.
pub(super) fn members(value: Json) -> Map<String, Json> {
    match value {
        Json::Object(members) => members,
        _ => Map::new(),
    }
}

/// Generates types that wrap a JSON value. Their schemas depend on the operation that uses them.
macro_rules! bags {
    ($($(#[$doc:meta])* $name:ident),*) => { $(
        $(#[$doc])*
        #[derive(Clone, Debug, Serialize, Deserialize)]
        pub struct $name(Json);

        impl Schema for $name {
            type Changes = Self;

            fn schema_type(registry: &mut Registry) -> SchemaType {
                registry.run_time_schema::<Self>()
            }
        }
    )* };
}

bags!(
    /// The body of a create, for a resource that is declared at run time.
    NewBag,
    /// The body of an update, for a resource that is declared at run time.
    ChangesBag,
    /// One entity in a response, for a resource that is declared at run time.
    ViewBag,
    /// An item of a list, for a resource that is declared at run time.
    ItemBag,
    /// The identifier in the path, for a resource that is declared at run time.
    IdentifierBag
);

impl NewBag {
    pub(super) fn into_value(self) -> Json {
        self.0
    }
}

impl From<EntityBag> for ViewBag {
    fn from(entity: EntityBag) -> Self {
        let values = Json::Object(entity.values);
        Self(entity.shapes.map(|shapes| shapes.compiled().view.project_value(&values)).unwrap_or(values))
    }
}

impl From<EntityBag> for ItemBag {
    fn from(entity: EntityBag) -> Self {
        let values = Json::Object(entity.values);
        Self(entity.shapes.map(|shapes| shapes.compiled().item.project_value(&values)).unwrap_or(values))
    }
}

/// Creates an identifier, for example with `7.into()` or `"north".into()`. A UUID is passed as a string.
impl<T: Into<Json>> From<T> for IdentifierBag {
    fn from(identifier: T) -> Self {
        Self(identifier.into())
    }
}

/// Reads the identifier as a string, an integer or a Boolean. Endpoints convert a string to the type of the definition, such as a UUID.
impl FieldValue for IdentifierBag {
    // No field is declared with this type.
    const VALUE_TYPE: ValueType = ValueType::Text;

    fn to_value(&self) -> Value<'_> {
        match &self.0 {
            Json::String(text) => Value::from(text.as_str()),
            json => ValueType::Integer.read(json).or_else(|| ValueType::Boolean.read(json)).unwrap_or(Value::Null),
        }
    }

    fn from_value(value: Value<'_>) -> Option<Self> {
        Some(Self(value.to_json()))
    }
}
