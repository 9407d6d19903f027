//! Defines [`Stored`], the outcome of an insert or update.

use std::fmt;
use std::sync::Arc;

use restwright_resource::{Entity, Scope, StoreError, Version, Versioned};
use serde::de::DeserializeOwned;

use crate::dialect::{Dialect, Driver, Row};
use crate::failure::Written;
use crate::lease::{Failure, Lease};
use crate::reading::read_row;
use crate::schema::ReadBack;
use crate::slow::Watched;
use crate::statements::{Bound, Place};
use crate::store::{DatabaseStore, Shared};
use crate::table::Table;

/// The outcome of an insert or update.
pub enum Stored<D: Driver> {
    /// The database stored the written values. Contains the version of the row.
    AsWritten(Version),
    /// The row as the database stored it. Triggers and generated columns may have changed the written values.
    Read(Arc<Table>, Row<D>),
}

impl<D: Driver> fmt::Debug for Stored<D> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AsWritten(version) => formatter.debug_tuple("AsWritten").field(version).finish(),
            Self::Read(table, _) => formatter.debug_tuple("Read").field(table).finish_non_exhaustive(),
        }
    }
}

impl<D: Dialect> Stored<D> {
    /// Returns the stored entity. `written` is the entity that was written in the scope of the statement.
    ///
    /// # Errors
    /// No field can contain a stored value, or a trigger moved the row out of the scope.
    pub(crate) fn into_entity<R: Entity + DeserializeOwned>(
        self,
        scope: &Scope,
        written: R,
    ) -> Result<Versioned<R>, StoreError> {
        let (table, row) = match self {
            Self::AsWritten(version) => return Ok(Versioned::new(written, version)),
            Self::Read(table, row) => (table, row),
        };
        let stored = read_row::<D, R>(&table, &row)?;
        if scope.admits(&stored.entity) { Ok(stored) } else { Err(lost(&table)) }
    }
}

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
    pub(crate) async fn update(&mut self, table: &Table, bound: Bound) -> Result<(u64, Option<Row<D>>), Failure> {
        if table.read_back(Written::Changed) != ReadBack::Returned {
            return Ok((self.change(table, "update", bound).await?, None));
        }
        let mut rows = self.write(table, "update", bound).await?;
        Ok((u64::try_from(rows.len()).unwrap_or(u64::MAX), rows.pop()))
    }

    /// Runs a statement that changes rows, and measures its duration. Returns the rows that the statement returns.
    pub(crate) async fn write(
        &mut self,
        table: &Table,
        operation: &'static str,
        bound: Bound,
    ) -> Result<Vec<Row<D>>, Failure> {
        let settings = self.settings();
        let watched = Watched::begin::<D>(&settings, table, operation);
        let rows = self.fetch(table, bound.sql, bound.values).await;
        watched.end().await;
        rows
    }
}
