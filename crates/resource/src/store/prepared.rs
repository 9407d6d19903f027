//! Prepares rows and entities for inserts and updates. All stores follow these rules.

use restwright_list::Value;
use uuid::Uuid;

use super::kept_value::{Kept, kept, refused_item};
use super::{Statement, StoreError};
use crate::definition::{IdentifierKind, Managed};
use crate::entity::{Entity, Version};
use crate::generated;
use crate::row::Row;

impl<'s> Statement<'s> {
    /// Prepares a row for an insert and checks its values. Returns `true` if the store must generate an integer identifier and pass it to
    /// [`set`](Self::set).
    ///
    /// Sets the scope, the version and a generated UUID. Sets the creation and update times if [`at`](Self::at) set the current time.
    ///
    /// An existing identifier stays if the statement [keeps](Self::keep_identifier) it, or if identifiers are given. Date-times are rounded down to
    /// whole microseconds and `-0.0` becomes `0.0`.
    ///
    /// # Errors
    /// Fails if a value cannot be stored, such as null in a field that is not nullable, an integer outside of `i64`, a string with NUL, or a
    /// date or a date-time before the year 0.
    pub fn prepare_insert(&self, row: &mut Row, version: Version) -> Result<bool, StoreError> {
        let identifier = self.definition.identifier();
        let kept = || match row.value(identifier) {
            Value::Uuid(id) => !id.is_nil(),
            Value::Integer(id) => id != 0,
            Value::Text(id) => !id.is_empty() && !Uuid::parse_str(&id).is_ok_and(|id| id.is_nil()),
            value => !value.is_null(),
        };
        let is_made_later = match self.definition.identifier_kind() {
            IdentifierKind::Given(_) => false,
            _ if self.keeps_identifier && kept() => false,
            IdentifierKind::Integer => true,
            IdentifierKind::Uuid => {
                self.set(row, identifier, generated::identifier().into())?;
                false
            }
        };
        self.stamp_row(row, true)?;
        self.set_live(row)?;
        self.prepare(row, version, is_made_later)?;
        Ok(is_made_later)
    }

    /// Prepares a row for an update and checks its values. Sets the scope, the version and the time of the update. Rounds values like
    /// [`prepare_insert`](Self::prepare_insert).
    ///
    /// # Errors
    /// Fails if a value cannot be stored, as for an insert.
    pub fn prepare_update(&self, row: &mut Row, version: Version) -> Result<(), StoreError> {
        self.stamp_row(row, false)?;
        if !self.sees_deleted {
            self.set_live(row)?;
        }
        self.prepare(row, version, false)
    }

    /// Sets the deletion field of a row to null, so the entity does not count as deleted.
    fn set_live(&self, row: &mut Row) -> Result<(), StoreError> {
        match self.definition.deletion_field() {
            Some(field) if self.definition.is_deleted(row) => self.set(row, field.name(), Value::Null),
            _ => Ok(()),
        }
    }

    fn stamp_row(&self, row: &mut Row, is_new: bool) -> Result<(), StoreError> {
        self.stamps(is_new)?.try_for_each(|(field, value)| self.set(row, field, value))
    }

    /// Sets the scope fields and the managed times of an entity before it is inserted or updated.
    pub(crate) fn stamp(&self, entity: &mut dyn Entity, is_new: bool) -> Result<(), StoreError> {
        self.stamps(is_new)?.try_for_each(|(field, value)| self.set_in(entity, field, value))
    }

    /// Sets a field of an entity to a value that the service sets.
    pub(crate) fn set_in(&self, entity: &mut dyn Entity, field: &str, value: Value<'static>) -> Result<(), StoreError> {
        if entity.set_value(field, value) {
            return Ok(());
        }
        Err(self.not_set(
            field,
            "`Entity::set_value` must set the identifier, and the fields for the scope, times and version",
        ))
    }

    /// Returns the scope fields and the managed times with their values.
    fn stamps(&self, is_new: bool) -> Result<impl Iterator<Item = (&'s str, Value<'static>)>, StoreError> {
        self.check_scope()?;
        let created = self.definition.managed(Managed::CreatedAt).filter(|_| is_new);
        let times = created.into_iter().chain(self.definition.managed(Managed::UpdatedAt));
        let times =
            self.now.into_iter().flat_map(move |now| times.clone().map(move |field| (field.name(), now.into())));
        Ok(self.scope.iter().map(|(field, value)| (field, value.clone())).chain(times))
    }

    /// Sets a field of a row to a value that the store generates, such as an identifier.
    ///
    /// # Errors
    /// The field has another type.
    pub fn set(&self, row: &mut Row, field: &str, value: Value<'static>) -> Result<(), StoreError> {
        if row.set(field, value) {
            return Ok(());
        }
        Err(self.not_set(field, "the definition must have the field with the type of the value"))
    }

    #[cold]
    fn not_set(&self, field: &str, advice: &str) -> StoreError {
        StoreError::failed(format!(
            "`{}` rejected the value that the store generated for `{field}`; {advice}",
            self.definition.name()
        ))
    }

    /// Sets the version of a row. Also rounds its other values, and checks that the store can store them. An identifier that is generated later
    /// is not checked.
    fn prepare(&self, row: &mut Row, version: Version, is_made_later: bool) -> Result<(), StoreError> {
        let lists = self.definition.fields().filter(|field| field.item_type().is_some());
        for field in lists {
            if let Some(reason) = refused_item(&row.value(field.name())) {
                return Err(StoreError::invalid_value(field.owned_name(), reason));
            }
        }
        // Other fields of JSON have no single values.
        let fields = self.definition.fields().zip(row.values_mut()).skip(usize::from(is_made_later));
        for (field, value) in fields.filter(|(field, _)| field.is_single()) {
            if field.managed() == Some(Managed::Version) {
                *value = version.number().into();
                continue;
            }
            match kept(value, field) {
                Kept::AsItIs => {}
                Kept::As(kept) => *value = kept,
                Kept::Rejected(reason) => return Err(StoreError::invalid_value(field.owned_name(), reason)),
            }
        }
        Ok(())
    }
}
