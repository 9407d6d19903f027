//! [`SqlTransaction`]: a transaction of a store.

use std::fmt;
use std::sync::Arc;

use restwright_resource::StoreError;
use sea_query::QueryStatementWriter;
use sqlx::{AssertSqlSafe, Database, Transaction};

use crate::connections::{Access, Connections};
use crate::dialect::{Connection, Dialect};
use crate::lease::{Failure, Lease};
use crate::settings::Settings;
use crate::violation::{Violation, store_error};

/// A transaction of a store. Dropping it undoes its changes.
pub struct SqlTransaction<D: Dialect> {
    transaction: Transaction<'static, D::Database>,
    pub(crate) settings: Settings,
    /// The store that began it.
    store: usize,
    pub(crate) has_failed: bool,
    /// A statement was dropped, or took too long, while it ran.
    pub(crate) is_busy: bool,
    /// Code of the application has used the connection.
    is_used: bool,
}

/// Returns the statements that begin a transaction.
pub(crate) fn begin_sql<D: Dialect>(settings: &Settings) -> Arc<str> {
    let begin = if settings.is_serializable && D::LOCKS_ROWS { "BEGIN ISOLATION LEVEL SERIALIZABLE" } else { D::BEGIN };
    if !settings.is_pooled {
        return begin.into();
    }
    format!("{begin}; SET LOCAL statement_timeout = {}", settings.statement_timeout.as_millis()).into()
}

impl<D: Dialect> SqlTransaction<D> {
    pub(crate) async fn begin(
        connections: &Connections<D>,
        settings: &Settings,
        store: usize,
    ) -> Result<Self, StoreError> {
        Self::begin_with(connections, settings, store, "").await
    }

    /// Begins a transaction with more statements behind those that begin it.
    pub(crate) async fn begin_with(
        connections: &Connections<D>,
        settings: &Settings,
        store: usize,
        more: &str,
    ) -> Result<Self, StoreError> {
        let pool = connections.pool(Access::Write)?;
        let _place = connections.queue()?;
        let limit = settings.wait + settings.statement_timeout;
        let begin = begin_sql::<D>(settings);
        let begin = if more.is_empty() { begin } else { format!("{begin}{more}").into() };
        let begun = tokio::time::timeout(limit, pool.begin_with(AssertSqlSafe(begin))).await;
        let transaction = begun.map_err(StoreError::unavailable)?;
        let transaction = transaction.map_err(|error| store_error(&D::failure(&error), error))?;
        let settings = settings.clone();
        Ok(Self { transaction, settings, store, has_failed: false, is_busy: false, is_used: false })
    }

    /// Commits the transaction. It fails if a statement of it has failed.
    pub(crate) async fn commit(mut self, store: usize) -> Result<(), StoreError> {
        if self.store != store {
            return Err(StoreError::failed("the transaction was begun by another store"));
        }
        self.check()?;
        let limit = self.settings.statement_timeout;
        if self.is_used {
            // A commit of a failed transaction would undo it without an error.
            let tried = tokio::time::timeout(limit, D::run(&mut self.transaction, "SELECT 1".into())).await;
            tried.map_err(StoreError::unavailable)?.map_err(|error| match D::failure(&error) {
                Violation::Other => failed(),
                violation => store_error(&violation, error),
            })?;
        }
        let committed = tokio::time::timeout(limit, self.transaction.commit()).await;
        committed.map_err(StoreError::unavailable)?.map_err(|error| store_error(&D::failure(&error), error))
    }

    /// Runs a statement that is built with sea-query, and returns the number of rows that it changed.
    ///
    /// # Errors
    /// The statement failed, and the transaction can no longer be committed.
    pub async fn execute(&mut self, statement: &impl QueryStatementWriter) -> Result<u64, StoreError> {
        let (sql, values) = D::build(statement);
        self.check()?;
        let executed = Lease::Transaction(&mut *self).execute(None, sql.into(), values).await;
        self.noted(executed)
    }

    /// Runs a statement that is built with sea-query, and returns its rows.
    ///
    /// # Errors
    /// The statement failed, and the transaction can no longer be committed.
    pub async fn fetch(
        &mut self,
        statement: &impl QueryStatementWriter,
    ) -> Result<Vec<<D::Database as Database>::Row>, StoreError> {
        let (sql, values) = D::build(statement);
        self.check()?;
        let fetched = Lease::Transaction(&mut *self).fetch(None, sql.into(), values).await;
        self.noted(fetched)
    }

    /// Runs SQL without parameters.
    #[cfg(feature = "idempotency")]
    pub(crate) async fn run(&mut self, sql: &str) -> Result<(), StoreError> {
        self.check()?;
        self.is_busy = true;
        let ran = tokio::time::timeout(self.settings.statement_timeout, D::run(&mut self.transaction, sql.into())).await;
        let ran = ran.map_err(StoreError::unavailable)?;
        self.is_busy = false;
        self.has_failed |= ran.is_err();
        ran.map_err(|error| store_error(&D::failure(&error), error))
    }

    fn noted<T>(&mut self, outcome: Result<T, Failure>) -> Result<T, StoreError> {
        self.has_failed |= outcome.is_err();
        Ok(outcome?)
    }

    pub(crate) fn check(&self) -> Result<(), StoreError> {
        if self.has_failed || self.is_busy { Err(failed()) } else { Ok(()) }
    }

    pub(crate) fn raw(&mut self) -> &mut Connection<D> {
        &mut self.transaction
    }

    /// Returns the connection for code of the application.
    pub(crate) fn hand_out(&mut self) -> &mut Connection<D> {
        self.is_used = true;
        &mut self.transaction
    }
}

fn failed() -> StoreError {
    StoreError::failed("a statement of the transaction has failed; begin another one")
}

impl<D: Dialect> fmt::Debug for SqlTransaction<D> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("SqlTransaction").field("has_failed", &self.has_failed).finish_non_exhaustive()
    }
}
