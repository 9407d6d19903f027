//! [`EntityBag`]: an entity whose shape is declared at run time, and the shapes in which clients send and see it.

use std::fmt;
use std::sync::Arc;

use restwright_core::schema::{
    Bag, BagError, Checks, Code, DEFAULT_MAX_VIOLATIONS, Registry, Schema, SchemaType, Violation,
};
use restwright_list::{FieldName, FieldValue, FilterBag, Page, Record, Value, ValueType};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};

use super::RunTimeShapes;
use super::merge::merge;
use crate::definition::{EntityDefinition, IdentifierKind};
use crate::endpoints::{Resource, ResourcePagination};
use crate::entity::Entity;

/// An entity of a [`ResourceDefinition`](crate::ResourceDefinition): its values by the names of properties.
pub struct EntityBag<P = Page> {
    /// The shapes of its resource; `None` for a bag that serde read, until it is attached.
    shapes: Option<Arc<RunTimeShapes<P>>>,
    values: Map<String, Json>,
}

impl<P> EntityBag<P> {
    pub(super) fn new(shapes: Option<Arc<RunTimeShapes<P>>>, values: Map<String, Json>) -> Self {
        Self { shapes, values }
    }

    /// Gives a bag that a store returned the shapes of its resource. A bag that still has them was not read from outside the process.
    pub(crate) fn attach(&mut self, shapes: &Arc<RunTimeShapes<P>>) {
        if self.shapes.is_none() {
            shapes.restore(&mut self.values);
            self.shapes = Some(Arc::clone(shapes));
        }
    }

    /// Returns the value of a property; `None` if it is absent.
    #[must_use]
    pub fn get(&self, property: &str) -> Option<&Json> {
        self.values.get(property)
    }

    /// Sets the value of a property. It is checked against the shape when the entity is kept.
    pub fn set(&mut self, property: impl Into<String>, value: impl Into<Json>) {
        self.values.insert(property.into(), value.into());
    }

    /// Returns all values by the names of their properties.
    #[must_use]
    pub fn values(&self) -> &Map<String, Json> {
        &self.values
    }

    /// Reads the entity as a type, such as the `PetEntity` that the subcommand `shapes` writes.
    ///
    /// # Errors
    /// [`BagError`] when the type rejects a value, or requires one that the entity does not have: one that is not inserted yet has neither
    /// the identifier that a store makes nor what the application sets.
    pub fn read<T: DeserializeOwned>(&self) -> Result<T, BagError> {
        Bag::new(self.values.clone()).read()
    }

    /// Replaces all values by those of a type. What the type leaves out is absent afterwards, except what the service sets: the
    /// identifier, the scope, times and the version.
    ///
    /// The values are checked against the shape when the entity is kept.
    ///
    /// ```
    /// use restwright::prelude::*;
    /// use restwright::resource::{EntityBag, HookContext, Hooks, MemoryStore};
    /// use serde::{Deserialize, Serialize};
    ///
    /// #[derive(Serialize, Deserialize)]
    /// struct PetEntity {
    ///     #[serde(skip_serializing_if = "Option::is_none")]
    ///     id: Option<i64>,
    ///     name: String,
    /// }
    ///
    /// struct TrimmedName;
    ///
    /// impl Hooks<EntityBag, MemoryStore> for TrimmedName {
    ///     async fn before_create(&self, _: &mut HookContext<'_, MemoryStore>, entity: &mut EntityBag) -> Result<()> {
    ///         let mut pet: PetEntity = entity.read()?;
    ///         pet.name = pet.name.trim().to_owned();
    ///         Ok(entity.write(&pet)?)
    ///     }
    /// }
    /// ```
    ///
    /// # Errors
    /// [`BagError`] if the type writes no object.
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

    fn value_type(&self, field: &str) -> Option<ValueType> {
        Some(self.shapes.as_ref()?.entity.get(field)?.value_type())
    }
}

impl<P> Clone for EntityBag<P> {
    fn clone(&self) -> Self {
        Self::new(self.shapes.clone(), self.values.clone())
    }
}

impl<P> fmt::Debug for EntityBag<P> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("EntityBag").field("values", &self.values).finish_non_exhaustive()
    }
}

impl<P> PartialEq for EntityBag<P> {
    fn eq(&self, other: &Self) -> bool {
        self.values == other.values
    }
}

impl<P> Serialize for EntityBag<P> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.values.serialize(serializer)
    }
}

/// The bag has no shape. What reads the entities of a [`ResourceDefinition`](crate::ResourceDefinition) from a store gives them the shape.
impl<'de, P> Deserialize<'de> for EntityBag<P> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Map::deserialize(deserializer).map(|values| Self::new(None, values))
    }
}

/// The fields are those of the definition, which is checked when the Api is built.
impl<P> Record for EntityBag<P> {
    fn has_field(_: &str) -> bool {
        true
    }

