//! Defines [`AnyRepository`], a repository whose entity type is erased.

use std::any::Any;

#[cfg(feature = "files")]
use restwright_core::runtime::BoxFuture;
use restwright_list::Value;

use super::Resource;
use super::any_entity::{AnyEntity, Found, typed};
use super::hooks::LocalBoxFuture;
use super::kind::Types;
#[cfg(feature = "files")]
use crate::definition::EntityDefinition;
use crate::entity::{Version, Versioned};
use crate::store::{ListQuery, Repository, Statement, Store, StoreError};

type Outcome<'a, T> = LocalBoxFuture<'a, Result<T, StoreError>>;

/// A [`Repository`] as a trait object, which hides the type of the entities.
pub(super) trait AnyRepository<S: Store>: Send + Sync {
    fn find<'a>(
        &self,
        store: &'a S,
        statement: Statement<'a, S>,
        identifier: &'a Value<'_>,
    ) -> Outcome<'a, Option<Found>>;

    /// Returns the entities that match a query, as a `ListSlice` of the resource's type. With `is_counted`, also returns the number of all
    /// matching entities.
    fn list<'a>(
        &self,
        store: &'a S,
        statement: Statement<'a, S>,
        query: &'a ListQuery<'_>,
        is_counted: bool,
    ) -> Outcome<'a, (Box<dyn Any>, u64)>;

    /// Returns the first matching entities of a query, separately for each key, as a `Vec` of the resource's type.
    fn list_per_key<'a>(
        &self,
        store: &'a S,
        statement: Statement<'a, S>,
        query: &'a ListQuery<'_>,
        fields: &'a [&str],
        keys: &'a [Vec<Value<'static>>],
    ) -> Outcome<'a, Box<dyn Any>>;

    /// Returns the strings in a field of all entities that match a query, in every scope.
    #[cfg(feature = "files")]
    fn strings<'a>(
        &self,
        store: &'a S,
        definition: &'a EntityDefinition,
        query: &'a ListQuery<'_>,
        field: &'a str,
    ) -> BoxFuture<'a, Result<Vec<String>, StoreError>>;

    fn insert<'a>(&self, store: &'a S, statement: Statement<'a, S>, entity: Box<dyn AnyEntity>) -> Outcome<'a, Found>;

    fn update<'a>(
        &self,
        store: &'a S,
        statement: Statement<'a, S>,
        entity: Box<dyn AnyEntity>,
        expected: Version,
    ) -> Outcome<'a, Found>;

    fn delete<'a>(
        &self,
        store: &'a S,
        statement: Statement<'a, S>,
        identifier: &'a Value<'_>,
        expected: Option<Version>,
    ) -> Outcome<'a, ()>;
}

impl<R: Resource, S: Repository<R>> AnyRepository<S> for Types<R> {
    fn find<'a>(
        &self,
        store: &'a S,
        statement: Statement<'a, S>,
        identifier: &'a Value<'_>,
    ) -> Outcome<'a, Option<Found>> {
        Box::pin(async move { Ok(store.find(statement, identifier).await?.map(found)) })
    }

    fn list<'a>(
        &self,
        store: &'a S,
        statement: Statement<'a, S>,
        query: &'a ListQuery<'_>,
        is_counted: bool,
    ) -> Outcome<'a, (Box<dyn Any>, u64)> {
        Box::pin(async move {
            let (listed, total) = if is_counted {
                let counted = store.list_counted(statement, query).await?;
                let total = counted.totals.0;
                (counted.without_total(), total)
            } else {
                (store.list(statement, query).await?, 0)
            };
            let listed: Box<dyn Any> = Box::new(listed.map(|found: Versioned<R>| found.entity));
            Ok((listed, total))
        })
    }

    fn list_per_key<'a>(
        &self,
        store: &'a S,
        statement: Statement<'a, S>,
        query: &'a ListQuery<'_>,
        fields: &'a [&str],
        keys: &'a [Vec<Value<'static>>],
    ) -> Outcome<'a, Box<dyn Any>> {
        Box::pin(async move {
            let listed: Vec<Versioned<R>> = store.list_per_key(statement, query, fields, keys).await?;
            let listed: Box<dyn Any> = Box::new(listed.into_iter().map(|found| found.entity).collect::<Vec<R>>());
            Ok(listed)
        })
    }

    #[cfg(feature = "files")]
    fn strings<'a>(
        &self,
        store: &'a S,
        definition: &'a EntityDefinition,
        query: &'a ListQuery<'_>,
        field: &'a str,
    ) -> BoxFuture<'a, Result<Vec<String>, StoreError>> {
        Box::pin(async move {
            let listed = store.list(Statement::new(definition).with_deleted(), query).await?;
            let strings =
                listed.items.iter().filter_map(|found| found.entity.value(field).as_text().map(str::to_owned));
            Ok(strings.collect())
        })
    }

    fn insert<'a>(&self, store: &'a S, statement: Statement<'a, S>, entity: Box<dyn AnyEntity>) -> Outcome<'a, Found> {
        Box::pin(async move {
            let entity = typed::<R>(entity).map_err(StoreError::failed)?;
            Ok(found(store.insert(statement, *entity).await?))
        })
    }

    fn update<'a>(
        &self,
        store: &'a S,
        statement: Statement<'a, S>,
        entity: Box<dyn AnyEntity>,
        expected: Version,
    ) -> Outcome<'a, Found> {
        Box::pin(async move {
            let entity = typed::<R>(entity).map_err(StoreError::failed)?;
            Ok(found(store.update(statement, *entity, Some(expected)).await?))
        })
    }

    fn delete<'a>(
        &self,
        store: &'a S,
        statement: Statement<'a, S>,
        identifier: &'a Value<'_>,
        expected: Option<Version>,
    ) -> Outcome<'a, ()> {
        Box::pin(Repository::<R>::delete(store, statement, identifier, expected))
    }
}

fn found<R: Resource>(found: Versioned<R>) -> Found {
    Versioned::new(Box::new(found.entity), found.version)
}
