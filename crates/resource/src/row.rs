//! Defines [`Row`], the values of one entity in the form that stores save.

use std::error::Error;
use std::fmt;

use restwright_list::{FieldValue, Record, Value, ValueType};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value as Json};

use crate::definition::{EntityDefinition, FieldDefinition};

/// The values of one entity, in the order of [`EntityDefinition::fields`]. Stores read and write rows.
///
/// An [`Entity`](crate::Entity) converts itself to a row and back. Arrays and objects are [`Value::Json`].
///
/// ```
/// use restwright_list::ValueType;
/// use restwright_resource::{EntityDefinition, FieldDefinition, IdentifierKind, Row, RowError};
///
/// # fn main() -> Result<(), RowError> {
/// let pets = EntityDefinition::new("pets", "id", IdentifierKind::Integer)
///     .field(FieldDefinition::new("name", ValueType::Text))
///     .field(FieldDefinition::new("tags", ValueType::Json));
/// let mut row = Row::new(&pets).with("id", 7).with("name", "Rex").with_json("tags", &["old"])?;
/// assert_eq!(row.value("name"), "Rex".into());
/// assert_eq!(row.take::<String>("name")?, "Rex");
/// assert_eq!(row.take_json::<Vec<String>>("tags")?, ["old"]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, PartialEq)]
pub struct Row {
    definition: EntityDefinition,
    values: Vec<Value<'static>>,
    /// The index of the field that is probably used next, because entities use their fields in order.
    next: usize,
}

impl Row {
    /// Creates a row whose values are null.
    #[must_use]
    pub fn new(definition: &EntityDefinition) -> Self {
        Self::from_values(definition, Vec::new())
    }

    /// Creates a row with values in the order of [`EntityDefinition::fields`]. Missing values are null, and further values are dropped.
    #[must_use]
    pub fn from_values(definition: &EntityDefinition, mut values: Vec<Value<'static>>) -> Self {
        values.resize(definition.fields().count(), Value::Null);
        Self { definition: definition.clone(), values, next: 0 }
    }

    /// Returns the definition of the entity.
    pub fn definition(&self) -> &EntityDefinition {
        &self.definition
    }

    /// Creates a row from a JSON object, for stores that save documents. Properties that are not fields are ignored, and missing fields are null.
    ///
    /// # Errors
    /// A value cannot be serialized.
    pub fn from_json(definition: &EntityDefinition, object: &Map<String, Json>) -> Result<Self, RowError> {
        let mut row = Self::new(definition);
        for (field, value) in definition.fields().zip(&mut row.values) {
            let Some(found) = object.get(field.name()) else { continue };
            *value = match field.value_type() {
                ValueType::Json => json(field.name(), found)?,
                value_type => value_type.read(found).unwrap_or(Value::Null),
            };
        }
        Ok(row)
    }

    /// Returns the values as a JSON object, for stores that save documents. A JSON `null` in a field that is not nullable is left out.
    ///
    /// # Errors
    /// A [`Value::Json`] is not JSON.
    pub fn to_json(&self) -> Result<Map<String, Json>, RowError> {
        let mut object = Map::new();
        for (field, value) in self.definition.fields().zip(&self.values) {
            let json = match value {
                Value::Json(json) if !field.is_nullable() && json == "null" => continue,
                Value::Json(json) => serde_json::from_str(json).map_err(|error| RowError::of(field.name(), &error))?,
                value => value.to_json(),
            };
            object.insert(field.name().to_owned(), json);
        }
        Ok(object)
    }

    /// Returns the values in the order of [`EntityDefinition::fields`].
    #[must_use]
    pub fn values(&self) -> &[Value<'static>] {
        &self.values
    }

