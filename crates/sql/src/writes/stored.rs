//! Reads the rows of tables whose triggers or generated columns change what is written.

use std::sync::Arc;

use restwright_resource::{Row, Statement, StoreError, Version, Versioned};
use sea_query::{Alias, Query};

use super::failure::{self, Written};
use crate::dialect::Bound;
use crate::driver::SqlRow;
use crate::reads::read_row;
use crate::statements::Place;
use crate::statements::condition::equals;
use crate::store::{Shared, SqlStore};
use crate::table::{FOLDING, FOLDING_VERSION, ReadBack, Table};
use crate::transactions::{Failure, Lease, Watched};
use crate::value::folded;

/// The row after an insert or update.
pub(crate) enum Stored {
    /// The database stored the written values. Contains the version of the row.
    AsWritten(Version),
    /// The row as the database stored it. Triggers and generated columns may have changed the written values.
    Read(Arc<Table>, SqlRow),
}

impl Stored {
    /// Returns the stored row. `written` is the row that the statement wrote.
    ///
    /// # Errors
    /// No field can contain a stored value, or a trigger moved the row out of the scope.
    pub(crate) fn row(self, statement: &Statement<'_>, written: Row) -> Result<Versioned<Row>, StoreError> {
        match self {
            Self::AsWritten(version) => Ok(Versioned::new(written, version)),
            Self::Read(table, row) => {
                let stored = read_row(&table, &row, &|_| false)?;
                if statement.scope().admits(&stored) { Ok(stored) } else { Err(lost(&table)) }
            }
        }
    }
}

impl SqlStore {
    /// Reads a row again after a write, because triggers may have changed it. The statement must run in a transaction.
    ///
    /// # Errors
    /// A trigger deleted the row or changed its identifier or scope.
    pub(crate) async fn stored_row(
        &self,
        lease: &mut Lease<'_>,
        table: &Arc<Table>,
        place: Place<'_>,
    ) -> Result<Stored, StoreError> {
        let bound = place.with_deleted().find();
        let rows = lease.fetch(&**table, bound.sql, bound.values).await?;
        let row = rows.into_iter().next().ok_or_else(|| lost(table))?;
        Ok(Stored::Read(Arc::clone(table), row))
    }

    /// Writes the case-folded strings of a row again, if a trigger changed the strings. Returns the row after this.
    pub(crate) async fn folded_again(
        &self,
        lease: &mut Lease<'_>,
        table: &Arc<Table>,
        written: &Row,
        stored: Stored,
    ) -> Result<Stored, StoreError> {
        let Stored::Read(_, row) = &stored else { return Ok(stored) };
        let mut update = Query::update();
        let mut is_changed = false;
        for (index, column) in table.columns.iter().enumerate() {
            let Some(name) = column.fold() else { continue };
            let cell = row.cell(index, column.field.value_type()).map_err(StoreError::failed)?.into_value();
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
        let (sql, values) = table.dialect.build(&update);
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

impl Shared {
    /// Logs that a trigger skipped the change of a row, and returns the error for it.
    pub(crate) fn skipped(&self, table: &Table) -> StoreError {
        self.rejections.log_skipped(table);
        StoreError::rejected(None, format!("a trigger of the table `{table}` skipped the change of a row"))
    }
}

impl Lease<'_> {
    /// Runs an update, and measures its duration. Returns the number of changed rows, and the stored row if the statement returns it.
    pub(crate) async fn update(&mut self, table: &Table, bound: Bound) -> Result<(u64, Option<SqlRow>), Failure> {
        if !matches!(table.triggers().updates, ReadBack::Returned) {
            return Ok((self.change(table, "update", bound).await?, None));
        }
        let settings = self.settings();
        let watched = Watched::begin(&settings, table, "update");
        let rows = self.write(table, bound.sql, bound.values).await;
        watched.without(self.waited()).end("", async { None }).await;
        let mut rows = rows?;
        Ok((u64::try_from(rows.len()).unwrap_or(u64::MAX), rows.pop()))
    }
}
