//! Defines [`EntityStore`], which reads and writes the entities of a resource in hooks and custom controllers.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use jiff::Timestamp;
use restwright_core::auth::Identity;
use restwright_core::{Problem, Result};
use restwright_list::{Expression, FieldValue, ListSlice, SortBag, SortFields, Uncounted, Value, Window};

use crate::definition::EntityDefinition;
use crate::endpoints::Resource;
use crate::endpoints::caller::coverage::Coverage;
use crate::endpoints::caller::field_rights::Guards;
use crate::endpoints::caller::problem::{Failure, of_delete, problem};
use crate::endpoints::declare::any_shapes::AnyShapes;
use crate::endpoints::declare::info::{narrowed, stored_identifier};
use crate::endpoints::declare::names::Names;
use crate::entity::{Version, Versioned};
use crate::store::{ListQuery, Repository, Scope, Statement, Store, StoreError, Transaction};

/// The caller to whom the policies apply.
pub(super) enum Viewer {
    /// No caller is set. Statements on a resource with a policy then fail. Storing a reference to such a resource also fails.
    Unstated,
    Unrestricted,
    Caller(Identity),
}

/// Reads and writes the entities of a resource within a scope. Use it in hooks and custom controllers.
///
/// The errors are the same problems as in [`Endpoints`](crate::Endpoints), with the status 404, 409 or 422. If a hook or the work of a
/// [transaction](crate::Repository::transaction) returns an error that the store [retries](Store::retries), the hook or the work runs again.
///
#[cfg_attr(not(doctest), doc = include_str!("../../doc_examples/entity_store.md"))]
pub struct EntityStore<'s, T> {
    pub(super) store: &'s dyn Store,
    pub(super) definition: EntityDefinition,
    /// The schemas of the entities, if the resource is declared at run time.
    pub(super) shapes: Option<Arc<dyn AnyShapes>>,
    /// The singular name of the entities, for error messages.
    pub(super) name: String,
    pub(super) scope: Scope,
    pub(super) coverage: Coverage,
    pub(super) transaction: Option<&'s mut Transaction>,
    pub(super) now: Option<Timestamp>,
    pub(super) viewer: Viewer,
    pub(super) sees_deleted: bool,
    pub(super) entity: PhantomData<fn() -> T>,
}

impl<'s, T: Resource> EntityStore<'s, T> {
    /// Creates an accessor for the entities in a scope. The scope contains a value of each scope field of the entities, and no other field.
    /// Otherwise each statement returns 500. [`all_scopes`](Self::all_scopes) permits missing fields.
    #[must_use]
    pub fn new(store: &'s dyn Store, scope: &Scope) -> Self {
        Self::with_definition(store, T::definition(), T::NAME.to_owned(), scope)
    }

    fn with_definition(store: &'s dyn Store, definition: EntityDefinition, name: String, scope: &Scope) -> Self {
        Self {
            store,
            definition,
            shapes: None,
            name,
            scope: scope.clone(),
            coverage: Coverage::OneScope,
            transaction: None,
            now: None,
            viewer: Viewer::Unstated,
            sees_deleted: false,
            entity: PhantomData,
        }
    }

    /// Creates an accessor for the entities of a resource that is declared at run time.
    pub(crate) fn run_time(
        store: &'s dyn Store,
        definition: EntityDefinition,
        name: String,
        shapes: Arc<dyn AnyShapes>,
        scope: &Scope,
    ) -> Self {
        Self { shapes: Some(shapes), ..Self::with_definition(store, definition, name, scope) }
    }

    /// Permits scope fields without a value. Statements then include the entities of all values of these fields, for example of all tenants.
    ///
    /// An insert stores the value that the entity has in such a field.
    #[must_use]
    pub fn all_scopes(mut self) -> Self {
        self.coverage = Coverage::AllScopes;
        self
    }

    /// Restricts the accessor to the part of its scope that the entities have. The scope is the scope of an operation.
    pub(in crate::endpoints) fn in_operation(mut self) -> Self {
        self.scope = narrowed(&self.scope, &self.definition);
        self.coverage = Coverage::Operation;
        self
    }

    /// Runs the statements of the accessor in a transaction.
    #[must_use]
    pub fn within(mut self, transaction: &'s mut Transaction) -> Self {
        self.transaction = Some(transaction);
        self
    }

    /// Applies the [policies](crate::RowPolicy) for a caller. Hidden entities are not found, and a forbidden change returns 403.
    ///
    /// A resource with a policy requires this method or [`unrestricted`](Self::unrestricted). Otherwise each statement returns 500. An
    /// insert or an update of a resource that refers to a resource with a policy also returns 500. In hooks and actions, the caller is
    /// already set.
    #[must_use]
    pub fn for_caller(mut self, caller: &Identity) -> Self {
        self.viewer = Viewer::Caller(caller.clone());
        self
    }

