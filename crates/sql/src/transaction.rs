//! Defines [`SqlTransaction`], a transaction of a store on one database.

use std::fmt;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use restwright_resource::StoreError;
use sea_query::Value as SqlValue;
use sqlx::{AssertSqlSafe, SqlSafeStr};
use sqlx_core::transaction::TransactionManager;

use crate::connections::{Access, Connections};
use crate::dialect::{Connection, Dialect, DriverRow};
use crate::failure_kind::{FailureKind, store_error};
use crate::held::{AnyHeld, Held, Manager};
use crate::lease::{Failure, Lease};
#[cfg(feature = "idempotency")]
use crate::per_transaction::{Parameters, parameters_sql};
use crate::settings::{IDLE_TRANSACTION, StoreSettings};

/// A transaction of a [`DatabaseStore`](crate::DatabaseStore). Dropping it rolls back its changes.
pub(crate) struct SqlTransaction<D: Dialect> {
    /// The connection of the transaction. Dropping it rolls back the transaction.
    held: Box<dyn AnyHeld<D>>,
    /// The SQL that begins the transaction. It is `Some` until a statement requires a transaction. Each earlier statement commits by
    /// itself.
    begin: Option<Arc<str>>,
    pub(crate) settings: Arc<StoreSettings>,
    /// The id of the store that began the transaction.
    store: usize,
    /// The id of the store whose statements run in the transaction of an idempotency key.
    entered: Option<usize>,
    pub(crate) has_failed: bool,
    /// `true` if a statement may still be running in the database after its future was dropped or timed out.
    pub(crate) is_busy: bool,
    /// `true` if the application has used the connection.
    is_used: bool,
}

/// Returns the statements that begin a transaction, followed by the statements in `following`.
pub(crate) fn begin_sql<D: Dialect>(settings: &StoreSettings, following: &str) -> Arc<str> {
    let is_serializable = settings.is_serializable && D::LOCKS_ROWS;
    let begin = with_limits(settings, if is_serializable { "BEGIN ISOLATION LEVEL SERIALIZABLE" } else { D::BEGIN });
    if following.is_empty() { begin } else { format!("{begin}{following}").into() }
}

/// Returns the statements that begin a transaction for locking and changing a row. Each of its statements sees all changes committed before
/// it, so waiting for the lock is not a conflict.
pub(crate) fn begin_for_update_sql<D: Dialect>(settings: &StoreSettings) -> Arc<str> {
    with_limits(settings, if D::LOCKS_ROWS { "BEGIN ISOLATION LEVEL READ COMMITTED" } else { D::BEGIN })
}

/// Adds the time limits to the SQL that begins a transaction. A transaction pooler does not keep them between transactions.
pub(crate) fn with_limits(settings: &StoreSettings, begin: &str) -> Arc<str> {
    if !settings.is_pooled {
        return begin.into();
    }
    let (statement, idle) = (settings.statement_timeout.as_millis(), IDLE_TRANSACTION.as_millis());
    format!(
        "{begin}; SET LOCAL statement_timeout = {statement}; SET LOCAL idle_in_transaction_session_timeout = {idle}"
    )
    .into()
}

impl<D: Dialect> SqlTransaction<D> {
    /// Begins a transaction with the SQL in `begin`.
    pub(crate) async fn begin(connections: &Connections<D>, store: usize, begin: Arc<str>) -> Result<Self, StoreError> {
        Self::begin_on(connections.acquire(Access::Write).await?, &connections.settings, store, begin).await
    }

    /// Begins a transaction on the connection in `held`.
    pub(crate) async fn begin_on(
        held: Held<D>,
        settings: &Arc<StoreSettings>,
        store: usize,
        begin: Arc<str>,
    ) -> Result<Self, StoreError> {
        let mut transaction = Self::to_begin_on(held, settings, store, begin);
        transaction.begin_if_needed().await?;
        Ok(transaction)
    }

