//! Defines [`Repository`], the typed statements of every store.

use std::future::Future;

use restwright_core::Problem;
use restwright_list::{Expression, ListSlice, Uncounted, Value};

use super::attempts::run_in_transaction;
use super::{Change, ListQuery, Read, ReadResult, Statement, Store, StoreError, Transaction};
use crate::entity::{Entity, Version, Versioned};
use crate::row::{Row, RowError};

/// The statements of a [`Store`] on entities of a type, and its transactions. Every store implements it.
///
/// Each method runs one [`Statement`], which takes effect wholly or not at all. Within a transaction, it takes effect with the commit. After a failed
/// statement, the transaction can no longer commit.
pub trait Repository: Store {
    /// Returns the entity with the given identifier, or `None` if the scope contains no such entity.
    ///
    /// # Errors
    /// The store is unavailable, or the statement is wrong.
    fn find<R: Entity>(
        &self,
        statement: Statement<'_>,
        identifier: &Value<'_>,
    ) -> impl Future<Output = Result<Option<Versioned<R>>, StoreError>> + Send {
        async move {
            let mut found = self.read(statement, Read::Find(identifier)).await?;
            found.rows.items.pop().map(entity).transpose()
        }
    }

    /// Returns the entities in the scope of the statement that match a query. The result equals the result of [`apply`](restwright_list::apply).
    ///
    /// # Errors
    /// The store is unavailable, or the query names a field that the definition does not have.
    fn list<R: Entity>(
        &self,
        statement: Statement<'_>,
        query: &ListQuery<'_>,
    ) -> impl Future<Output = Result<ListSlice<Versioned<R>, Uncounted>, StoreError>> + Send {
        async move {
            let listed = self.read(statement.reads(check_row::<R>), Read::List { query, is_counted: false }).await?;
            listed.rows.try_map(entity)
        }
    }

    /// Returns the number of entities in the scope of the statement that match a filter.
    ///
    /// # Errors
    /// The store is unavailable, or the filter names a field that the definition does not have.
    fn count(
        &self,
        statement: Statement<'_>,
        filter: &Expression,
    ) -> impl Future<Output = Result<u64, StoreError>> + Send {
        async move { Ok(self.read(statement, Read::Count(filter)).await?.total) }
    }

    /// Returns the entities that match a query, and the number of all entities that match the filter of the query.
    ///
    /// # Errors
    /// The same as in [`list`](Self::list).
    fn list_counted<R: Entity>(
        &self,
        statement: Statement<'_>,
        query: &ListQuery<'_>,
    ) -> impl Future<Output = Result<ListSlice<Versioned<R>>, StoreError>> + Send {
        async move {
            let ReadResult { rows, total } =
                self.read(statement.reads(check_row::<R>), Read::List { query, is_counted: true }).await?;
            Ok(rows.try_map(entity)?.counted(total))
        }
    }