    /// Disables the [policies](crate::RowPolicy). The accessor can read and change all entities of the scope.
    #[must_use]
    pub fn unrestricted(mut self) -> Self {
        self.viewer = Viewer::Unrestricted;
        self
    }

    /// Sets the current time. Inserts store it as the creation time, and updates as the update time. The default is the system time.
    #[must_use]
    pub fn at(mut self, now: Timestamp) -> Self {
        self.now = Some(now);
        self
    }

    /// Returns the entity with the given identifier, or `None` if the scope contains no such entity.
    ///
    /// # Errors
    /// The store is unavailable. All methods of the accessor share this error. They return 500 if the definition has no name.
    pub async fn find(&mut self, id: &T::Id) -> Result<Option<Versioned<T>>> {
        let id = stored_identifier(&self.definition, id.to_value());
        self.find_stored(&id).await
    }

    pub(super) async fn find_stored(&mut self, id: &Value<'_>) -> Result<Option<Versioned<T>>> {
        let found = self.store.find::<T>(self.statement()?, id).await;
        let Some(mut found) = self.checked(found)? else { return Ok(None) };
        if let Some((gate, transaction)) = self.gate() {
            let sees = gate.sees(transaction, &found.entity).await;
            if !self.checked(sees)? {
                return Ok(None);
            }
        }
        self.attach(&mut found.entity)?;
        Ok(Some(found))
    }

    /// Returns the entities that match a query.
    ///
    /// # Errors
    /// The store is unavailable.
    pub async fn list(&mut self, query: &ListQuery<'_>) -> Result<ListSlice<Versioned<T>, Uncounted>> {
        let filter = self.restricted(&query.filter)?.into_owned();
        let query = query.with_filter(filter);
        let listed = self.store.list(self.statement()?, &query).await;
        let mut listed = self.checked(listed)?;
        listed.items.iter_mut().try_for_each(|found| self.attach(&mut found.entity))?;
        Ok(listed)
    }

    /// Returns the first `limit` entities that match a filter, ordered by identifier. Pass `&()` to match all.
    ///
    /// Use it in code that reads entities without a list request, such as a hook or a job:
    ///
    #[cfg_attr(not(doctest), doc = include_str!("../../doc_examples/entity_store_first.md"))]
    ///
    /// # Errors
    /// The store is unavailable.
    pub async fn first(&mut self, filter: impl Into<Expression>, limit: u32) -> Result<Vec<Versioned<T>>> {
        let fields = SortFields::by_identifier(self.definition.identifier().to_owned());
        let order = SortBag::among(&fields, []).ok_or_else(|| Problem::internal("the identifier has no order"))?;
        let listed = self.list(&ListQuery::new(filter, &order, &Window::skip(0, limit))).await?;
        Ok(listed.items)
    }

    /// Returns the number of entities that match a filter. Pass `&()` to count all.
    ///
    /// # Errors
    /// The store is unavailable.
    pub async fn count(&mut self, filter: impl Into<Expression>) -> Result<u64> {
        let filter = self.restricted(&filter.into())?.into_owned();
        let counted = self.store.count(self.statement()?, &filter).await;
        self.checked(counted)
    }

    /// Inserts an entity with its creation and update times, and returns the entity with its identifier.
    ///
    /// An identifier that the entity already has is kept, unless it is a nil UUID or the integer 0. The store never generates this integer or a
    /// smaller one afterwards. The identifier must be unique in all scopes. On PostgreSQL, the insert advances the sequence of the identity column,
    /// for which the database user needs `UPDATE` on the sequence.
    ///
    /// # Errors
    /// 409 if another entity already has the identifier or a unique value. 422 for a reference to a missing entity, and for values that a
    /// rule of the store rejects.
    pub async fn insert(&mut self, entity: T) -> Result<T> {
        let now = self.now();
        let inserted = self.insert_at(entity, now).await?;
        let mut entity = self.checked(inserted)?.entity;
        self.attach(&mut entity)?;
        Ok(entity)
    }

    /// Checks and inserts an entity. Returns the error of the store as it is.
    pub(super) async fn insert_at(&mut self, entity: T, now: Timestamp) -> Result<Result<Versioned<T>, StoreError>> {
        if !self.needs_transaction() {
            return self.insert_checked(entity, now).await;
        }
        let begun = self.store.begin().await;
        let mut transaction = self.checked(begun)?;
        let inserted = self.caller_within(&mut transaction).insert_checked(entity, now).await?;
        if inserted.is_ok() {
            let committed = self.store.commit(transaction).await;
            self.checked(committed)?;
        }
        Ok(inserted)
    }

    async fn insert_checked(&mut self, mut entity: T, now: Timestamp) -> Result<Result<Versioned<T>, StoreError>> {
        self.check_insert(&mut entity, now).await?;
        let inserted = self.store.insert(self.statement()?.at(now).keep_identifier(), entity).await;
        if let (Ok(stored), true) = (&inserted, self.checks_stored()) {
            self.check_result(None, &stored.entity).await?;
        }
        Ok(inserted)
    }

