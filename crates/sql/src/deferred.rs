//! Deletes entities and defers the foreign key checks until all cascades are complete.
//!
//! A cascade may delete the entities that would otherwise block the delete.

use std::sync::Arc;

use restwright_resource::{OnDelete, Statement, StoreError, Version};

use crate::dialect::Dialect;
use crate::failure;
use crate::lease::Needs;
use crate::statements::Place;
use crate::store::DatabaseStore;
use crate::table::Table;

impl<D: Dialect> DatabaseStore<D> {
    /// Returns `true` if a delete must defer the foreign key checks. Otherwise, the database would check a restricting reference before a
    /// cascade deletes the referring entity.
    pub(crate) fn is_deferred(&self, table: &Table) -> bool {
        D::CHECKS_BEFORE_CASCADES && is_held_by_cascades(&self.shared.all_tables(), table)
    }

    pub(crate) async fn delete_deferred(
        &self,
        statement: &mut Statement<'_>,
        table: &Table,
        place: &Place<'_>,
        expected: Option<Version>,
    ) -> Result<(), StoreError> {
        let bound = place.delete::<D>(expected);
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

/// Returns the names of all entity definitions that a delete in the table affects through cascades. The first name is the definition of the
/// table itself.
pub(crate) fn cascading<'t>(tables: &'t [Arc<Table>], table: &'t Table) -> Vec<&'t str> {
    let mut deleted = vec![table.definition.name()];
    loop {
        let is_next = |other: &&Arc<Table>| {
            !deleted.contains(&other.definition.name()) && refers(other, OnDelete::Cascade, &deleted)
        };
        match tables.iter().find(is_next) {
            Some(next) => deleted.push(next.definition.name()),
            None => return deleted,
        }
    }
}

fn is_held_by_cascades(tables: &[Arc<Table>], table: &Table) -> bool {
    let deleted = cascading(tables, table);
    let is_deleted = |other: &&Arc<Table>| deleted.iter().skip(1).any(|name| *name == other.definition.name());
    tables.iter().filter(is_deleted).any(|other| refers(other, OnDelete::Restrict, &deleted))
}

fn refers(table: &Table, wanted: OnDelete, to: &[&str]) -> bool {
    let mut references = table.columns.iter().filter_map(|column| column.field.reference());
    references.any(|(target, on_delete)| on_delete == wanted && to.contains(&target))
}
