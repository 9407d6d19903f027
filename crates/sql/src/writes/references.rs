//! Checks references to entities that no foreign key checks: their target is marked as deleted, or the reference may stay after its delete.
//!
//! A foreign key does not detect that its target is marked as deleted. A statement that stores a reference therefore writes the row of the target
//! without changing it. A concurrent delete of the target waits for this write, or fails with a conflict and runs again. It then finds the new
//! reference.

use restwright_resource::{OnDelete, Row, StoreError};

use super::failure::{Written, shared_scope};
use crate::statements::Place;
use crate::statements::condition::equals;
use crate::store::SqlStore;
use crate::table::{Column, Table};
use crate::transactions::Lease;

impl SqlStore {
    /// Returns `true` if the table has references that no foreign key checks.
    pub(crate) fn has_live_references(&self, table: &Table) -> bool {
        table.columns.iter().filter_map(|column| column.field.reference()).any(|(target, on_delete)| {
            let is_kept = || self.shared.find_table(target).is_some_and(|target| target.deletion_column().is_some());
            on_delete == OnDelete::Keep || is_kept()
        })
    }

    /// Returns the first field that refers to a deleted or missing entity. Checks only references that no foreign key checks. Concurrent
    /// deletes of the referenced entities then wait, unless the field keeps references to deleted entities.
    pub(crate) async fn missing_live_reference(
        &self,
        table: &Table,
        (entity, written): (&Row, Written),
        lease: &mut Lease<'_>,
    ) -> Result<Option<String>, StoreError> {
        if table.definition.is_deleted(entity) {
            return Ok(None);
        }
        for column in &table.columns {
            let value = entity.value(column.field.name());
            let Some((target, on_delete)) = column.field.reference().filter(|_| !value.is_null()) else { continue };
            let is_kept = on_delete == OnDelete::Keep;
            let target = self.shared.find_table(target);
            let Some(target) = target.filter(|target| is_kept || target.deletion_column().is_some()) else { continue };
            if written.is_itself(table, &target, entity, &value) {
                continue;
            }
            if is_kept {
                if !kept_reference_holds(table, column, &target, (entity, written), lease).await? {
                    return Ok(Some(column.field.name().to_owned()));
                }
                continue;
            }
            let scope = shared_scope(&table.definition, &target.definition, entity);
            let touched = match Place::new(&target, &value, &scope).and_then(|place| place.touch()) {
                Some(touch) => lease.execute(&*target, touch.sql, touch.values).await?,
                None => 0,
            };
            if touched == 0 {
                return Ok(Some(column.field.name().to_owned()));
            }
        }
        Ok(None)
    }
}

/// Returns `true` if the target of a reference with [`OnDelete::Keep`] exists, or if an update does not change the reference.
async fn kept_reference_holds(
    table: &Table,
    column: &Column,
    target: &Table,
    (entity, written): (&Row, Written),
    lease: &mut Lease<'_>,
) -> Result<bool, StoreError> {
    let value = entity.value(column.field.name());
    if matches!(written, Written::Changed)
        && let Some(place) = Place::of(table, entity)
    {
        let unchanged = place.with_deleted().exists(vec![equals(column, &value)]);
        if !lease.fetch(table, unchanged.sql, unchanged.values).await?.is_empty() {
            return Ok(true);
        }
    }
    let scope = shared_scope(&table.definition, &target.definition, entity);
    let Some(place) = Place::new(target, &value, &scope) else { return Ok(false) };
    let found = place.exists(Vec::new());
    Ok(!lease.fetch(target, found.sql, found.values).await?.is_empty())
}

/// Returns the error to report for a write, if there is one. If the write failed and a reference is missing, the failure comes first. Of
/// two missing references, the first in the order of the fields is reported.
pub(crate) fn of_missing(table: &Table, failed: Option<StoreError>, missing: Option<String>) -> Result<(), StoreError> {
    let place = |field: &str| table.columns.iter().position(|column| column.field.name() == field);
    match (failed, missing) {
        (None, None) => Ok(()),
        (Some(StoreError::MissingReference { field }), Some(missing)) if place(&missing) < place(&field) => {
            Err(StoreError::MissingReference { field: missing.into() })
        }
        (Some(failed), _) => Err(failed),
        (None, Some(missing)) => Err(StoreError::MissingReference { field: missing.into() }),
    }
}