    /// Returns a transaction that begins later, in [`begin_if_needed`](Self::begin_if_needed).
    pub(crate) fn to_begin_on(held: Held<D>, settings: &Arc<StoreSettings>, store: usize, begin: Arc<str>) -> Self {
        let (held, settings): (Box<dyn AnyHeld<D>>, _) = (Box::new(held), Arc::clone(settings));
        Self {
            held,
            begin: Some(begin),
            settings,
            store,
            entered: None,
            has_failed: false,
            is_busy: false,
            is_used: false,
        }
    }

    /// Begins the transaction if it has not begun.
    pub(crate) async fn begin_if_needed(&mut self) -> Result<(), StoreError> {
        let Some(begin) = self.begin.take() else { return Ok(()) };
        let limit = self.settings.statement_timeout;
        if let Held::Own(connection) = self.held.held() {
            connection.set_open(true);
            let begun = within::<D, _>(limit, D::run(connection.connection(), begin)).await;
            connection.set_busy(begun.is_err());
            return begun;
        }
        self.held.held().set_busy(true);
        let begun = begin_counted::<D>(self.raw(), begin, limit).await;
        self.held.held().set_busy(is_unknown(&begun));
        begun
    }

    /// Returns `true` if the transaction has nothing to commit, because it never began and each statement committed by itself.
    pub(crate) fn is_committed(&self) -> bool {
        self.begin.is_some()
    }

    /// Sets database parameters until the transaction ends.
    #[cfg(feature = "idempotency")]
    pub(crate) async fn set_parameters(&mut self, parameters: &Parameters) -> Result<(), StoreError> {
        if parameters.is_empty() {
            return Ok(());
        }
        self.check()?;
        let (sql, limit) = (parameters_sql(parameters)?.into(), self.settings.statement_timeout);
        self.set_busy(true);
        let set = within::<D, _>(limit, D::run(self.raw(), sql)).await;
        self.set_busy(is_unknown(&set));
        self.has_failed |= set.is_err();
        set
    }

    /// Lets the statements of another store on the same database run in the transaction.
    #[cfg(feature = "idempotency")]
    pub(crate) fn enter(&mut self, store: usize) {
        self.entered = Some(store);
    }

    /// Checks that the statements of a store may run in the transaction.
    pub(crate) fn check_store(&self, store: usize) -> Result<(), StoreError> {
        if self.store == store || self.entered == Some(store) {
            return Ok(());
        }
        Err(StoreError::failed(
            "the transaction belongs to another store; begin it on the store that runs the statement",
        ))
    }

    /// Commits the transaction if it belongs to the store.
    pub(crate) async fn commit_of(self, store: usize) -> Result<(), StoreError> {
        self.check_store(store)?;
        self.commit().await
    }

    /// Commits the transaction. Fails if one of its statements has failed.
    pub(crate) async fn commit(mut self) -> Result<(), StoreError> {
        self.check()?;
        if self.is_committed() {
            return Ok(());
        }
        let limit = self.settings.statement_timeout;
        if self.is_used {
            // A commit would roll back a failed transaction without an error.
            let tried = tokio::time::timeout(limit, D::run(self.raw(), "SELECT 1".into())).await;
            tried.map_err(StoreError::unavailable)?.map_err(|error| match D::failure(&error) {
                FailureKind::Other => failed(),
                kind => store_error(&kind, error),
            })?;
        }
        if let Held::Own(connection) = self.held.held() {
            within::<D, _>(limit, D::run(connection.connection(), "COMMIT".into())).await?;
            connection.set_open(false);
            return Ok(());
        }
        self.held.held().set_busy(true);
        commit_counted::<D>(self.raw(), limit).await?;
        self.held.held().set_busy(false);
        Ok(())
    }

    /// Runs a statement and returns the number of changed rows.
    pub(crate) async fn execute(&mut self, (sql, values): (String, Vec<SqlValue>)) -> Result<u64, StoreError> {
        self.check()?;
        let executed = Lease::within(&mut *self).execute(None, sql.into(), values).await;
        self.noted(executed)
    }

