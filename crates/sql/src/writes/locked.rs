//! Updates and deletes rows in tables without a version column. Each change locks the row and compares the row's digest with the expected
//! version.

use std::sync::Arc;

use restwright_list::Value;
use restwright_resource::{Row, Statement, StoreError, Version};
use sea_query::Value as SqlValue;

use super::failure;
use super::failure::Written;
use super::references::of_missing;
use super::stored::{Stored, lost};
use super::writing::Needs;
use crate::connections::Access;
use crate::driver::SqlRow;
use crate::reads::read_version;
use crate::statements::Place;
use crate::store::SqlStore;
use crate::table::{ReadBack, Table};
use crate::transactions::{Lease, SqlTransaction};

impl SqlStore {
    pub(crate) async fn update_locked(
        &self,
        statement: &mut Statement<'_>,
        table: &Arc<Table>,
        entity: &Row,
        row: Vec<SqlValue>,
        expected: Option<Version>,
    ) -> Result<Stored, StoreError> {
        let Some(place) = Place::of(table, entity) else { return Err(StoreError::NotFound) };
        let place = place.seen_by(statement);
        let bound = place.update(row, None);
        self.writing(statement, Needs::Transaction, async |lease| {
            check(lease, table, &place, expected).await?;
            let missing = self.missing_live_reference(table, (entity, Written::Changed), lease).await?;
            let failed = match lease.change(table, "update", bound).await {
                Err(failed) => {
                    Some(failure::of_write(failed, &self.shared, table, entity, Written::Changed, lease).await)
                }
                // The row exists, because it is locked.
                Ok(0) => Some(self.shared.skipped(table)),
                Ok(_) => None,
            };
            of_missing(table, failed, missing)?;
            let row = locked(lease, table, &place.with_deleted()).await?;
            let row = row.ok_or_else(|| lost(table))?;
            let stored = match table.triggers().updates {
                ReadBack::Nothing => Stored::AsWritten(version_of(table, &row)?),
                _ => Stored::Read(Arc::clone(table), row),
            };
            self.folded_again(lease, table, entity, stored).await
        })
        .await
    }

    pub(crate) async fn delete_locked(
        &self,
        statement: &mut Statement<'_>,
        table: &Table,
        identifier: &Value<'_>,
        expected: Version,
    ) -> Result<(), StoreError> {
        let place = Place::new(table, identifier, statement.scope()).ok_or(StoreError::NotFound)?;
        let bound = place.delete(None);
        self.writing(statement, Needs::Transaction, async |lease| {
            check(lease, table, &place, Some(expected)).await?;
            match lease.change(table, "delete", bound).await {
                Ok(0) => Err(self.shared.skipped(table)),
                Ok(_) => Ok(()),
                Err(failed) => Err(failure::of_delete(failed, &self.shared, table, &place, lease).await),
            }
        })
        .await
    }

    /// Computes the version of a new row from the values in the database, for a table without a version column. These values may differ
    /// from the inserted values.
    pub(crate) async fn inserted_version(
        &self,
        statement: &mut Statement<'_>,
        table: &Table,
        entity: &Row,
        version: Version,
    ) -> Result<Version, StoreError> {
        let place = Place::of(table, entity).ok_or(StoreError::NotFound)?;
        let transaction = SqlTransaction::of(statement).await?;
        let mut lease = self.lease(&self.shared.connections, Access::Read, transaction).await?;
        let read = locked(&mut lease, table, &place).await?.map(|row| version_of(table, &row)).transpose()?;
        lease.finish().await?;
        // The row was deleted in the meantime, so its version is the one that was inserted.
        Ok(read.unwrap_or(version))
    }
}

/// Locks a row and checks that it has the expected version.
pub(crate) async fn check(
    lease: &mut Lease<'_>,
    table: &Table,
    place: &Place<'_>,
    expected: Option<Version>,
) -> Result<(), StoreError> {
    let version = version_of(table, &locked(lease, table, place).await?.ok_or(StoreError::NotFound)?)?;
    if expected.is_none_or(|expected| expected == version) { Ok(()) } else { Err(StoreError::StaleVersion) }
}

/// Locks a row until the transaction ends, and returns the row.
async fn locked(lease: &mut Lease<'_>, table: &Table, place: &Place<'_>) -> Result<Option<SqlRow>, StoreError> {
    let bound = place.find_locked();
    Ok(lease.fetch(table, bound.sql, bound.values).await?.into_iter().next())
}

fn version_of(table: &Table, row: &SqlRow) -> Result<Version, StoreError> {
    read_version(table, row)
}
