//! [`EntityStore`], the entities of a resource for hooks and custom controllers.

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use jiff::Timestamp;
use restwright_core::{Problem, Result};
use restwright_list::{Expression, FieldValue, ListSlice, Uncounted};

use super::Resource;
use super::any_shapes::AnyShapes;
use super::info::{narrowed, stored_identifier};
use super::names::Names;
use super::problem::{Failure, of_delete, problem};
use crate::definition::EntityDefinition;
use crate::entity::{Version, Versioned};
use crate::store::{ListQuery, Repository, Scope, Statement, Store, StoreError};

/// The entities of a resource in a scope, for hooks and custom controllers.
///
/// Errors are the problems that [`Endpoints`](crate::Endpoints) return: 404, 409 and 422. If a hook or the work of a
/// [transaction](Store::transaction) returns an error on which the store [retries](Store::retries), it runs again.
///
/// ```
/// use restwright::prelude::*;
/// use restwright::resource::{EntityStore, MemoryStore, Resource, Scope};
///
/// /// Returns the number of entities of a tenant.
/// async fn count<R: Resource>(store: &MemoryStore, tenant: &str) -> Result<u64> {
///     EntityStore::<R, _>::new(store, &Scope::new().with("tenant", tenant.to_owned())).count(&()).await
/// }
/// ```
pub struct EntityStore<'s, T, S: Store> {
    store: &'s S,
    definition: EntityDefinition,
    /// The shapes of the entities, if they are declared at run time.
    shapes: Option<Arc<dyn AnyShapes>>,
    /// The name of one entity in sentences.
    name: String,
    scope: Scope,
    transaction: Option<&'s mut S::Transaction>,
    now: Option<Timestamp>,
    entity: PhantomData<fn() -> T>,
}

impl<'s, T: Resource, S: Repository<T>> EntityStore<'s, T, S> {
    /// Creates an accessor for the entities in a scope. Scope fields that the entities do not have are ignored.
    #[must_use]
    pub fn new(store: &'s S, scope: &Scope) -> Self {
        Self::with_definition(store, T::definition(), T::NAME.to_owned(), scope)
    }

    fn with_definition(store: &'s S, definition: EntityDefinition, name: String, scope: &Scope) -> Self {
        let scope = narrowed(scope, &definition);
        Self { store, definition, shapes: None, name, scope, transaction: None, now: None, entity: PhantomData }
    }

    /// Creates an accessor for the entities of a resource that is declared at run time.
    pub(crate) fn run_time(
        store: &'s S,
        definition: EntityDefinition,
        name: String,
        shapes: Arc<dyn AnyShapes>,
        scope: &Scope,
    ) -> Self {
        Self { shapes: Some(shapes), ..Self::with_definition(store, definition, name, scope) }
    }

    /// Runs the statements in a transaction.
    #[must_use]
    pub fn within(mut self, transaction: &'s mut S::Transaction) -> Self {
        self.transaction = Some(transaction);
        self
    }

    /// Sets the time that inserts and updates store in managed times. By default it is the system's time.
    #[must_use]
    pub fn at(mut self, now: Timestamp) -> Self {
        self.now = Some(now);
        self
    }

    /// Returns the entity with an identifier, or `None` if the scope does not contain it.
    ///
    /// # Errors
    /// The store is unavailable. All statements of the accessor share this error, and return 500 for entities of a definition without a name.
    pub async fn find(&mut self, id: &T::Id) -> Result<Option<Versioned<T>>> {
        let id = stored_identifier(&self.definition, id.to_value());
        let found = self.store.find(self.statement()?, &id).await;
        let mut found = self.checked(found)?;
        found.iter_mut().try_for_each(|found| self.attach(&mut found.entity))?;
        Ok(found)
    }

    /// Returns the entities that match a query.
    ///
    /// # Errors
    /// The store is unavailable.
    pub async fn list(&mut self, query: &ListQuery<'_>) -> Result<ListSlice<Versioned<T>, Uncounted>> {
        let listed = self.store.list(self.statement()?, query).await;
        let mut listed = self.checked(listed)?;
        listed.items.iter_mut().try_for_each(|found| self.attach(&mut found.entity))?;
        Ok(listed)
    }

