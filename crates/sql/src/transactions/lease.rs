//! Defines [`Lease`], the connection or transaction that a statement runs on.

use std::sync::Arc;
use std::time::Duration;

use restwright_resource::StoreError;
use sea_query::Value as SqlValue;

use crate::connections::{Access, Connections, Held, ListPlace};
#[cfg(feature = "sqlite")]
use crate::connections::{FilePools, Grouped};
#[cfg(any(feature = "sqlite", feature = "idempotency"))]
use crate::dialect::Bound;
use crate::dialect::Dialect;
#[cfg(feature = "sqlite")]
use crate::driver::{ChangeStatement, Changed};
use crate::driver::{Connection, DriverError, FailureKind, SqlRow, store_error};
use crate::settings::{Parameters, StoreSettings, with_parameters};
use crate::table::{Table, failure_of};
use crate::transactions::{SqlTransaction, begin_sql};

/// The placeholder for the store id in a transaction around a single statement. It differs from the id of every store, so no store accepts
/// such a transaction.
const OF_NO_STORE: usize = 0;

/// The maximum number of values in a prepared statement that a connection keeps.
const MAX_KEPT_VALUES: usize = 256;

/// The connection or transaction that a statement runs on.
pub(crate) struct Lease<'t> {
    on: On<'t>,
    settings: Arc<StoreSettings>,
    /// The time that changes have waited for the begin of their group.
    waited: Duration,
    /// The place of a list. It is released after the connection.
    _place: Option<ListPlace>,
}

