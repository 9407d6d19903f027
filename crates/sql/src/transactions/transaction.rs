//! Defines [`SqlTransaction`], a transaction of a store on one database.

use std::fmt;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use restwright_resource::StoreError;
use sea_query::Value as SqlValue;

use crate::connections::{Access, Connections, Held};
use crate::driver::{Connection, Database, DriverError, FailureKind, SqlRow, store_error};
use crate::settings::{IDLE_TRANSACTION, StoreSettings};
#[cfg(feature = "idempotency")]
use crate::settings::{Parameters, parameters_sql};
use crate::table::failure_of_commit;
use crate::transactions::{Failure, Lease};

/// A transaction of a [`SqlStore`](crate::SqlStore). Dropping it rolls back its changes.
pub(crate) struct SqlTransaction {
    /// The connection of the transaction. Dropping it rolls back the transaction.
    held: Held,
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
pub(crate) fn begin_sql(settings: &StoreSettings, following: &str) -> Arc<str> {
    let is_serializable = settings.is_serializable && settings.dialect.locks_rows;
    let begin = with_limits(
        settings,
        if is_serializable { "BEGIN ISOLATION LEVEL SERIALIZABLE" } else { settings.dialect.begin },
    );
    if following.is_empty() { begin } else { format!("{begin}{following}").into() }
}

/// Returns the statements that begin a transaction for locking and changing a row. Each of its statements sees all changes committed before
/// it, so waiting for the lock is not a conflict.
pub(crate) fn begin_for_update_sql(settings: &StoreSettings) -> Arc<str> {
    with_limits(
        settings,
        if settings.dialect.locks_rows { "BEGIN ISOLATION LEVEL READ COMMITTED" } else { settings.dialect.begin },
    )
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

impl SqlTransaction {
    /// Begins a transaction with the SQL in `begin`.
    pub(crate) async fn begin(connections: &Connections, store: usize, begin: Arc<str>) -> Result<Self, StoreError> {
        Self::begin_on(connections.acquire(Access::Write).await?, &connections.settings, store, begin).await
    }

    /// Begins a transaction on the connection in `held`.
    pub(crate) async fn begin_on(
        held: Held,
        settings: &Arc<StoreSettings>,
        store: usize,
        begin: Arc<str>,
    ) -> Result<Self, StoreError> {
        let mut transaction = Self::to_begin_on(held, settings, store, begin);
        transaction.begin_if_needed().await?;
        Ok(transaction)
    }

    /// Returns a transaction that begins later, in [`begin_if_needed`](Self::begin_if_needed).
    pub(crate) fn to_begin_on(held: Held, settings: &Arc<StoreSettings>, store: usize, begin: Arc<str>) -> Self {
        let settings = Arc::clone(settings);
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
        let (limit, database) = (self.settings.statement_timeout, self.settings.dialect.database);
        #[cfg(feature = "sqlite")]
        if let Held::Own(guard) = &mut self.held {
            let begun = within(database, limit, Connection::Sqlite(guard.connection()).run(begin)).await;
            guard.set_busy(begun.is_err());
            return begun;
        }
        self.held.set_busy(true);
        let begun = begin_counted(&mut self.raw(), begin, limit).await;
        self.held.set_busy(is_unknown(&begun));
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
        let set = within(self.settings.dialect.database, limit, self.raw().run(sql)).await;
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
        let (limit, database) = (self.settings.statement_timeout, self.settings.dialect.database);
        if self.is_used {
            // A commit would roll back a failed transaction without an error.
            let tried = tokio::time::timeout(limit, self.raw().run("SELECT 1".into())).await;
            tried.map_err(StoreError::unavailable)?.map_err(|error| match database.failure(&error) {
                FailureKind::Other => failed(),
                kind => store_error(&kind, error),
            })?;
        }
        #[cfg(feature = "sqlite")]
        if let Held::Own(guard) = &mut self.held {
            within(database, limit, Connection::Sqlite(guard.connection()).run("COMMIT".into())).await?;
            return Ok(());
        }
        self.held.set_busy(true);
        commit_counted(&mut self.raw(), limit).await?;
        self.held.set_busy(false);
        Ok(())
    }

    /// Runs a statement and returns the number of changed rows.
    pub(crate) async fn execute(&mut self, (sql, values): (String, Vec<SqlValue>)) -> Result<u64, StoreError> {
        self.check()?;
        let executed = Lease::within(&mut *self).execute(None, sql.into(), values).await;
        self.noted(executed)
    }

    /// Runs a statement and returns its rows.
    pub(crate) async fn fetch(&mut self, (sql, values): (String, Vec<SqlValue>)) -> Result<Vec<SqlRow>, StoreError> {
        self.check()?;
        let fetched = Lease::within(&mut *self).fetch(None, sql.into(), values).await;
        self.noted(fetched)
    }

    /// Runs code of the application on the connection to SQLite.
    #[cfg(feature = "sqlite")]
    pub(crate) async fn with_sqlite<T: Send + 'static>(
        &mut self,
        run: impl FnOnce(&mut rusqlite::Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, StoreError> {
        self.check()?;
        let ran = Lease::within(&mut *self).with_sqlite(run).await;
        self.noted(ran)
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
        if !self.held.is_own() {
            self.held.set_busy(is_busy);
        }
    }

    pub(crate) fn raw(&mut self) -> Connection<'_> {
        self.held.connection()
    }

    /// Returns the connection for use by the application.
    #[cfg(feature = "postgres")]
    pub(crate) fn hand_out(&mut self) -> Connection<'_> {
        self.is_used = true;
        // The end of the application's statements cannot be detected.
        self.set_held_busy(true);
        self.raw()
    }
}

/// Commits a transaction. Reports the rejection of a deferred trigger or constraint.
async fn commit_counted(connection: &mut Connection<'_>, limit: Duration) -> Result<(), StoreError> {
    let database = connection.database();
    let committed = tokio::time::timeout(limit, connection.commit()).await.map_err(StoreError::unavailable)?;
    committed.map_err(|error| match failure_of_commit(database, &error) {
        FailureKind::Rejected(_) => StoreError::rejected(None, error),
        FailureKind::Unique(_) => StoreError::conflict_of(Vec::<String>::new()),
        kind => store_error(&kind, error),
    })
}

/// Begins a transaction. On PostgreSQL sqlx counts it, so the application can begin nested transactions.
async fn begin_counted(connection: &mut Connection<'_>, begin: Arc<str>, limit: Duration) -> Result<(), StoreError> {
    let database = connection.database();
    let begun = within(database, limit, connection.begin(begin)).await;
    if begun.is_err() && !is_unknown(&begun) {
        // A statement after the `BEGIN` failed, so the transaction is open although sqlx does not count it.
        within(database, limit, connection.run("ROLLBACK".into())).await?;
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
    let error = std::error::Error::source(error).and_then(|source| source.downcast_ref::<DriverError>());
    error.is_some_and(DriverError::is_unique_violation)
}

/// Runs a statement of a transaction, such as `BEGIN`, within a time limit.
async fn within<T>(
    database: Database,
    limit: Duration,
    step: impl Future<Output = Result<T, DriverError>>,
) -> Result<T, StoreError> {
    let ran = tokio::time::timeout(limit, step).await.map_err(StoreError::unavailable)?;
    ran.map_err(|error| store_error(&database.failure(&error), error))
}

fn failed() -> StoreError {
    StoreError::failed("a statement of the transaction has failed; begin a new transaction")
}

impl fmt::Debug for SqlTransaction {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("SqlTransaction").field("has_failed", &self.has_failed).finish_non_exhaustive()
    }
}