    /// Runs a statement and returns its rows.
    pub(crate) async fn fetch(
        &mut self,
        (sql, values): (String, Vec<SqlValue>),
    ) -> Result<Vec<DriverRow<D>>, StoreError> {
        self.check()?;
        let fetched = Lease::within(&mut *self).fetch(None, sql.into(), values).await;
        self.noted(fetched)
    }

    fn noted<T>(&mut self, outcome: Result<T, Failure>) -> Result<T, StoreError> {
        self.has_failed |= outcome.is_err();
        Ok(outcome?)
    }

    pub(crate) fn check(&self) -> Result<(), StoreError> {
        if self.has_failed || self.is_busy { Err(failed()) } else { Ok(()) }
    }

    /// Records whether a statement is running.
    pub(crate) fn set_busy(&mut self, is_busy: bool) {
        self.is_busy = is_busy;
        self.set_held_busy(is_busy);
    }

    /// Records whether the connection must be closed on drop. SQLite connections of the store are rolled back instead.
    fn set_held_busy(&mut self, is_busy: bool) {
        let held = self.held.held();
        if !matches!(held, Held::Own(_)) {
            held.set_busy(is_busy);
        }
    }

    pub(crate) fn raw(&mut self) -> &mut Connection<D> {
        self.held.held().connection()
    }

    /// Returns the connection for use by the application.
    pub(crate) fn hand_out(&mut self) -> &mut Connection<D> {
        self.is_used = true;
        // The end of the application's statements cannot be detected.
        self.set_held_busy(true);
        self.raw()
    }
}

/// Commits a PostgreSQL transaction. Reports the rejection of a deferred trigger or constraint.
async fn commit_counted<D: Dialect>(connection: &mut Connection<D>, limit: Duration) -> Result<(), StoreError> {
    let committing = Box::pin(Manager::<D>::commit(connection));
    let committed = tokio::time::timeout(limit, committing).await.map_err(StoreError::unavailable)?;
    committed.map_err(|error| match D::failure_of_commit(&error) {
        FailureKind::Rejected(_) => StoreError::rejected(None, error),
        FailureKind::Unique(_) => StoreError::conflict_of(Vec::<String>::new()),
        kind => store_error(&kind, error),
    })
}

/// Begins a transaction with the transaction manager of sqlx, so the application can begin nested transactions.
async fn begin_counted<D: Dialect>(
    connection: &mut Connection<D>,
    begin: Arc<str>,
    limit: Duration,
) -> Result<(), StoreError> {
    let beginning = Box::pin(Manager::<D>::begin(connection, Some(AssertSqlSafe(begin).into_sql_str())));
    let begun = within::<D, _>(limit, beginning).await;
    if begun.is_err() && !is_unknown(&begun) {
        // A statement after the `BEGIN` failed, so the transaction is open although sqlx does not count it.
        within::<D, _>(limit, D::run(connection, "ROLLBACK".into())).await?;
    }
    begun
}

/// Returns `true` if the statements that begin a transaction timed out and may still be running.
fn is_unknown(begun: &Result<(), StoreError>) -> bool {
    matches!(begun, Err(StoreError::Unavailable(_)))
}

/// Returns `true` if an insert failed because the row already exists.
#[cfg(feature = "idempotency")]
pub(crate) fn is_taken(error: &StoreError) -> bool {
    let error = std::error::Error::source(error).and_then(|source| source.downcast_ref::<sqlx::Error>());
    error.and_then(sqlx::Error::as_database_error).is_some_and(|error| error.is_unique_violation())
}

/// Runs a statement of a transaction, such as `BEGIN`, within a time limit.
async fn within<D: Dialect, T>(
    limit: Duration,
    step: impl Future<Output = Result<T, sqlx::Error>>,
) -> Result<T, StoreError> {
    let ran = tokio::time::timeout(limit, step).await.map_err(StoreError::unavailable)?;
    ran.map_err(|error| store_error(&D::failure(&error), error))
}

fn failed() -> StoreError {
    StoreError::failed("a statement of the transaction has failed; begin a new transaction")
}

impl<D: Dialect> fmt::Debug for SqlTransaction<D> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("SqlTransaction").field("has_failed", &self.has_failed).finish_non_exhaustive()
    }
}