/// The connection or the transaction that a statement runs on.
enum On<'t> {
    Connection(Held),
    /// A transaction around a single statement. This transaction is needed to set the parameters of a caller, and for a transaction pooler.
    Wrapped(SqlTransaction),
    Transaction(&'t mut SqlTransaction),
    /// A change runs in a transaction with other changes. Reads run on another connection.
    #[cfg(feature = "sqlite")]
    Group(&'t Connections, Arc<FilePools>),
}

/// The error of a failed statement, and the class of the error.
pub(crate) struct Failure {
    pub(crate) kind: FailureKind,
    pub(crate) error: DriverError,
}

impl Failure {
    /// Returns the failure of a statement that got no connection.
    #[cfg(feature = "sqlite")]
    fn of_store(error: StoreError) -> Self {
        match error {
            StoreError::Unavailable(cause) => {
                Self { kind: FailureKind::Unavailable, error: DriverError::Unavailable(cause.to_string()) }
            }
            other => Self { kind: FailureKind::Other, error: DriverError::Other(other.to_string()) },
        }
    }
}

impl From<Failure> for StoreError {
    fn from(failure: Failure) -> Self {
        store_error(&failure.kind, failure.error)
    }
}

impl<'t> Lease<'t> {
    /// Runs statements of the application on a connection.
    #[cfg(feature = "sqlite")]
    pub(crate) fn on(held: Held, settings: &Arc<StoreSettings>) -> Self {
        Self { on: On::Connection(held), settings: Arc::clone(settings), waited: Duration::ZERO, _place: None }
    }

    pub(crate) fn within(transaction: &'t mut SqlTransaction) -> Self {
        let settings = Arc::clone(&transaction.settings);
        Self { on: On::Transaction(transaction), settings, waited: Duration::ZERO, _place: None }
    }

    /// Acquires a connection for a statement without a transaction. With `parameters` or a transaction pooler, wraps the statement in a
    /// transaction.
    pub(crate) async fn own(
        connections: &Connections,
        access: Access<'_>,
        parameters: Option<&Parameters>,
    ) -> Result<Self, StoreError> {
        let (held, place) = match access {
            Access::List(entity) => connections.acquire_list(entity).await.map(|(held, place)| (held, Some(place)))?,
            _ => (connections.acquire(access).await?, None),
        };
        let settings = Arc::clone(&connections.settings);
        let on = if settings.is_pooled || parameters.is_some() {
            let begin = with_parameters(begin_sql(&settings, ""), parameters)?;
            On::Wrapped(SqlTransaction::begin_on(held, &settings, OF_NO_STORE, begin).await?)
        } else {
            On::Connection(held)
        };
        Ok(Self { on, settings, waited: Duration::ZERO, _place: place })
    }

    /// Returns a lease for one change, which shares a transaction with other changes if it can.
    pub(crate) async fn of_change(
        connections: &'t Connections,
        parameters: Option<&Parameters>,
    ) -> Result<Self, StoreError> {
        #[cfg(feature = "sqlite")]
        if let Some(pools) = connections.grouped() {
            return Ok(Self {
                on: On::Group(connections, pools),
                settings: Arc::clone(&connections.settings),
                waited: Duration::ZERO,
                _place: None,
            });
        }
        Self::own(connections, Access::Write, parameters).await
    }

    /// Acquires a connection for a readiness check. Returns `None` if statements use all connections, because the database then works.
    pub(crate) async fn of_check(connections: &Connections, access: Access<'_>) -> Result<Option<Self>, StoreError> {
        if connections.is_busy() {
            return Ok(None);
        }
        let acquired = Self::own(connections, access, None).await;
        if acquired.is_err() && connections.is_busy() { Ok(None) } else { acquired.map(Some) }
    }

    pub(crate) fn dialect(&self) -> &'static Dialect {
        self.settings.dialect
    }

    pub(crate) fn settings(&self) -> Arc<StoreSettings> {
        Arc::clone(&self.settings)
    }

    /// Runs a statement that changes rows, and returns the number of changed rows.
    pub(crate) async fn execute<'a>(
        &mut self,
        table: impl Into<Option<&'a Table>>,
        sql: Arc<str>,
        values: Vec<SqlValue>,
    ) -> Result<u64, Failure> {
        #[cfg(feature = "sqlite")]
        if let On::Group(_, pools) = &self.on {
            let pools = Arc::clone(pools);
            return self
                .change_in_group(&pools, table.into(), Bound { sql, values }, None)
                .await
                .map(|changed| changed.count);
        }
        let (limit, is_kept) = (self.settings.statement_timeout, self.keeps(&values));
        self.set_busy(true);
        let ran = tokio::time::timeout(limit, async { self.connection()?.execute(sql, values, is_kept).await }).await;
        self.finished(table.into(), ran)
    }

    /// Runs a statement that changes rows, and returns the rows that it returned.
    pub(crate) async fn write<'a>(
        &mut self,
        table: impl Into<Option<&'a Table>>,
        sql: Arc<str>,
        values: Vec<SqlValue>,
    ) -> Result<Vec<SqlRow>, Failure> {
        #[cfg(feature = "sqlite")]
        if let On::Group(_, pools) = &self.on {
            let pools = Arc::clone(pools);
            return self
                .change_in_group(&pools, table.into(), Bound { sql, values }, None)
                .await
                .map(|changed| changed.rows);
        }
        self.fetch(table, sql, values).await
    }

    /// Runs a change in a group, and after it another statement if it changed one row. Either both have an effect or none.
    #[cfg(feature = "idempotency")]
    pub(crate) async fn execute_both(
        &mut self,
        table: &Table,
        change: Bound,
        following: Bound,
    ) -> Result<u64, Failure> {
        #[cfg(feature = "sqlite")]
        if let On::Group(_, pools) = &self.on {
            let pools = Arc::clone(pools);
            let changed = self.change_in_group(&pools, Some(table), change, Some(following)).await;
            return changed.map(|changed| changed.count);
        }
        let error = DriverError::Other(format!("`{}` cannot be changed together with `{}`", table.name, following.sql));
        drop(change);
        Err(Failure { kind: FailureKind::Other, error })
    }

    /// Runs a query and returns its rows.
    pub(crate) async fn fetch<'a>(
        &mut self,
        table: impl Into<Option<&'a Table>>,
        sql: Arc<str>,
        values: Vec<SqlValue>,
    ) -> Result<Vec<SqlRow>, Failure> {
        #[cfg(feature = "sqlite")]
        if let On::Group(connections, _) = &self.on {
            if let Some(rows) = connections.fetch_inline(&sql, &values).await {
                return Ok(rows);
            }
            let held = connections.acquire(Access::Read).await.map_err(Failure::of_store)?;
            return Box::pin(Lease::on(held, &self.settings).fetch(table, sql, values)).await;
        }
        let (limit, is_kept) = (self.settings.statement_timeout, self.keeps(&values));
        self.set_busy(true);
        let ran = tokio::time::timeout(limit, async { self.connection()?.fetch(sql, values, is_kept).await }).await;
        self.finished(table.into(), ran)
    }

    /// Runs code of the application on the connection to SQLite.
    #[cfg(feature = "sqlite")]
    pub(crate) async fn with_sqlite<T: Send + 'static>(
        &mut self,
        run: impl FnOnce(&mut rusqlite::Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, Failure> {
        let limit = self.settings.statement_timeout;
        self.set_busy(true);
        let running = async {
            match self.connection()? {
                Connection::Sqlite(connection) => connection.with(run).await,
                #[cfg(feature = "postgres")]
                Connection::Postgres(_) => Err(DriverError::Other("the connection is not on SQLite".to_owned())),
            }
        };
        let ran = tokio::time::timeout(limit, running).await;
        self.finished(None, ran)
    }

    /// Runs a change in a transaction with other changes.
    #[cfg(feature = "sqlite")]
    async fn change_in_group(
        &mut self,
        pools: &FilePools,
        table: Option<&Table>,
        Bound { sql, values }: Bound,
        following: Option<Bound>,
    ) -> Result<Changed, Failure> {
        let following = following.map(|Bound { sql, values }| {
            Box::new(ChangeStatement { sql, is_kept: self.keeps(&values), values, following: None })
        });
        let statement = ChangeStatement { sql, is_kept: self.keeps(&values), values, following };
        let Grouped { outcome, waited } = pools.change(statement).await.map_err(Failure::of_store)?;
        self.waited += waited;
        self.finished(table, Ok(outcome))
    }

    /// Returns the time that changes have waited for the begin of their group. It is no part of their duration.
    pub(crate) fn waited(&self) -> Duration {
        self.waited
    }

    /// Returns `true` if the connection keeps the prepared statement. A statement with many values needs megabytes, and few requests repeat it.
    fn keeps(&self, values: &[SqlValue]) -> bool {
        !self.settings.is_pooled && values.len() <= MAX_KEPT_VALUES
    }

    /// Releases the connection. Commits the transaction that wraps the statement, if there is one.
    pub(crate) async fn finish(self) -> Result<(), StoreError> {
        match self.on {
            On::Wrapped(transaction) => transaction.commit().await,
            On::Connection(_) | On::Transaction(_) => Ok(()),
            #[cfg(feature = "sqlite")]
            On::Group(..) => Ok(()),
        }
    }

    fn finished<T>(
        &mut self,
        table: Option<&Table>,
        ran: Result<Result<T, DriverError>, tokio::time::error::Elapsed>,
    ) -> Result<T, Failure> {
        let Ok(ran) = ran else {
            // The statement still runs on the connection, so the connection is closed.
            let error = DriverError::Unavailable("a statement took longer than its time limit".to_owned());
            self.settings.counts.failure(FailureKind::Unavailable.name());
            return Err(Failure { kind: FailureKind::Unavailable, error });
        };
        self.set_busy(false);
        ran.map_err(|error| {
            let database = self.dialect().database;
            let kind = table.map_or_else(|| database.failure(&error), |table| failure_of(&error, table));
            self.settings.counts.failure(kind.name());
            if kind == FailureKind::Unavailable {
                // Regardless of the error, the connection is not used again.
                self.set_busy(true);
            }
            Failure { kind, error: database.advised(error) }
        })
    }

    fn set_busy(&mut self, is_busy: bool) {
        match &mut self.on {
            On::Connection(held) => held.set_busy(is_busy),
            On::Wrapped(transaction) => transaction.set_busy(is_busy),
            On::Transaction(transaction) => transaction.set_busy(is_busy),
            #[cfg(feature = "sqlite")]
            On::Group(..) => {}
        }
    }

    fn connection(&mut self) -> Result<Connection<'_>, DriverError> {
        Ok(match &mut self.on {
            On::Connection(held) => held.connection(),
            On::Wrapped(transaction) => transaction.raw(),
            On::Transaction(transaction) => transaction.raw(),
            #[cfg(feature = "sqlite")]
            On::Group(..) => return Err(DriverError::Other("a change in a group has no connection".to_owned())),
        })
    }
}
