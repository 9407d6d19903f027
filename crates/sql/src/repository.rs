//! Implements [`Repository`] for [`DatabaseStore`].

use restwright_list::{Expression, ListSlice, Uncounted, Value};
use restwright_resource::{Entity, ListQuery, Repository, Statement, StoreError, Version, Versioned};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::dialect::{Connection, Dialect};
use crate::reading::read_row;
use crate::rows::Rows;
use crate::store::DatabaseStore;

impl<D: Dialect, R: Entity + Serialize + DeserializeOwned> Repository<R> for DatabaseStore<D>
where
    Connection<D>: Sized,
{
    async fn find(
        &self,
        mut statement: Statement<'_, Self>,
        identifier: &Value<'_>,
    ) -> Result<Option<Versioned<R>>, StoreError> {
        let found = D::operations().find(self, &mut statement, identifier).await;
        let found = found.and_then(|(table, rows)| rows.first().map(|row| read_row::<D, R>(&table, row)).transpose());
        noted(&mut statement, found)
    }

    async fn list(
        &self,
        mut statement: Statement<'_, Self>,
        query: &ListQuery<'_>,
    ) -> Result<ListSlice<Versioned<R>, Uncounted>, StoreError> {
        let listed = D::operations().list(self, &mut statement, query, false).await;
        let listed = listed.and_then(|(rows, _)| read_all::<D, R>(&rows));
        Ok(ListSlice::new(&query.window, noted(&mut statement, listed)?))
    }

    async fn list_counted(
        &self,
        mut statement: Statement<'_, Self>,
        query: &ListQuery<'_>,
    ) -> Result<ListSlice<Versioned<R>>, StoreError> {
        let listed = D::operations().list(self, &mut statement, query, true).await;
        let listed = listed.and_then(|(rows, total)| Ok((read_all::<D, R>(&rows)?, total)));
        let (listed, total) = noted(&mut statement, listed)?;
        Ok(ListSlice::new(&query.window, listed).counted(total))
    }

    async fn list_per_key(
        &self,
        mut statement: Statement<'_, Self>,
        query: &ListQuery<'_>,
        fields: &[&str],
        keys: &[Vec<Value<'static>>],
    ) -> Result<Vec<Versioned<R>>, StoreError> {
        let listed = D::operations().list_per_key(self, &mut statement, query, fields, keys).await;
        noted(&mut statement, listed.and_then(|rows| read_all::<D, R>(&rows)))
    }

    async fn count(&self, statement: Statement<'_, Self>, filter: &Expression) -> Result<u64, StoreError> {
        D::operations().count(self, statement, filter).await
    }

    async fn insert(&self, mut statement: Statement<'_, Self>, mut entity: R) -> Result<Versioned<R>, StoreError> {
        let inserted = D::operations().insert(self, &mut statement, &mut entity).await;
        Ok(Versioned::new(entity, noted(&mut statement, inserted)?))
    }

    async fn update(
        &self,
        mut statement: Statement<'_, Self>,
        mut entity: R,
        expected: Option<Version>,
    ) -> Result<Versioned<R>, StoreError> {
        let updated = D::operations().update(self, &mut statement, &mut entity, expected).await;
        Ok(Versioned::new(entity, noted(&mut statement, updated)?))
    }

    async fn delete(
        &self,
        statement: Statement<'_, Self>,
        identifier: &Value<'_>,
        expected: Option<Version>,
    ) -> Result<(), StoreError> {
        D::operations().delete(self, statement, identifier, expected).await
    }
}

/// Deserializes rows as entities.
fn read_all<D: Dialect, R: Entity + DeserializeOwned>(
    (table, rows): &Rows<D>,
) -> Result<Vec<Versioned<R>>, StoreError> {
    let mut entities = Vec::with_capacity(rows.len());
    for row in rows {
        entities.push(read_row::<D, R>(table, row)?);
    }
    Ok(entities)
}

/// Marks the transaction of a statement as failed if `outcome` is an error, and returns `outcome`.
pub(crate) fn noted<D: Dialect, T>(
    statement: &mut Statement<'_, DatabaseStore<D>>,
    outcome: Result<T, StoreError>,
) -> Result<T, StoreError> {
    if let (Err(_), Some(transaction)) = (&outcome, statement.transaction()) {
        transaction.has_failed = true;
    }
    outcome
}