    /// Returns the value of a field, or null if the definition does not have the field. A list of single values in a JSON field is a
    /// [`Value::List`].
    #[must_use]
    pub fn value(&self, field: &str) -> Value<'_> {
        let Some(place) = self.definition.position(field) else { return Value::Null };
        let items = || self.definition.field_at(place).and_then(FieldDefinition::item_type);
        match self.values.get(place) {
            Some(Value::Json(json)) => items().map_or(Value::Null, |item| list(json, item)),
            Some(value) => value.borrowed(),
            None => Value::Null,
        }
    }
    /// Sets the value of a field. Ignores a field that the definition does not have.
    #[must_use]
    pub fn with<'v>(mut self, field: &str, value: impl Into<Value<'v>>) -> Self {
        self.put(field, value.into());
        self
    }

    /// Sets the value of a field to JSON. `None` and other values that serialize to `null` are null. Ignores a field that the definition does not have.
    ///
    /// # Errors
    /// The value cannot be serialized.
    pub fn with_json(mut self, field: &str, value: &(impl Serialize + ?Sized)) -> Result<Self, RowError> {
        self.put(field, json(field, value)?);
        Ok(self)
    }

    /// Removes the value of a field from the row and returns it as a Rust value. The identifier stays in the row.
    ///
    /// # Errors
    /// The type cannot contain the value, or the definition does not have the field.
    pub fn take<T: FieldValue>(&mut self, field: &str) -> Result<T, RowError> {
        T::from_value(self.taken(field)?).ok_or_else(|| RowError::new(field, std::any::type_name::<T>()))
    }

    /// Removes the JSON of a field from the row and deserializes it. Null is deserialized as the JSON `null`.
    ///
    /// # Errors
    /// The type rejects the JSON, or the definition does not have the field.
    pub fn take_json<T: DeserializeOwned>(&mut self, field: &str) -> Result<T, RowError> {
        let json = match self.taken(field)? {
            Value::Json(json) => json,
            other => other.to_json().to_string().into(),
        };
        serde_json::from_str(&json).map_err(|error| RowError::of(field, &error))
    }

    /// Sets a value that the service sets, such as an identifier or a time. Returns `false` if the definition does not have the field, or if the field
    /// cannot contain the value. A string is converted to the type of the field.
    #[must_use]
    pub fn set(&mut self, field: &str, value: Value<'static>) -> bool {
        let fitting = self.definition.get(field).and_then(|field| fitting(field, value));
        fitting.is_some_and(|value| self.put(field, value))
    }

    /// Sets the value of a field. Returns `false` if the definition does not have the field.
    pub(crate) fn put(&mut self, field: &str, value: Value<'_>) -> bool {
        let found = self.place(field).and_then(|place| self.values.get_mut(place));
        found.is_some_and(|found| {
            *found = value.into_owned();
            true
        })
    }

    /// Replaces the value of a field with null and returns it.
    fn taken(&mut self, field: &str) -> Result<Value<'static>, RowError> {
        match self.place(field).and_then(|place| Some((place, self.values.get_mut(place)?))) {
            // Error messages contain the identifier.
            Some((0, identifier)) => Ok(identifier.clone()),
            Some((_, found)) => Ok(std::mem::replace(found, Value::Null)),
            None => Err(RowError {
                field: field.to_owned(),
                reason: format!("the definition of `{}` must have the field", self.definition.name()),
            }),
        }
    }

    /// Returns `true` if the value of a field is null, also as JSON.
    pub(crate) fn is_null(&self, field: &str) -> bool {
        let value = self.definition.position(field).and_then(|place| self.values.get(place));
        value.is_none_or(|value| value.is_null() || matches!(value, Value::Json(json) if json == "null"))
    }

    pub(crate) fn values_mut(&mut self) -> &mut [Value<'static>] {
        &mut self.values
    }

    /// Returns the index of a field. The field after the last one is checked first.
    fn place(&mut self, field: &str) -> Option<usize> {
        let is_next = self.definition.field_at(self.next).is_some_and(|next| next.name() == field);
        let place = if is_next { self.next } else { self.definition.position(field)? };
        self.next = place + 1;
        Some(place)
    }
}

impl Record for Row {
    /// Returns `true`, because stores check the fields with the definition.
    fn has_field(_: &str) -> bool {
        true
    }

    fn value(&self, field: &str) -> Value<'_> {
        Self::value(self, field)
    }
}
impl fmt::Debug for Row {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_map().entries(self.definition.fields().map(FieldDefinition::name).zip(&self.values)).finish()
    }
}

/// Serializes a value to JSON. The JSON `null` is null.
pub(crate) fn json(field: &str, value: &(impl Serialize + ?Sized)) -> Result<Value<'static>, RowError> {
    let json = serde_json::to_string(value);
    let json = json.map_err(|error| RowError::of(field, &error))?;
    Ok(if json == "null" { Value::Null } else { Value::Json(json.into()) })
}

/// Returns the items of a JSON array that have the given type. Returns null for other JSON.
fn list(json: &str, item: ValueType) -> Value<'static> {
    match serde_json::from_str(json) {
        Ok(Json::Array(items)) => Value::List(items.iter().filter_map(|json| item.read(json)).collect()),
        _ => Value::Null,
    }
}

/// Converts a value to the type of a field. Returns `None` if the field cannot contain the value.
fn fitting(field: &FieldDefinition, value: Value<'static>) -> Option<Value<'static>> {
    let is_fitting = match (field.value_type(), &value) {
        (_, Value::Null) => field.is_nullable(),
        (ValueType::Text | ValueType::Enumeration, Value::Text(_))
        | (ValueType::Integer | ValueType::Enumeration, Value::Integer(_))
        | (ValueType::Number | ValueType::Float, Value::Number(_) | Value::Integer(_))
        | (ValueType::Boolean, Value::Boolean(_))
        | (ValueType::Date, Value::Date(_))
        | (ValueType::DateTime, Value::DateTime(_))
        | (ValueType::Uuid, Value::Uuid(_)) => true,
        #[cfg(feature = "rust_decimal")]
        (ValueType::Decimal, Value::Decimal(_)) => true,
        (ValueType::Uuid | ValueType::Date | ValueType::DateTime | ValueType::Decimal, Value::Text(text)) => {
            return field.value_type().read(&Json::from(text.as_ref()));
        }
        (ValueType::Text, Value::Uuid(value)) => return Some(value.to_string().into()),
        _ => false,
    };
    is_fitting.then_some(value)
}

/// An error that occurred while an entity was converted to a [`Row`] or back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowError {
    field: String,
    reason: String,
}

impl RowError {
    #[cold]
    pub(crate) fn new(field: &str, expected: &str) -> Self {
        Self { field: field.to_owned(), reason: format!("the value is not a {expected}") }
    }

    pub(crate) fn of(field: &str, error: &serde_json::Error) -> Self {
        Self { field: field.to_owned(), reason: error.to_string() }
    }

    /// Returns the name of the field.
    #[must_use]
    pub fn field(&self) -> &str {
        &self.field
    }
}

impl fmt::Display for RowError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "the field `{}`: {}", self.field, self.reason)
    }
}

impl Error for RowError {}
