//! [`Lease`], the connection of one statement or of its transaction.

use std::sync::Arc;

use restwright_resource::StoreError;
use sea_query::Value as SqlValue;
use tokio::sync::OwnedSemaphorePermit;

use crate::connections::{Access, Connections, Held};
use crate::dialect::{Connection, Dialect, Row};
use crate::failure_kind::{FailureKind, advised, store_error};
use crate::per_transaction::{Parameters, with_parameters};
use crate::settings::Settings;
use crate::store::DatabaseStore;
use crate::table::Table;
use crate::transaction::{SqlTransaction, begin_sql};

/// The number of transactions that a store did not begin for its users.
const OF_NO_STORE: usize = 0;

/// The connection of a statement.
pub(crate) enum Lease<'t, D: Dialect> {
    Own(OwnConnection<D>),
    /// A transaction that the store began for the statement.
    Wrapped(Wrapped<D>),
    Transaction(&'t mut SqlTransaction<D>),
}

/// A transaction for one statement. It is needed for the parameters of a caller, and for a proxy with a connection per transaction.
pub(crate) struct Wrapped<D: Dialect> {
    transaction: SqlTransaction<D>,
    /// The permit of a list. It is released after the connection.
    _place: Option<OwnedSemaphorePermit>,
}

/// A connection of the pool. It is closed if it is dropped while a statement runs.
pub(crate) struct OwnConnection<D: Dialect> {
    connection: Held<D>,
    settings: Settings,
    is_busy: bool,
    /// The permit of a list. It is released after the connection.
    _place: Option<OwnedSemaphorePermit>,
}

/// A failed statement: the class of its error and the error.
pub(crate) struct Failure {
    pub(crate) kind: FailureKind,
    pub(crate) error: sqlx::Error,
}

impl From<Failure> for StoreError {
    fn from(failure: Failure) -> Self {
        store_error(&failure.kind, failure.error)
    }
}

impl<'t, D: Dialect> Lease<'t, D> {
    /// Returns the transaction, or a connection of a store with the parameters of its caller.
    pub(crate) async fn new(
        store: &DatabaseStore<D>,
        connections: &Connections<D>,
        access: Access,
        transaction: Option<&'t mut SqlTransaction<D>>,
    ) -> Result<Self, StoreError> {
        if let Some(transaction) = transaction {
            transaction.check()?;
            return Ok(Self::Transaction(transaction));
        }
        Self::own(connections, &store.shared.settings, access, store.parameters()?).await
    }

    /// Returns a connection for statements that do not concern the entities of a caller.
    pub(crate) async fn without_caller(
        connections: &Connections<D>,
        settings: &Settings,
        access: Access,
    ) -> Result<Self, StoreError> {
        Self::own(connections, settings, access, None).await
    }

    async fn own(
        connections: &Connections<D>,
        settings: &Settings,
        access: Access,
        parameters: Option<&Parameters>,
    ) -> Result<Self, StoreError> {
        let (connection, place) = match access {
            Access::List => connections.acquire_list().await.map(|(connection, place)| (connection, Some(place)))?,
            _ => (connections.acquire(access).await?, None),
        };
        if !settings.is_pooled && parameters.is_none() {
            let settings = settings.clone();
            return Ok(Self::Own(OwnConnection { connection, settings, is_busy: false, _place: place }));
        }
        let begin = with_parameters(begin_sql::<D>(settings, ""), parameters)?;
        let transaction = SqlTransaction::begin_on(connection, settings, OF_NO_STORE, begin).await?;
        Ok(Self::Wrapped(Wrapped { transaction, _place: place }))
    }

    pub(crate) async fn execute<'a>(
        &mut self,
        table: impl Into<Option<&'a Table>>,
        sql: Arc<str>,
        values: Vec<SqlValue>,
    ) -> Result<u64, Failure> {
        let limit = self.settings().statement_timeout;
        let is_kept = !self.settings().is_pooled;
        self.set_busy(true);
        let ran = tokio::time::timeout(limit, D::execute(self.connection(), sql, values, is_kept)).await;
        self.finished(table.into(), ran)
    }

    pub(crate) async fn fetch<'a>(
        &mut self,
        table: impl Into<Option<&'a Table>>,
        sql: Arc<str>,
        values: Vec<SqlValue>,
    ) -> Result<Vec<Row<D>>, Failure> {
        let limit = self.settings().statement_timeout;
        let is_kept = !self.settings().is_pooled;
        self.set_busy(true);
        let ran = tokio::time::timeout(limit, D::fetch(self.connection(), sql, values, is_kept)).await;
        self.finished(table.into(), ran)
    }

    /// Ends the use of the connection. Commits if a transaction began for the statements.
    pub(crate) async fn finish(self) -> Result<(), StoreError> {
        match self {
            Self::Wrapped(wrapped) => wrapped.transaction.commit().await,
            Self::Own(_) | Self::Transaction(_) => Ok(()),
        }
    }

    fn finished<T>(
        &mut self,
        table: Option<&Table>,
        ran: Result<Result<T, sqlx::Error>, tokio::time::error::Elapsed>,
    ) -> Result<T, Failure> {
        let Ok(ran) = ran else {
            // The statement still runs on the connection, so the connection is closed.
            let message = "a statement took longer than its time limit";
            let error = sqlx::Error::Io(std::io::Error::new(std::io::ErrorKind::TimedOut, message));
            return Err(Failure { kind: FailureKind::Unavailable, error });
        };
        self.set_busy(false);
        ran.map_err(|error| {
            let kind = match (&error, table) {
                (sqlx::Error::Database(database), Some(table)) => D::failure_of(database.as_ref(), table),
                (other, _) => D::failure(other),
            };
            if kind == FailureKind::Unavailable {
                // Regardless of the error, the connection is not used again.
                self.set_busy(true);
            }
            Failure { kind, error: advised::<D>(error) }
        })
    }

    fn settings(&self) -> &Settings {
        match self {
            Self::Own(own) => &own.settings,
            Self::Wrapped(wrapped) => &wrapped.transaction.settings,
            Self::Transaction(transaction) => &transaction.settings,
        }
    }

    fn set_busy(&mut self, is_busy: bool) {
        match self {
            Self::Own(own) => own.is_busy = is_busy,
            Self::Wrapped(wrapped) => wrapped.transaction.set_busy(is_busy),
            Self::Transaction(transaction) => transaction.set_busy(is_busy),
        }
    }

    fn connection(&mut self) -> &mut Connection<D> {
        match self {
            Self::Own(own) => own.connection.connection(),
            Self::Wrapped(wrapped) => wrapped.transaction.raw(),
            Self::Transaction(transaction) => transaction.raw(),
        }
    }
}

impl<D: Dialect> Drop for OwnConnection<D> {
    fn drop(&mut self) {
        if self.is_busy {
            self.connection.set_broken();
        }
    }
}
