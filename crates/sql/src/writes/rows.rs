//! Updates and deletes rows.

use std::sync::Arc;

use restwright_list::Value;
use restwright_resource::{Row, Statement, StoreError, Version};
use sea_query::{Alias, Expr, ExprTrait};

use super::failure::{self, Written};
use super::references::of_missing;
use super::stored::Stored;
use super::writing::Needs;
use crate::statements::{Place, updated};
use crate::store::SqlStore;
use crate::table::{ReadBack, Table};
use crate::transactions::{Lease, SqlTransaction};

impl SqlStore {
    pub(crate) async fn update_row(
        &self,
        statement: &mut Statement<'_>,
        entity: &mut Row,
        expected: Option<Version>,
    ) -> Result<Stored, StoreError> {
        // The version is random, because a counter would show a tenant how many writes other tenants make.
        let version = Version::random();
        statement.prepare_update(entity, version)?;
        let table = self.shared.table(statement.definition())?;
        table.cut(entity);
        let row = updated(&table, entity, version)?;
        let has_live = self.has_live_references(&table);
        if table.version.is_none() {
            return self.update_locked(statement, &table, entity, row, expected).await;
        }
        let Some(place) = Place::of(&table, entity) else { return Err(StoreError::NotFound) };
        let place = place.seen_by(statement);
        let bound = place.update(row, expected);
        let read_back = table.triggers().updates;
        let is_read_again = read_back == ReadBack::Again;
        let is_several = has_live || is_read_again || table.may_change_folded();
        let needs = if is_several { Needs::LockingTransaction } else { Needs::OneStatement };
        let bound = match is_several || read_back != ReadBack::Nothing {
            true => bound,
            false => match SqlTransaction::postpone(statement, &table, "update", bound)? {
                Some(bound) => bound,
                None => return Ok(Stored::AsWritten(version)),
            },
        };
        self.writing(statement, needs, async |lease| {
            let written = Written::Changed;
            let missing =
                if has_live { self.missing_live_reference(&table, (entity, written), lease).await? } else { None };
            let (changed, row) = match lease.update(&table, bound).await {
                Ok(changed) => changed,
                Err(failed) => {
                    let failed = failure::of_write(failed, &self.shared, &table, entity, written, lease).await;
                    return of_missing(&table, Some(failed), missing).map(|()| Stored::AsWritten(version));
                }
            };
            if changed == 0 {
                return Err(self.missed(lease, &table, &place, expected).await?);
            }
            of_missing(&table, None, missing)?;
            let stored = match row {
                Some(row) => Stored::Read(Arc::clone(&table), row),
                None if is_read_again => self.stored_row(lease, &table, place).await?,
                None => Stored::AsWritten(version),
            };
            self.folded_again(lease, &table, entity, stored).await
        })
        .await
    }

    pub(crate) async fn delete_row(
        &self,
        statement: &mut Statement<'_>,
        identifier: &Value<'_>,
        expected: Option<Version>,
    ) -> Result<(), StoreError> {
        statement.key(identifier)?;
        let table = self.shared.table(statement.definition())?;
        let Some(place) = Place::new(&table, identifier, statement.scope()) else { return Err(StoreError::NotFound) };
        if table.deletion_column().is_some() {
            return self.delete_kept(statement, &table, (&place, identifier), expected).await;
        }
        if let Some(expected) = expected.filter(|_| table.version.is_none()) {
            return self.delete_locked(statement, &table, identifier, expected).await;
        }
        if self.is_deferred(&table) {
            return self.delete_deferred(statement, &table, &place, expected).await;
        }
        let bound = place.delete(expected);
        self.writing(statement, Needs::OneStatement, async |lease| {
            let changed = match lease.change(&table, "delete", bound).await {
                Ok(changed) => changed,
                Err(failed) => return Err(failure::of_delete(failed, &self.shared, &table, &place, lease).await),
            };
            if changed == 0 {
                return Err(self.missed(lease, &table, &place, expected).await?);
            }
            Ok(())
        })
        .await
    }

    /// Returns the error for an update or delete that changed no row. The row does not exist, it has another version, or a trigger skipped
    /// the change.
    pub(crate) async fn missed(
        &self,
        lease: &mut Lease<'_>,
        table: &Table,
        place: &Place<'_>,
        expected: Option<Version>,
    ) -> Result<StoreError, StoreError> {
        if expected.is_none() && !table.triggers().may_skip {
            return Ok(StoreError::NotFound);
        }
        let bound = place.exists(Vec::new());
        if lease.fetch(table, bound.sql, bound.values).await?.is_empty() {
            return Ok(StoreError::NotFound);
        }
        if !table.triggers().may_skip {
            return Ok(StoreError::StaleVersion);
        }
        // A table without a version column compares the version before the change.
        let expected = table.version.as_ref().zip(expected);
        let version = expected.map(|(column, expected)| Expr::col(Alias::new(&column.name)).eq(expected.number()));
        let bound = place.exists(version.into_iter().collect());
        let is_stale = lease.fetch(table, bound.sql, bound.values).await?.is_empty();
        Ok(if is_stale { StoreError::StaleVersion } else { self.shared.skipped(table) })
    }
}
