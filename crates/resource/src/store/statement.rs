//! Defines [`Statement`], the context of one call to a store.

use std::any::Any;
use std::fmt;

use jiff::Timestamp;
use restwright_list::{Expression, Record, SortEntry, Value};

use super::replaced::IsReplaced;
use super::scope::EVERYTHING;
use super::{ListQuery, Scope, StoreError, Transaction};
use crate::definition::{EntityDefinition, FieldDefinition, IdentifierKind};
use crate::row::Row;

/// The context of one call to a [`Store`](crate::Store). It contains the definition of the entities, the scope, and optionally a transaction.
///
/// Its methods implement the rules that all stores share. A custom store calls them.
///
/// ```
/// use restwright_resource::{Entity, EntityDefinition, Repository, Scope, Statement, Store, StoreError};
///
/// /// Moves an entity to another table in one transaction.
/// async fn archive<R: Entity>(
///     store: &dyn Store, live: &EntityDefinition, archived: &EntityDefinition, scope: &Scope, id: i64,
/// ) -> Result<(), StoreError> {
///     let mut transaction = store.begin().await?;
///     let found = store.find::<R>(Statement::new(live).scoped(scope).within(&mut transaction), &id.into()).await?;
///     let found = found.ok_or(StoreError::NotFound)?;
///     store.delete(Statement::new(live).scoped(scope).within(&mut transaction), &id.into(), Some(found.version)).await?;
///     store.insert(Statement::new(archived).scoped(scope).within(&mut transaction), found.entity).await?;
///     store.commit(transaction).await
/// }
/// ```
#[must_use = "a statement does nothing until a store runs it"]
pub struct Statement<'s> {
    pub(super) definition: &'s EntityDefinition,
    pub(super) scope: &'s Scope,
    pub(super) transaction: Option<&'s mut Transaction>,
    allows_stale: bool,
    is_for_update: bool,
    pub(super) keeps_identifier: bool,
    pub(super) sees_deleted: bool,
    pub(super) now: Option<Timestamp>,
    pub(super) is_replaced: Option<&'s IsReplaced<'s>>,
    reads: Option<CheckRow>,
}

/// Checks that a type can contain the values of a row.
pub(crate) type CheckRow = fn(&Row) -> Result<(), StoreError>;

impl<'s> Statement<'s> {
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
            reads: None,
        }
    }

    /// Returns a statement with the same settings. A store that runs several statements in place of one calls it.
    pub fn reborrow(&mut self) -> Statement<'_> {
        Statement { transaction: self.transaction.as_deref_mut(), ..*self }
    }

    /// Replaces the transaction of the statement with a transaction that its value contains. A store that wraps another store passes the result to
    /// that store.
    ///
    /// # Errors
    /// The transaction belongs to a store with another type of value.
    pub fn map_transaction<T: Any>(
        self,
        inner: impl FnOnce(&'s mut T) -> &'s mut Transaction,
    ) -> Result<Self, StoreError> {
        let transaction = self.transaction.map(Transaction::get).transpose()?.map(inner);
        Ok(Self { transaction, ..self })
    }

    /// Restricts the statement to a scope.
    pub fn scoped(mut self, scope: &'s Scope) -> Self {
        self.scope = scope;
        self
    }

    /// Runs the statement in a transaction.
    pub fn within(mut self, transaction: &'s mut Transaction) -> Self {
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

    /// Sets the check of the type to which the rows are converted.
    pub(crate) fn reads(self, check: CheckRow) -> Self {
        Self { reads: Some(check), ..self }
    }

    /// Checks that the entity can contain the values of a row. A store that leaves out [unreadable](ListQuery::may_skip_unreadable) rows calls it.
    ///
    /// # Errors
    /// A field of the entity cannot contain its value.
    pub fn check_row(&self, row: &Row) -> Result<(), StoreError> {
        self.reads.map_or(Ok(()), |check| check(row))
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

    /// Returns the value of the transaction in which the statement runs, or `None` if it runs in no transaction.
    ///
    /// # Errors
    /// The transaction belongs to a store with another type of value.
    pub fn transaction<T: Any>(&mut self) -> Result<Option<&mut T>, StoreError> {
        self.transaction.as_deref_mut().map(Transaction::get).transpose()
    }

    /// Returns a shared reference to the value of the transaction, or `None` if it has another type or the statement runs in no transaction.
    #[must_use]
    pub fn peek_transaction<T: Any>(&self) -> Option<&T> {
        self.transaction.as_deref().and_then(Transaction::peek)
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

    pub(super) fn check_scope(&self) -> Result<(), StoreError> {
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

impl fmt::Debug for Statement<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Statement")
            .field("entity", &self.definition.name())
            .field("scope", &self.scope)
            .field("is_in_transaction", &self.transaction.is_some())
            .finish()
    }
}
