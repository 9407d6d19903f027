//! Deletes entities and defers the foreign key checks until all cascades are complete.
//!
//! A cascade may delete the entities that would otherwise block the delete.

use restwright_resource::{Statement, StoreError, Version};

use super::cascades::is_held_by_cascades;
use super::failure;
use super::writing::Needs;
use crate::statements::Place;
use crate::store::SqlStore;
use crate::table::Table;

impl SqlStore {
    /// Returns `true` if a delete must defer the foreign key checks. Otherwise, the database would check a restricting reference before a
    /// cascade deletes the referring entity.
    pub(crate) fn is_deferred(&self, table: &Table) -> bool {
        table.dialect.checks_before_cascades && is_held_by_cascades(&self.shared.all_tables(), table)
    }

    pub(crate) async fn delete_deferred(
        &self,
        statement: &mut Statement<'_>,
        table: &Table,
        place: &Place<'_>,
        expected: Option<Version>,
    ) -> Result<(), StoreError> {
        let bound = place.delete(expected);
        self.writing(statement, Needs::Transaction, async |lease| {
            lease.execute(None, "SET CONSTRAINTS ALL DEFERRED".into(), Vec::new()).await?;
            let mut deleted = lease.change(table, "delete", bound).await;
            if matches!(deleted, Ok(0)) {
                return Err(self.missed(lease, table, place, expected).await?);
            }
            if deleted.is_ok() {
                deleted = lease.execute(table, "SET CONSTRAINTS ALL IMMEDIATE".into(), Vec::new()).await;
            }
            if let Err(failed) = deleted {
                return Err(failure::of_delete(failed, &self.shared, table, place, lease).await);
            }
            Ok(())
        })
        .await
    }
}
