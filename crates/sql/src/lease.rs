//! [`Lease`]: the connection of one statement, or of the transaction that it is a part of.

use std::sync::Arc;

use restwright_resource::StoreError;
use sea_query::Value as SqlValue;
use tokio::sync::OwnedSemaphorePermit;

use crate::connections::{Access, Connections, Held};
use crate::dialect::{Connection, Dialect, Row};
use crate::failure_kind::{FailureKind, advised, store_error};
use crate::settings::Settings;
use crate::table::Table;
use crate::transaction::SqlTransaction;

/// The connection of a statement.
pub(crate) enum Lease<'t, D: Dialect> {
    Own(OwnConnection<D>),
    Transaction(&'t mut SqlTransaction<D>),
}

/// A connection of the pool, which is closed if a statement was dropped while it ran.
pub(crate) struct OwnConnection<D: Dialect> {
    connection: Held<D>,
    settings: Settings,
    is_busy: bool,
    /// A transaction was begun around the statements, for a proxy that hands connections out by transaction.
    is_wrapped: bool,
    /// The place among the lists, which is free after the connection.
    _place: Option<OwnedSemaphorePermit>,
}

/// The failure of a statement: its meaning, and the error.
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
    pub(crate) async fn new(
        connections: &Connections<D>,
        settings: &Settings,
        access: Access,
        transaction: Option<&'t mut SqlTransaction<D>>,
    ) -> Result<Self, StoreError> {
        if let Some(transaction) = transaction {
            transaction.check()?;
            return Ok(Self::Transaction(transaction));
        }
        let (connection, place) = match access {
            Access::List => connections.acquire_list().await.map(|(connection, place)| (connection, Some(place)))?,
            _ => (connections.acquire(access).await?, None),
        };
        let settings = settings.clone();
        let mut own = OwnConnection { connection, settings, is_busy: false, is_wrapped: false, _place: place };
        if own.settings.is_pooled {
            own.run(crate::transaction::begin_sql::<D>(&own.settings)).await?;
            own.is_wrapped = true;
        }
        Ok(Self::Own(own))
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

    /// Ends the use of the connection, with a commit if a transaction was begun for the statements.
    pub(crate) async fn finish(self) -> Result<(), StoreError> {
        match self {
            Self::Own(mut own) if own.is_wrapped => {
                own.run("COMMIT".into()).await?;
                own.is_wrapped = false;
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn finished<T>(
        &mut self,
        table: Option<&Table>,
        ran: Result<Result<T, sqlx::Error>, tokio::time::error::Elapsed>,
    ) -> Result<T, Failure> {
        let Ok(ran) = ran else {
            // The connection is still at it, and is closed.
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
                // Whatever it is, the connection is not used again.
                self.set_busy(true);
            }
            Failure { kind, error: advised::<D>(error) }
        })
    }

    fn settings(&self) -> &Settings {
        match self {
            Self::Own(own) => &own.settings,
            Self::Transaction(transaction) => &transaction.settings,
        }
    }

    fn set_busy(&mut self, is_busy: bool) {
        match self {
            Self::Own(own) => own.is_busy = is_busy,
            Self::Transaction(transaction) => transaction.set_busy(is_busy),
        }
    }

    fn connection(&mut self) -> &mut Connection<D> {
        match self {
            Self::Own(own) => own.connection.connection(),
            Self::Transaction(transaction) => transaction.raw(),
        }
    }
}

impl<D: Dialect> OwnConnection<D> {
    async fn run(&mut self, sql: Arc<str>) -> Result<(), StoreError> {
        self.is_busy = true;
        let ran =
            tokio::time::timeout(self.settings.statement_timeout, D::run(self.connection.connection(), sql)).await;
        let ran = ran.map_err(StoreError::unavailable)?;
        self.is_busy = ran.is_err();
        ran.map_err(|error| store_error(&D::failure(&error), error))
    }
}

impl<D: Dialect> Drop for OwnConnection<D> {
    fn drop(&mut self) {
        if self.is_busy || self.is_wrapped {
            self.connection.set_broken();
        }
    }
}
