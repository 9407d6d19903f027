//! Defines [`Statement`], the context of one call to a repository.

use std::fmt;

use jiff::Timestamp;
use restwright_list::{Expression, Record, SortEntry, Value};
use uuid::Uuid;

use super::kept_value::{Kept, kept, refused_item};
use super::replaced::IsReplaced;
use super::scope::EVERYTHING;
use super::{ListQuery, Scope, Store, StoreError};
use crate::definition::{EntityDefinition, FieldDefinition, IdentifierKind, Managed};
use crate::entity::{Entity, Version};
use crate::generated;

/// The context of one call to a repository. It contains the definition of the entities, the scope, and optionally a transaction.
///
/// Its methods implement the rules that all stores share. A custom store calls them.
///
/// ```
/// use restwright_resource::{Entity, EntityDefinition, Repository, Scope, Statement, Store, StoreError};
///
/// /// Moves an entity to another table in one transaction.
/// async fn archive<R: Entity, S: Repository<R>>(
///     store: &S, live: &EntityDefinition, archived: &EntityDefinition, scope: &Scope, id: i64,
/// ) -> Result<(), StoreError> {
///     let mut transaction = store.begin().await?;
///     let found = store.find(Statement::new(live).scoped(scope).within(&mut transaction), &id.into()).await?;
///     let found = found.ok_or(StoreError::NotFound)?;
///     store.delete(Statement::new(live).scoped(scope).within(&mut transaction), &id.into(), Some(found.version)).await?;
///     store.insert(Statement::new(archived).scoped(scope).within(&mut transaction), found.entity).await?;
///     store.commit(transaction).await
/// }
/// ```
#[must_use = "a statement does nothing until a repository runs it"]
pub struct Statement<'s, S: Store> {
    definition: &'s EntityDefinition,
    scope: &'s Scope,
    transaction: Option<&'s mut S::Transaction>,
    allows_stale: bool,
    is_for_update: bool,
    keeps_identifier: bool,
    sees_deleted: bool,
    now: Option<Timestamp>,
    pub(super) is_replaced: Option<&'s IsReplaced<'s>>,
}

impl<'s, S: Store> Statement<'s, S> {
    /// Creates a statement on the entities of a definition, in every scope and without a transaction.
    pub fn new(definition: &'s EntityDefinition) -> Self {
        Self {
            definition,
            scope: &EVERYTHING,
            transaction: None,
            allows_stale: false,
            is_for_update: false,
            keeps_identifier: false,
            sees_deleted: false,
            now: None,
            is_replaced: None,
        }
    }

    /// Converts a statement on a wrapper store to a statement on the wrapped store. The transaction is not copied.
    pub fn from_outer<T: Store>(outer: &Statement<'s, T>) -> Self {
        Self {
            definition: outer.definition,
            scope: outer.scope,
            transaction: None,
            allows_stale: outer.allows_stale,
            is_for_update: outer.is_for_update,
            keeps_identifier: outer.keeps_identifier,
            sees_deleted: outer.sees_deleted,
            now: outer.now,
            is_replaced: outer.is_replaced,
        }
    }

    /// Restricts the statement to a scope.
    pub fn scoped(mut self, scope: &'s Scope) -> Self {
        self.scope = scope;
        self
    }

    /// Runs the statement in a transaction.
    pub fn within(mut self, transaction: &'s mut S::Transaction) -> Self {
        self.transaction = Some(transaction);
        self
    }

    /// Allows the statement to return stale entities. A store with replicas then reads from a replica.
    pub fn allow_stale(mut self) -> Self {
        self.allows_stale = true;
        self
    }

    /// Returns `true` if the statement may return stale entities.
    #[must_use]
    pub fn allows_stale(&self) -> bool {
        self.allows_stale
    }

    /// Locks the entity that the statement finds until the transaction ends. Stores without locks ignore this setting.
    pub fn for_update(mut self) -> Self {
        self.is_for_update = true;
        self
    }

    /// Returns `true` if the store must lock the found entity until the transaction ends.
    #[must_use]
    pub fn is_for_update(&self) -> bool {
        self.is_for_update
    }

    /// Keeps the identifier of an inserted entity instead of generating a new identifier. A nil UUID or the integer 0 is still replaced.
    pub fn keep_identifier(mut self) -> Self {
        self.keeps_identifier = true;
        self
    }

    /// Includes [deleted](FieldDefinition::deleted_at) entities in the statement. An update then stores the time of the deletion that the
    /// entity contains, so an update with null restores the entity.
    pub fn with_deleted(mut self) -> Self {
        self.sees_deleted = true;
        self
    }

    /// Returns `true` if the statement includes deleted entities.
    #[must_use]
    pub fn sees_deleted(&self) -> bool {
        self.sees_deleted
    }

    /// Returns `true` if an entity belongs to the scope of the statement and is not deleted. Deleted entities belong to it if the statement
    /// includes them.
    #[must_use]
    pub fn admits(&self, entity: &(impl Record + ?Sized)) -> bool {
        self.scope.admits(entity) && (self.sees_deleted || !self.definition.is_deleted(entity))
    }

