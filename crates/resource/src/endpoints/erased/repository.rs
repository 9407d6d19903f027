//! Runs the statements of a resource whose type is erased, and converts rows to entities.

use restwright_list::{ListSlice, Uncounted, Value};

use super::any_entity::{AnyEntity, Found};
use super::item::ListedEntities;
use super::kind::Kind;
use crate::entity::{Version, Versioned};
use crate::row::Row;
use crate::store::{Change, ListQuery, Read, Statement, Store, StoreError, no_row, unreadable};

impl dyn Kind {
    pub(in crate::endpoints) async fn find(
        &self,
        store: &dyn Store,
        statement: Statement<'_>,
        identifier: &Value<'_>,
    ) -> Result<Option<Found>, StoreError> {
        let found = store.read(statement, Read::Find(identifier)).await?.rows.items.pop();
        found.map(|found| self.read_row(found)).transpose()
    }

    /// Returns the entities that match a query. With `is_counted`, also returns the number of all matching entities.
    pub(in crate::endpoints) async fn list(
        &self,
        store: &dyn Store,
        statement: Statement<'_>,
        query: &ListQuery<'_>,
        is_counted: bool,
    ) -> Result<(ListedEntities, u64), StoreError> {
        let listed = store.read(statement.reads(self.check_row()), Read::List { query, is_counted }).await?;
        Ok((self.read_rows(listed.rows)?, listed.total))
    }

    /// Returns the first matching entities of a query, separately for each key.
    pub(in crate::endpoints) async fn list_per_key(
        &self,
        store: &dyn Store,
        statement: Statement<'_>,
        query: &ListQuery<'_>,
        (fields, keys): (&[&str], &[Vec<Value<'static>>]),
    ) -> Result<Vec<Box<dyn AnyEntity>>, StoreError> {
        let read = Read::ListPerKey { query, fields, keys };
        let listed = store.read(statement.reads(self.check_row()), read).await?;
        Ok(self.read_rows(listed.rows)?.items)
    }

    pub(in crate::endpoints) async fn insert(
        &self,
        store: &dyn Store,
        statement: Statement<'_>,
        entity: Box<dyn AnyEntity>,
    ) -> Result<Found, StoreError> {
        let row = entity.to_row(statement.definition())?;
        self.written(store.write(statement, Change::Insert(row)).await?)
    }

    pub(in crate::endpoints) async fn update(
        &self,
        store: &dyn Store,
        statement: Statement<'_>,
        entity: Box<dyn AnyEntity>,
        expected: Version,
    ) -> Result<Found, StoreError> {
        let row = entity.to_row(statement.definition())?;
        self.written(store.write(statement, Change::Update { row, expected: Some(expected) }).await?)
    }

    pub(in crate::endpoints) async fn delete(
        &self,
        store: &dyn Store,
        statement: Statement<'_>,
        identifier: &Value<'_>,
        expected: Option<Version>,
    ) -> Result<(), StoreError> {
        let identifier = identifier.clone().into_owned();
        store.write(statement, Change::Delete { identifier, expected }).await.map(drop)
    }

    fn read_row(&self, found: Versioned<Row>) -> Result<Found, StoreError> {
        let Versioned { entity: mut row, version } = found;
        match self.read(&mut row) {
            Ok(entity) => Ok(Versioned::new(entity, version)),
            Err(error) => Err(unreadable(&row, self.type_name(), &error)),
        }
    }

    fn read_rows(&self, rows: ListSlice<Versioned<Row>, Uncounted>) -> Result<ListedEntities, StoreError> {
        rows.try_map(|row| self.read_row(row).map(|found| found.entity))
    }

    fn written(&self, written: Option<Versioned<Row>>) -> Result<Found, StoreError> {
        self.read_row(written.ok_or_else(no_row)?)
    }
}