    /// Replaces the stored entity that has the same identifier, if it has the expected version. Sets the time of the update.
    ///
    /// # Errors
    /// 404 if the entity does not exist, and the errors of [`insert`](Self::insert).
    pub async fn update(&mut self, entity: T, expected: Option<Version>) -> Result<T> {
        if !self.needs_transaction() {
            return self.update_checked(entity, expected).await;
        }
        let begun = self.store.begin().await;
        let mut transaction = self.checked(begun)?;
        let updated = self.caller_within(&mut transaction).update_checked(entity, expected).await?;
        let committed = self.store.commit(transaction).await;
        self.checked(committed)?;
        Ok(updated)
    }

    async fn update_checked(&mut self, mut entity: T, expected: Option<Version>) -> Result<T> {
        let now = self.now();
        let id = entity.value(self.definition.identifier()).into_owned();
        let expected = self.check_change(&id, expected, Some((&mut entity, now))).await?;
        let updated = self.store.update(self.statement()?.at(now), entity, expected).await;
        let mut entity = self.checked(updated)?.entity;
        if self.checks_stored() {
            self.check_result(None, &entity).await?;
        }
        self.attach(&mut entity)?;
        Ok(entity)
    }

    /// Deletes the entity with the given identifier, if it has the expected version.
    ///
    /// # Errors
    /// 404 if the entity does not exist. 403 if a policy forbids the delete. 409 if other entities refer to the entity, or if the store rejects
    /// the delete.
    pub async fn delete(&mut self, id: &T::Id, expected: Option<Version>) -> Result<()> {
        let id = stored_identifier(&self.definition, id.to_value());
        let expected = self.check_change(&id, expected, None).await?;
        let now = self.now();
        let deleted = self.store.delete(self.statement()?.at(now), &id, expected).await;
        deleted.map_err(|error| self.problem(of_delete(error, &Names::new(&self.name, &self.definition))))
    }

    pub(super) fn unstated(&self, reason: &str) -> Problem {
        Problem::internal(format!(
            "a statement on `{}`, which {reason}, must have a caller; call `EntityStore::for_caller` with the identity of the caller, or \
             `EntityStore::unrestricted`",
            self.definition.name()
        ))
    }

    fn restricted<'f>(&mut self, filter: &'f Expression) -> Result<Cow<'f, Expression>> {
        let Some((gate, _)) = self.gate() else { return Ok(Cow::Borrowed(filter)) };
        let restricted = gate.restricted(filter);
        self.checked(restricted)
    }

    /// Attaches the schemas to an entity that the store returned, if the resource is declared at run time.
    pub(super) fn attach(&self, entity: &mut T) -> Result<()> {
        self.shapes.iter().try_for_each(|shapes| Arc::clone(shapes).attach(entity))
    }

    pub(super) fn statement(&mut self) -> Result<Statement<'_>> {
        if self.definition.name().is_empty() {
            return Err(Problem::internal(
                "entities of a resource that is declared at run time need its definition; use `EntityStore::from_definition`, or `HookContext::store_of` in a hook",
            ));
        }
        if matches!(self.viewer, Viewer::Unstated) && self.definition.has_policy() {
            return Err(self.unstated("has a policy"));
        }
        self.coverage.check(&self.scope, &self.definition)?;
        if self.transaction.is_some() && !self.store.has_transactions() {
            return Err(Problem::internal(format!(
                "the store of `{}` has no transactions, but the statement runs in one; leave out `EntityStore::within`",
                self.definition.name()
            )));
        }
        let statement = Statement::new(&self.definition).scoped(&self.scope);
        let statement = if self.sees_deleted { statement.with_deleted() } else { statement };
        match self.transaction.as_deref_mut() {
            Some(transaction) => Ok(statement.within(transaction)),
            None => Ok(statement),
        }
    }

    /// Returns the current time in whole microseconds, the precision of every store.
    pub(super) fn now(&self) -> Timestamp {
        let now = || Timestamp::from_microsecond(Timestamp::now().as_microsecond()).unwrap_or_default();
        self.now.unwrap_or_else(now)
    }

    pub(super) fn checked<V>(&self, outcome: Result<V, StoreError>) -> Result<V> {
        outcome.map_err(|error| self.problem(error.into()))
    }

    pub(super) fn problem(&self, failure: Failure) -> Problem {
        match failure {
            Failure::Store(error, place) => {
                let rights = match &self.viewer {
                    Viewer::Caller(caller) => Guards::of(&self.definition).map(|guards| guards.rights(caller)),
                    _ => None,
                };
                let names = Names::new(&self.name, &self.definition);
                problem(error, &names, &self.definition, (&place, &rights.unwrap_or_default()))
            }
            Failure::Problem(problem) => problem,
        }
    }
}

impl<T> fmt::Debug for EntityStore<'_, T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("EntityStore").field("definition", &self.definition).finish_non_exhaustive()
    }
}