    fn value(&self, field: &str) -> Value<'_> {
        let Some(json) = self.values.get(field) else { return Value::Null };
        match (self.value_type(field), json) {
            (Some(ValueType::Text | ValueType::Enumeration), Json::String(text)) => Value::from(text.as_str()),
            (Some(value_type), json) => value_type.read(json).unwrap_or(Value::Null),
            (None, _) => Value::Null,
        }
    }
}

impl<P: 'static> Entity for EntityBag<P> {
    fn set_value(&mut self, field: &str, value: Value<'static>) -> bool {
        let Some(json) = to_json(value) else { return false };
        // Stores and endpoints set single values alone.
        if matches!(self.value_type(field), None | Some(ValueType::Json)) {
            return false;
        }
        self.values.insert(field.to_owned(), json);
        true
    }
}

fn to_json(value: Value<'static>) -> Option<Json> {
    Some(match value {
        Value::Null => Json::Null,
        Value::Boolean(value) => value.into(),
        Value::Integer(value) => match i64::try_from(value) {
            Ok(value) => value.into(),
            Err(_) => u64::try_from(value).ok()?.into(),
        },
        Value::Number(value) => value.into(),
        Value::Text(value) => value.into_owned().into(),
        Value::Date(value) => value.to_string().into(),
        Value::DateTime(value) => value.to_string().into(),
        Value::Uuid(value) => value.to_string().into(),
        _ => return None,
    })
}

impl<P: ResourcePagination> Resource for EntityBag<P> {
    // Those of the definition are used.
    const NAME: &'static str = "Entity";
    const PATH: &'static str = "/";

    type Id = IdentifierBag;
    type New = NewBag;
    type Update = ChangesBag;
    type View = ViewBag;
    type Item = ItemBag;
    type Filters = FilterBag;
    type Sort = FieldName;
    type Pagination = P;

    /// The definition of a bag is that of its resource, which no function of a type has. One without a name is refused.
    fn definition() -> EntityDefinition {
        EntityDefinition::new("", "id", IdentifierKind::Uuid)
    }

    fn create(new: NewBag) -> Self {
        Self::new(None, members(new.into_value()))
    }

    fn change(&mut self, changes: ChangesBag, _: &mut Checks<'_>) {
        let shape = self.shapes.as_ref().map(|shapes| &shapes.whole);
        merge(&mut self.values, members(changes.0), shape);
    }

    fn replace(&mut self, new: NewBag) {
        let Some(shapes) = &self.shapes else { return };
        let replaced = shapes.create(new).values;
        // What clients do not send stays as it is.
        let is_sent = |name: &str| shapes.new.properties().iter().any(|property| property.name() == name);
        self.values.retain(|name, _| !is_sent(name));
        self.values.extend(replaced);
    }
}

/// A whole entity is checked against its shape.
impl<P: 'static> Schema for EntityBag<P> {
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

/// Members of an object; none of any other value.
pub(super) fn members(value: Json) -> Map<String, Json> {
    match value {
        Json::Object(members) => members,
        _ => Map::new(),
    }
}

/// A shape whose schema is that of the operation.
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
    /// The body of a create.
    NewBag,
    /// The body of an update.
    ChangesBag,
    /// One entity in a response.
    ViewBag,
    /// An item of a list.
    ItemBag,
    /// The identifier in the path.
    IdentifierBag
);

impl NewBag {
    pub(super) fn into_value(self) -> Json {
        self.0
    }
}

impl<P> From<EntityBag<P>> for ViewBag {
    fn from(entity: EntityBag<P>) -> Self {
        let values = Json::Object(entity.values);
        Self(entity.shapes.map(|shapes| shapes.compiled().view.project_value(&values)).unwrap_or(values))
    }
}

impl<P> From<EntityBag<P>> for ItemBag {
    fn from(entity: EntityBag<P>) -> Self {
        let values = Json::Object(entity.values);
        Self(entity.shapes.map(|shapes| shapes.compiled().item.project_value(&values)).unwrap_or(values))
    }
}

/// `7.into()` and `"north".into()` are identifiers. A UUID is its text.
impl<T: Into<Json>> From<T> for IdentifierBag {
    fn from(identifier: T) -> Self {
        Self(identifier.into())
    }
}

/// Text that stands for another type, such as a UUID, is read as the definition says.
impl FieldValue for IdentifierBag {
    // No field is declared by it.
    const VALUE_TYPE: ValueType = ValueType::Text;

    fn to_value(&self) -> Value<'_> {
        match &self.0 {
            Json::String(text) => Value::from(text.as_str()),
            json => ValueType::Integer.read(json).or_else(|| ValueType::Boolean.read(json)).unwrap_or(Value::Null),
        }
    }
}
