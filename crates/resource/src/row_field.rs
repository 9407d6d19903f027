//! Defines [`RowField`], which converts a field of a derived entity to a value of a row and back.

use std::marker::PhantomData;

use restwright_list::FieldValue;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::row::{Row, RowError, json};

/// Converts a field of an entity to a value of a [`Row`] and back. Generated code uses it, because a derive macro cannot check which traits a type
/// implements.
///
/// If [`JsonField`] is in scope, `<RowField<T>>::write` uses [`FieldValue`] if `T` implements it, and otherwise JSON.
///
/// ```
/// use restwright_list::{Record, ValueType};
/// use restwright_resource::{EntityDefinition, FieldDefinition, IdentifierKind, JsonField as _, Row, RowError, RowField};
///
/// # fn main() -> Result<(), RowError> {
/// let pets = EntityDefinition::new("pets", "id", IdentifierKind::Integer).field(FieldDefinition::new("tags", ValueType::Json));
/// let mut row = Row::new(&pets);
/// <RowField<i64>>::write(&mut row, "id", &7)?;
/// <RowField<Vec<String>>>::write(&mut row, "tags", &vec!["old".to_owned()])?;
/// assert_eq!(row.value("id"), 7.into());
/// assert_eq!(<RowField<Vec<String>>>::read(&mut row, "tags", None)?, ["old"]);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct RowField<T>(PhantomData<fn(&T)>);

impl<T: FieldValue> RowField<T> {
    /// Sets the field of a row to a single value.
    ///
    /// # Errors
    /// Never fails.
    pub fn write(row: &mut Row, field: &str, value: &T) -> Result<(), RowError> {
        row.put(field, value.to_value());
        Ok(())
    }

    /// Reads a single value from a row. The default is not used, because a single value is never absent.
    ///
    /// # Errors
    /// The type cannot contain the value.
    pub fn read(row: &mut Row, field: &str, _: Option<fn() -> T>) -> Result<T, RowError> {
        row.take(field)
    }
}

/// The fallback of [`RowField`] for types that are stored as JSON.
pub trait JsonField {
    /// The type of the field, which does not implement [`FieldValue`].
    type Of;

    /// Sets the field of a row to JSON.
    ///
    /// # Errors
    /// The value cannot be serialized.
    fn write(row: &mut Row, field: &str, value: &Self::Of) -> Result<(), RowError>
    where
        Self::Of: Serialize,
    {
        row.put(field, json(field, value)?);
        Ok(())
    }

    /// Deserializes the JSON of a field. If the type rejects null, null is the default.
    ///
    /// # Errors
    /// The type rejects the JSON.
    fn read(row: &mut Row, field: &str, default: Option<fn() -> Self::Of>) -> Result<Self::Of, RowError>
    where
        Self::Of: DeserializeOwned,
    {
        let is_null = row.is_null(field);
        match (row.take_json(field), default) {
            (Err(_), Some(default)) if is_null => Ok(default()),
            (read, _) => read,
        }
    }
}

impl<T> JsonField for RowField<T> {
    type Of = T;
}