    /// Sets the current time. Inserts, updates and deletes store it as the time of the creation, the update or the deletion.
    pub fn at(mut self, now: Timestamp) -> Self {
        self.now = Some(now);
        self
    }

    /// Returns the definition of the statement's entities.
    pub fn definition(&self) -> &'s EntityDefinition {
        self.definition
    }

    /// Returns the time that a delete stores in the [deletion field](EntityDefinition::deletion_field), in whole microseconds.
    #[must_use]
    pub fn deletion_time(&self) -> Timestamp {
        let now = self.now.unwrap_or_else(Timestamp::now);
        Timestamp::from_microsecond(now.as_microsecond()).unwrap_or(now)
    }

    /// Returns the scope that restricts the statement. For example, the scope contains a tenant.
    pub fn scope(&self) -> &'s Scope {
        self.scope
    }

    /// Returns the transaction in which the statement runs.
    pub fn transaction(&mut self) -> Option<&mut S::Transaction> {
        self.transaction.as_deref_mut()
    }

    /// Reborrows the statement, so it can be passed to several calls.
    pub(crate) fn reborrow(&mut self) -> Statement<'_, S> {
        Statement { transaction: self.transaction.as_deref_mut(), ..*self }
    }

    /// Returns the [key](EntityDefinition::key) of the entity that has the given identifier in the scope.
    ///
    /// # Errors
    /// Fails if the scope contains a field that is not a scope field of the definition. Also fails if identifiers are given per scope and the scope
    /// lacks a scope field.
    pub fn key(&self, identifier: &Value<'_>) -> Result<Vec<Value<'static>>, StoreError> {
        self.check_scope()?;
        let mut key = Vec::new();
        if let IdentifierKind::Given(_) = self.definition.identifier_kind() {
            for field in self.definition.scope_fields() {
                key.push(self.scope.get(field.name()).cloned().ok_or_else(|| self.lacks_scope(field))?);
            }
        }
        key.push(identifier.clone().into_owned());
        Ok(key)
    }

    /// Prepares an entity for an insert and checks its values. Returns `true` if the store must generate an integer identifier and pass it
    /// to [`set`](Self::set).
    ///
    /// Sets the scope, the version and a generated UUID. Sets the creation and update times if [`at`](Self::at) set the current time.
    ///
    /// An existing identifier stays if the statement [keeps](Self::keep_identifier) it, or if identifiers are given. Date-times are rounded down to
    /// whole microseconds and `-0.0` becomes `0.0`, if the entity accepts these values.
    ///
    /// # Errors
    /// Fails if a value cannot be stored, such as null in a field that is not nullable, an integer outside of `i64`, a string with NUL, a
    /// date or a date-time before the year 0, or a date-time finer than a microsecond that the entity does not round.
    pub fn prepare_insert(&self, entity: &mut dyn Entity, version: Version) -> Result<bool, StoreError> {
        let identifier = self.definition.identifier();
        let kept = || match entity.value(identifier) {
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
                self.set(entity, identifier, generated::identifier().into())?;
                false
            }
        };
        self.stamp(entity, true)?;
        self.set_live(entity)?;
        self.prepare(entity, version, is_made_later.then_some(identifier))?;
        Ok(is_made_later)
    }

    /// Prepares an entity for an update and checks its values. Sets the scope, the version and the time of the update. Rounds values like
    /// [`prepare_insert`](Self::prepare_insert).
    ///
    /// # Errors
    /// Fails if a value cannot be stored, as for an insert.
    pub fn prepare_update(&self, entity: &mut dyn Entity, version: Version) -> Result<(), StoreError> {
        self.stamp(entity, false)?;
        if !self.sees_deleted {
            self.set_live(entity)?;
        }
        self.prepare(entity, version, None)
    }

    /// Sets the deletion field of an entity to null, so the entity does not count as deleted.
    fn set_live(&self, entity: &mut dyn Entity) -> Result<(), StoreError> {
        match self.definition.deletion_field() {
            Some(field) if self.definition.is_deleted(entity) => self.set(entity, field.name(), Value::Null),
            _ => Ok(()),
        }
    }

    /// Sets the scope fields and the managed times of an entity before it is inserted or updated.
    pub(crate) fn stamp(&self, entity: &mut dyn Entity, is_new: bool) -> Result<(), StoreError> {
        self.check_scope()?;
        for (field, value) in self.scope.iter() {
            self.set(entity, field, value.clone())?;
        }
        let Some(now) = self.now else { return Ok(()) };
        let created = self.definition.managed(Managed::CreatedAt).filter(|_| is_new);
        for field in created.into_iter().chain(self.definition.managed(Managed::UpdatedAt)) {
            self.set(entity, field.name(), now.into())?;
        }
        Ok(())
    }

    /// Sets a field of an entity to a value that the store generates, such as an identifier.
    ///
    /// # Errors
    /// Fails if the [`set_value`](crate::Entity::set_value) of the entity does not accept the value.
    pub fn set(&self, entity: &mut dyn Entity, field: &str, value: Value<'static>) -> Result<(), StoreError> {
        if entity.set_value(field, value) {
            return Ok(());
        }
        Err(StoreError::failed(format!(
            "`{}` rejected the value that the store generated for `{field}` of `{}`; `Entity::set_value` must set the identifier, and the fields \
             for the scope, times and version",
            entity.type_name(),
            self.definition.name()
        )))
    }

    /// Combines a filter with the condition of the scope, and with the condition that the entity is not deleted.
    ///
    /// # Errors
    /// The filter or the scope has a field that the definition does not declare.
    pub fn restrict(&self, filter: &Expression) -> Result<Expression, StoreError> {
        self.check_scope()?;
        self.definition.check_condition(filter)?;
        let live = self.definition.is_live().filter(|_| !self.sees_deleted);
        Ok(live.into_iter().fold(self.scope.expression(), Expression::and).and(filter.clone()))
    }

    /// Combines the filter of a query with the condition of the scope. The position of the window is not included.
    ///
    /// # Errors
    /// The query or the scope has a field that the definition does not declare.
    pub fn restrict_query(&self, query: &ListQuery<'_>) -> Result<Expression, StoreError> {
        self.check_order(query, &|_| None)?;
        self.restrict(&query.filter)
    }

    /// Checks that a store with support for [`Exists`](restwright_list::Exists) can evaluate a filter. `find` returns the definition for a
    /// name.
    ///
    /// # Errors
    /// The filter or the scope has a field that the definition does not declare, or a related definition does not fit.
    pub fn check_filter(
        &self,
        filter: &Expression,
        find: &dyn Fn(&str) -> Option<EntityDefinition>,
    ) -> Result<(), StoreError> {
        self.check_scope()?;
        self.definition.check_related_condition(filter, find)
    }

    /// Checks that a store with support for [`Exists`](restwright_list::Exists) can evaluate the filter and the order of a query.
    ///
    /// # Errors
    /// The same as in [`check_filter`](Self::check_filter), also for the order of the query.
    pub fn check_query(
        &self,
        query: &ListQuery<'_>,
        find: &dyn Fn(&str) -> Option<EntityDefinition>,
    ) -> Result<(), StoreError> {
        self.check_order(query, find)?;
        self.check_filter(&query.filter, find)
    }

    fn check_order(
        &self,
        query: &ListQuery<'_>,
        find: &dyn Fn(&str) -> Option<EntityDefinition>,
    ) -> Result<(), StoreError> {
        for name in query.order.iter().map(SortEntry::name) {
            match query.related.iter().find(|related| related.name == name) {
                Some(value) => self.definition.related(&value.exists, find)?.0.check_field(&value.field)?,
                None => self.definition.check_field(name)?,
            }
        }
        query.window.position().map_or(Ok(()), |position| self.definition.check_condition(&position.expression()))
    }

    /// Sets the version of an entity. Also rounds its other values, and checks that the store can store them. An identifier that is
    /// generated later is not checked.
    fn prepare(&self, entity: &mut dyn Entity, version: Version, made_later: Option<&str>) -> Result<(), StoreError> {
        let lists = self.definition.fields().filter(|field| field.item_type().is_some());
        for field in lists {
            if let Some(reason) = refused_item(&entity.value(field.name())) {
                return Err(StoreError::invalid_value(field.owned_name(), reason));
            }
        }
        // Other fields of JSON have no single values.
        for field in self.definition.fields().filter(|field| field.is_single() && Some(field.name()) != made_later) {
            if field.managed() == Some(Managed::Version) {
                self.set(entity, field.name(), version.number().into())?;
                continue;
            }
            let refused = match kept(&entity.value(field.name()), field) {
                Kept::AsItIs => None,
                Kept::As(value, reason) => {
                    let is_set = entity.set_value(field.name(), value);
                    reason.filter(|_| !is_set)
                }
                Kept::Rejected(reason) => Some(reason),
            };
            if let Some(reason) = refused {
                return Err(StoreError::invalid_value(field.owned_name(), reason));
            }
        }
        Ok(())
    }

    fn check_scope(&self) -> Result<(), StoreError> {
        let is_scope = |field: &str| self.definition.get(field).is_some_and(FieldDefinition::is_scope);
        self.scope.iter().find(|(field, _)| !is_scope(field)).map_or(Ok(()), |(field, _)| {
            Err(StoreError::failed(format!(
                "the scope has the field `{field}`, which is not a scope field of `{}`; declare it with `FieldDefinition::scope`",
                self.definition.name()
            )))
        })
    }

    fn lacks_scope(&self, field: &FieldDefinition) -> StoreError {
        StoreError::failed(format!(
            "identifiers of `{}` are unique only within a scope, and the scope of the statement lacks `{}`; set it with `Scope::with`",
            self.definition.name(),
            field.name()
        ))
    }
}

impl<S: Store> fmt::Debug for Statement<'_, S> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Statement")
            .field("entity", &self.definition.name())
            .field("scope", &self.scope)
            .field("is_in_transaction", &self.transaction.is_some())
            .finish()
    }
}