    /// Returns the number of entities that match a filter. Pass `&()` to count all.
    ///
    /// # Errors
    /// The store is unavailable.
    pub async fn count(&mut self, filter: impl Into<Expression>) -> Result<u64> {
        let filter = filter.into();
        let counted = Repository::<T>::count(self.store, self.statement()?, &filter).await;
        self.checked(counted)
    }

    /// Inserts an entity and returns it with its identifier. Sets its managed times.
    ///
    /// An identifier that the entity already has is kept, unless it is a nil UUID or the integer 0. The store never generates this integer or a
    /// smaller one afterwards. The identifier must be unique in all scopes. On PostgreSQL, the insert advances the sequence of the identity column,
    /// for which the database user needs `UPDATE` on the sequence.
    ///
    /// # Errors
    /// 409 for an identifier or a unique value that is taken. 422 for a reference to a missing entity, and for values that a rule of the store
    /// rejects.
    pub async fn insert(&mut self, entity: T) -> Result<T> {
        let now = self.now();
        let inserted = self.store.insert(self.statement()?.at(now).keep_identifier(), entity).await;
        let mut entity = self.checked(inserted)?.entity;
        self.attach(&mut entity)?;
        Ok(entity)
    }

    /// Replaces the entity with the same identifier, if it has the expected version. Sets the time of the update.
    ///
    /// # Errors
    /// 404 if the entity does not exist, and the errors of [`insert`](Self::insert).
    pub async fn update(&mut self, entity: T, expected: Option<Version>) -> Result<T> {
        let now = self.now();
        let updated = self.store.update(self.statement()?.at(now), entity, expected).await;
        let mut entity = self.checked(updated)?.entity;
        self.attach(&mut entity)?;
        Ok(entity)
    }

    /// Deletes the entity with an identifier, if it has the expected version.
    ///
    /// # Errors
    /// 404 if the entity does not exist. 409 if others refer to it or a rule of the store forbids the delete.
    pub async fn delete(&mut self, id: &T::Id, expected: Option<Version>) -> Result<()> {
        let id = stored_identifier(&self.definition, id.to_value());
        let deleted = Repository::<T>::delete(self.store, self.statement()?, &id, expected).await;
        let names = Names::new(&self.name, &self.definition);
        deleted.map_err(|error| match of_delete(error, &names) {
            Failure::Store(error, place) => problem(error, &names, &self.definition, &place),
            Failure::Problem(problem) => problem,
        })
    }

    /// Attaches the shapes to an entity that the store returned, if they are declared at run time.
    fn attach(&self, entity: &mut T) -> Result<()> {
        self.shapes.iter().try_for_each(|shapes| Arc::clone(shapes).attach(entity))
    }

    fn statement(&mut self) -> Result<Statement<'_, S>> {
        if self.definition.name().is_empty() {
            return Err(Problem::internal(
                "entities of a resource that is declared at run time need its definition; use `EntityStore::from_definition`, or `HookContext::store_of` in a hook",
            ));
        }
        let statement = Statement::new(&self.definition).scoped(&self.scope);
        match self.transaction.as_deref_mut() {
            Some(transaction) => Ok(statement.within(transaction)),
            None => Ok(statement),
        }
    }

    /// Returns the current time in whole microseconds, the precision of every store.
    fn now(&self) -> Timestamp {
        let now = || Timestamp::from_microsecond(Timestamp::now().as_microsecond()).unwrap_or_default();
        self.now.unwrap_or_else(now)
    }

    fn checked<V>(&self, outcome: Result<V, StoreError>) -> Result<V> {
        outcome.map_err(|error| problem(error, &Names::new(&self.name, &self.definition), &self.definition, ""))
    }
}

impl<T, S: Store> fmt::Debug for EntityStore<'_, T, S> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("EntityStore").field("definition", &self.definition).finish_non_exhaustive()
    }
}
