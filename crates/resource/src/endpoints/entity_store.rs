//! [`EntityStore`]: the entities of a resource, for code beside its endpoints.

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use jiff::Timestamp;
use restwright_core::{Problem, Result};
use restwright_list::{Expression, FieldValue, ListSlice, SortBag, SortFields, Uncounted, Window};

use super::Resource;
use super::any_shapes::AnyShapes;
use super::call::set_times;
use super::info::{narrowed, stored_identifier};
use super::names::Names;
use super::problem::{Failure, of_delete, problem};
use crate::definition::EntityDefinition;
use crate::entity::{Version, Versioned};
use crate::store::{ListQuery, Repository, Scope, Statement, Store, StoreError};

/// The entities of a resource in a scope, for hooks and for controllers of one's own.
///
/// Its errors are problems: 404, 409 and 422 as [`Endpoints`](crate::Endpoints) have them. A hook that returns an error on which the store
/// [retries](Store::retries) runs again, and so does the work of a [transaction](Store::transaction).
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
    /// The shapes of entities that are declared at run time.
    shapes: Option<Arc<dyn AnyShapes>>,
    /// The name of one in sentences.
    name: String,
    scope: Scope,
    transaction: Option<&'s mut S::Transaction>,
    now: Option<Timestamp>,
    entity: PhantomData<fn() -> T>,
}

impl<'s, T: Resource, S: Repository<T>> EntityStore<'s, T, S> {
    /// Creates the entities of a store in a scope, or in the part of it that they have.
    #[must_use]
    pub fn new(store: &'s S, scope: &Scope) -> Self {
        Self::with_definition(store, T::definition(), T::NAME.to_owned(), scope)
    }

    fn with_definition(store: &'s S, definition: EntityDefinition, name: String, scope: &Scope) -> Self {
        let scope = narrowed(scope, &definition);
        Self { store, definition, shapes: None, name, scope, transaction: None, now: None, entity: PhantomData }
    }

    /// Creates the entities of a resource that is declared at run time.
    pub(crate) fn run_time(
        store: &'s S,
        definition: EntityDefinition,
        name: String,
        shapes: Arc<dyn AnyShapes>,
        scope: &Scope,
    ) -> Self {
        Self { shapes: Some(shapes), ..Self::with_definition(store, definition, name, scope) }
    }

    /// Makes each statement a part of a transaction.
    #[must_use]
    pub fn within(mut self, transaction: &'s mut S::Transaction) -> Self {
        self.transaction = Some(transaction);
        self
    }

    /// Sets the time of what is inserted and updated, in place of the system's.
    #[must_use]
    pub fn at(mut self, now: Timestamp) -> Self {
        self.now = Some(now);
        self
    }

    /// Returns the entity with an identifier; `None` if the scope has none.
    ///
    /// # Errors
    /// The store is unavailable. This holds for every statement, as does a 500 for the entities of a definition without a name.
    pub async fn find(&mut self, id: &T::Id) -> Result<Option<Versioned<T>>> {
        let id = stored_identifier(&self.definition, id.to_value());
        let found = self.store.find(self.statement()?, &id).await;
        let mut found = self.checked(found)?;
        found.iter_mut().try_for_each(|found| self.attach(&mut found.entity))?;
        Ok(found)
    }

    /// Returns the entities that a query wants.
    ///
    /// # Errors
    /// The store is unavailable.
    pub async fn list(&mut self, query: &ListQuery<'_>) -> Result<ListSlice<Versioned<T>, Uncounted>> {
        let listed = self.store.list(self.statement()?, query).await;
        let mut listed = self.checked(listed)?;
        listed.items.iter_mut().try_for_each(|found| self.attach(&mut found.entity))?;
        Ok(listed)
    }

