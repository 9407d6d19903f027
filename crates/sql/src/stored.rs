//! Reads the rows of tables whose triggers or generated columns change what is written.

use std::sync::Arc;

use restwright_resource::{Row, StoreError};
use sea_query::{Alias, Query};

use crate::condition::equals;
use crate::dialect::{Dialect, DriverRow};
use crate::failure::{self, Written};
use crate::lease::{Failure, Lease};
use crate::pages::Stored;
use crate::schema::ReadBack;
use crate::slow::Watched;
use crate::statements::{Bound, FOLDING_VERSION, Place};
use crate::store::{DatabaseStore, Shared};
use crate::table::{FOLDING, Table};
use crate::value::folded;

impl<D: Dialect> DatabaseStore<D> {
    /// Reads a row again after a write, because triggers may have changed it. The statement must run in a transaction.
    ///
    /// # Errors
    /// A trigger deleted the row or changed its identifier or scope.
    pub(crate) async fn stored_row(
        &self,
        lease: &mut Lease<'_, D>,
        table: &Arc<Table>,
        place: Place<'_>,
    ) -> Result<Stored<D>, StoreError> {
        let bound = place.with_deleted().find::<D>();
        let rows = lease.fetch(&**table, bound.sql, bound.values).await?;
        let row = rows.into_iter().next().ok_or_else(|| lost(table))?;
        Ok(Stored::Read(Arc::clone(table), row))
    }

    /// Writes the case-folded strings of a row again, if a trigger changed the strings. Returns the row after this.
    pub(crate) async fn folded_again(
        &self,
        lease: &mut Lease<'_, D>,
        table: &Arc<Table>,
        written: &Row,
        stored: Stored<D>,
    ) -> Result<Stored<D>, StoreError> {
        let Stored::Read(_, row) = &stored else { return Ok(stored) };
        let mut update = Query::update();
        let mut is_changed = false;
        for (index, column) in table.columns.iter().enumerate() {
            let Some(name) = column.fold() else { continue };
            let cell = D::cell(row, index, column.field.value_type()).map_err(StoreError::failed)?.into_value();
            is_changed |= folded(&cell) != folded(&written.value(column.field.name()));
            update.value(Alias::new(name), folded(&cell));
        }
        if !is_changed {
            return Ok(stored);
        }
        update.table(table.reference()).value(Alias::new(FOLDING), FOLDING_VERSION);
        for column in std::iter::once(table.identifier()).chain(table.scope_columns()) {
            update.and_where(equals(column, &written.value(column.field.name())));
        }
        let (sql, values) = D::build(&update);
        if let Err(failed) = lease.execute(&**table, sql.into(), values).await {
            return Err(failure::of_write(failed, &self.shared, table, written, Written::Changed, lease).await);
        }
        let place = Place::of(table, written).ok_or(StoreError::NotFound)?;
        self.stored_row(lease, table, place).await
    }
}

/// Returns the error for a row that is missing in the scope of its statement after the write.
pub(crate) fn lost(table: &Table) -> StoreError {
    StoreError::failed(format!(
        "a trigger of the table `{table}` deleted the row that a statement wrote, or changed its identifier or scope"
    ))
}

impl<D: Dialect> Shared<D> {
    /// Logs that a trigger skipped the change of a row, and returns the error for it.
    pub(crate) fn skipped(&self, table: &Table) -> StoreError {
        self.rejections.log_skipped(table);
        StoreError::rejected(None, format!("a trigger of the table `{table}` skipped the change of a row"))
    }
}

impl<D: Dialect> Lease<'_, D> {
    /// Runs an update, and measures its duration. Returns the number of changed rows, and the stored row if the statement returns it.
    pub(crate) async fn update(&mut self, table: &Table, bound: Bound) -> Result<(u64, Option<DriverRow<D>>), Failure> {
        if !matches!(table.triggers().updates, ReadBack::Returned) {
            return Ok((self.change(table, "update", bound).await?, None));
        }
        let settings = self.settings();
        let watched = Watched::begin::<D>(&settings, table, "update");
        let rows = self.fetch(table, bound.sql, bound.values).await;
        watched.end("", async { None }).await;
        let mut rows = rows?;
        Ok((u64::try_from(rows.len()).unwrap_or(u64::MAX), rows.pop()))
    }
}