    /// Returns the first matching entities of a query, separately for each key. See [`Read::ListPerKey`].
    ///
    /// # Errors
    /// The same as in [`list`](Self::list).
    fn list_per_key<R: Entity>(
        &self,
        statement: Statement<'_>,
        query: &ListQuery<'_>,
        fields: &[&str],
        keys: &[Vec<Value<'static>>],
    ) -> impl Future<Output = Result<Vec<Versioned<R>>, StoreError>> + Send {
        async move {
            let listed = self.read(statement.reads(check_row::<R>), Read::ListPerKey { query, fields, keys }).await?;
            listed.rows.items.into_iter().map(entity).collect()
        }
    }

    /// Inserts an entity into the scope of the statement. Returns the entity with its identifier and its version.
    ///
    /// # Errors
    /// The same as in [`Change::Insert`].
    fn insert<R: Entity>(
        &self,
        statement: Statement<'_>,
        entity: R,
    ) -> impl Future<Output = Result<Versioned<R>, StoreError>> + Send {
        async move {
            let row = entity.to_row(statement.definition())?;
            changed(self.write(statement, Change::Insert(row)).await?)
        }
    }

    /// Replaces the stored entity that has the same identifier. Returns the entity with its new version.
    ///
    /// If `expected` is not the version of the entity, nothing changes. An entity never moves to another scope.
    ///
    /// # Errors
    /// The same as in [`Change::Update`].
    fn update<R: Entity>(
        &self,
        statement: Statement<'_>,
        entity: R,
        expected: Option<Version>,
    ) -> impl Future<Output = Result<Versioned<R>, StoreError>> + Send {
        async move {
            let row = entity.to_row(statement.definition())?;
            changed(self.write(statement, Change::Update { row, expected }).await?)
        }
    }

    /// Deletes the entity with the given identifier, and all entities that refer to it with [`OnDelete::Cascade`](crate::OnDelete::Cascade).
    ///
    /// If `expected` is not the version of the entity, nothing changes.
    ///
    /// # Errors
    /// The same as in [`Change::Delete`].
    fn delete(
        &self,
        statement: Statement<'_>,
        identifier: &Value<'_>,
        expected: Option<Version>,
    ) -> impl Future<Output = Result<(), StoreError>> + Send {
        async move {
            let identifier = identifier.clone().into_owned();
            self.write(statement, Change::Delete { identifier, expected }).await.map(drop)
        }
    }

    /// Runs `work` in a transaction and commits the transaction. If `work` fails, all changes of the transaction are undone.
    ///
    /// After a conflict with a concurrent transaction, the work runs again from the start, at most 32 times. Effects of the work outside the
    /// transaction may therefore happen more than once. A commit that has started finishes even if the future is dropped.
    ///
    #[cfg_attr(not(doctest), doc = include_str!("../doc_examples/store_transaction.md"))]
    ///
    /// # Errors
    /// The problem that the work returned, or a 503 if all attempts conflict with others or the store is unavailable.
    fn transaction<T>(
        &self,
        work: impl AsyncFn(&mut Transaction) -> Result<T, Problem>,
    ) -> impl Future<Output = Result<T, Problem>> {
        run_in_transaction(self, work)
    }
}

impl<S: Store + ?Sized> Repository for S {}

/// Checks that an entity can contain the values of a row.
pub(crate) fn check_row<R: Entity>(row: &Row) -> Result<(), StoreError> {
    match R::from_row(&mut row.clone()) {
        Ok(_) => Ok(()),
        Err(error) => Err(unreadable(row, std::any::type_name::<R>(), &error)),
    }
}

/// Converts a row to an entity.
fn entity<R: Entity>(found: Versioned<Row>) -> Result<Versioned<R>, StoreError> {
    let Versioned { entity: mut row, version } = found;
    match R::from_row(&mut row) {
        Ok(entity) => Ok(Versioned::new(entity, version)),
        Err(error) => Err(unreadable(&row, std::any::type_name::<R>(), &error)),
    }
}

fn changed<R: Entity>(written: Option<Versioned<Row>>) -> Result<Versioned<R>, StoreError> {
    entity(written.ok_or_else(no_row)?)
}

/// Returns the error for a store that returns no row after an insert or update.
#[cold]
pub(crate) fn no_row() -> StoreError {
    StoreError::failed("the store must return the row that it has stored; return it from `Store::write`")
}

/// Returns the error for a row that the type of an entity rejects.
#[cold]
pub(crate) fn unreadable(row: &Row, expected: &str, error: &RowError) -> StoreError {
    let identifier = match row.values().first() {
        Some(Value::Text(identifier)) => identifier.to_string(),
        Some(Value::Integer(identifier)) => identifier.to_string(),
        Some(Value::Uuid(identifier)) => identifier.to_string(),
        other => format!("{other:?}"),
    };
    StoreError::failed(format!("the row `{identifier}` of `{}` is not a {expected}: {error}", row.definition().name()))
}