    /// Returns the first `limit` entities that match a filter, in the order of their identifiers. `&()` matches all.
    ///
    /// It is for code that reads entities without a request, such as a hook or a job:
    ///
    /// ```
    /// use restwright::prelude::*;
    /// use restwright::resource::{EntityStore, MemoryStore, Resource, Scope};
    ///
    /// /// Deletes up to 100 entities.
    /// async fn clear<R: Resource>(store: &MemoryStore) -> Result<()> {
    ///     let mut entities = EntityStore::<R, _>::new(store, &Scope::new());
    ///     for found in entities.first(&(), 100).await? {
    ///         entities.delete(&found.entity.id(), Some(found.version)).await?;
    ///     }
    ///     Ok(())
    /// }
    /// ```
    ///
    /// # Errors
    /// The store is unavailable.
    pub async fn first(&mut self, filter: impl Into<Expression>, limit: u32) -> Result<Vec<Versioned<T>>> {
        let fields = SortFields::by_identifier(self.definition.identifier().to_owned());
        let order = SortBag::among(&fields, []).ok_or_else(|| Problem::internal("the identifier has no order"))?;
        let listed = self.list(&ListQuery::new(filter, &order, &Window::skip(0, limit))).await?;
        Ok(listed.items)
    }

    /// Returns the number of entities for which a filter holds; `&()` for all.
    ///
    /// # Errors
    /// The store is unavailable.
    pub async fn count(&mut self, filter: impl Into<Expression>) -> Result<u64> {
        let filter = filter.into();
        let counted = Repository::<T>::count(self.store, self.statement()?, &filter).await;
        self.checked(counted)
    }

    /// Inserts an entity, and returns it with its identifier. Its times are set.
    ///
    /// An identifier that the entity has is kept: a UUID that is not nil, or an integer that is not 0. The store makes no integer up to it
    /// afterwards. It is unique in all scopes: one that another scope has is a conflict too. On PostgreSQL this advances the sequence that the identity column owns, for which the user needs `UPDATE` on the sequence.
    ///
    /// # Errors
    /// 409 for an identifier or another value that is taken, 422 for a reference to nothing and for what a rule of the store rejects.
    pub async fn insert(&mut self, mut entity: T) -> Result<T> {
        set_times(&self.definition, &mut entity, self.now(), true)?;
        let inserted = self.store.insert(self.statement()?.keep_identifier(), entity).await;
        let mut entity = self.checked(inserted)?.entity;
        self.attach(&mut entity)?;
        Ok(entity)
    }

    /// Replaces the entity that has the identifier of this one, if it has the expected version. The time of its update is set.
    ///
    /// # Errors
    /// 404 if there is none, and those of [`insert`](Self::insert).
    pub async fn update(&mut self, mut entity: T, expected: Option<Version>) -> Result<T> {
        set_times(&self.definition, &mut entity, self.now(), false)?;
        let updated = self.store.update(self.statement()?, entity, expected).await;
        let mut entity = self.checked(updated)?.entity;
        self.attach(&mut entity)?;
        Ok(entity)
    }

    /// Deletes the entity with an identifier, if it has the expected version.
    ///
    /// # Errors
    /// 404 if there is none, and 409 if others refer to it or a rule of the store forbids it.
    pub async fn delete(&mut self, id: &T::Id, expected: Option<Version>) -> Result<()> {
        let id = stored_identifier(&self.definition, id.to_value());
        let deleted = Repository::<T>::delete(self.store, self.statement()?, &id, expected).await;
        let names = Names::new(&self.name, &self.definition);
        deleted.map_err(|error| match of_delete(error, &names) {
            Failure::Store(error, place) => problem(error, &names, &self.definition, &place),
            Failure::Problem(problem) => problem,
        })
    }

    /// Gives an entity that the store returned its shapes, if they are declared at run time.
    fn attach(&self, entity: &mut T) -> Result<()> {
        self.shapes.iter().try_for_each(|shapes| Arc::clone(shapes).attach(entity))
    }

    fn statement(&mut self) -> Result<Statement<'_, S>> {
        if self.definition.name().is_empty() {
            return Err(Problem::internal(
                "the entities of a resource that is declared at run time are those of its definition; use \
                 `EntityStore::from_definition`, or `HookContext::store_of` in a hook",
            ));
        }
        let statement = Statement::new(&self.definition).scoped(&self.scope);
        match self.transaction.as_deref_mut() {
            Some(transaction) => Ok(statement.within(transaction)),
            None => Ok(statement),
        }
    }

    /// Returns the time in whole microseconds, which every store keeps.
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
