//! Defines [`SqlStatements`], which run in a transaction of a database.

use std::future::Future;

use restwright_core::Problem;
use restwright_resource::{StoreError, Transaction};
use sea_query::{QueryStatementWriter, Value as SqlValue};

use crate::driver::{Connection, Database, SqlRow};
use crate::transactions::SqlTransaction;

/// Runs custom statements in the [`Transaction`] of a [`SqlStore`](crate::SqlStore).
///
/// Each method fails if the transaction is on another kind of database. [`Hooks::check`](restwright_resource::Hooks::check) rejects hooks for another database
/// while the Api is built.
///
/// ```
/// use restwright_core::{Problem, Result};
/// use restwright_resource::{HookContext, Hooks, Resource};
/// use restwright_sql::SqlStatements;
/// use sea_query::{Alias, Query};
///
/// struct Outbox;
///
/// impl<R: Resource> Hooks<R> for Outbox {
///     async fn after_create(&self, context: &mut HookContext<'_>, _: &R) -> Result<()> {
///         let insert = Query::insert().into_table(Alias::new("outbox")).columns([Alias::new("kind")]).values_panic([R::NAME.into()]).to_owned();
///         context.transaction().execute(&insert).await.map(drop).map_err(Problem::internal)
///     }
/// }
/// ```
pub trait SqlStatements {
    /// Runs a sea-query statement and returns the number of changed rows.
    ///
    /// # Errors
    /// The statement failed. The transaction can no longer commit.
    fn execute(
        &mut self,
        statement: &impl QueryStatementWriter,
    ) -> impl Future<Output = Result<u64, StoreError>> + Send;

    /// Runs a sea-query statement and returns its rows.
    ///
    /// # Errors
    /// The statement failed. The transaction can no longer commit.
    fn fetch(
        &mut self,
        statement: &impl QueryStatementWriter,
    ) -> impl Future<Output = Result<Vec<SqlRow>, StoreError>> + Send;

    /// Runs code on the transaction's connection of rusqlite, on a thread for blocking work, and returns what `run` returns. The code must not end the
    /// transaction, and leaves the pragmas, handlers and hooks of the connection as they are.
    ///
    /// # Errors
    /// `run` failed, so the transaction can no longer commit. Or the transaction is not a transaction of SQLite.
    #[cfg(feature = "sqlite")]
    fn with_sqlite<T: Send + 'static>(
        &mut self,
        run: impl FnOnce(&mut rusqlite::Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> impl Future<Output = Result<T, StoreError>> + Send;

    /// Returns the connection of sqlx to PostgreSQL. If a statement on it fails, the commit fails too.
    ///
    /// # Errors
    /// The transaction is not a transaction of PostgreSQL.
    #[cfg(feature = "postgres")]
    fn postgres(&mut self) -> Result<&mut sqlx::PgConnection, Problem>;
}

impl SqlStatements for Transaction {
    fn execute(
        &mut self,
        statement: &impl QueryStatementWriter,
    ) -> impl Future<Output = Result<u64, StoreError>> + Send {
        let built = build(self, statement);
        async move {
            let (transaction, built) = built?;
            Box::pin(transaction.execute(built)).await
        }
    }

    fn fetch(
        &mut self,
        statement: &impl QueryStatementWriter,
    ) -> impl Future<Output = Result<Vec<SqlRow>, StoreError>> + Send {
        let built = build(self, statement);
        async move {
            let (transaction, built) = built?;
            Box::pin(transaction.fetch(built)).await
        }
    }

    #[cfg(feature = "sqlite")]
    fn with_sqlite<T: Send + 'static>(
        &mut self,
        run: impl FnOnce(&mut rusqlite::Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> impl Future<Output = Result<T, StoreError>> + Send {
        let transaction = on(self, Database::Sqlite).map_err(StoreError::failed);
        async move { Box::pin(transaction?.with_sqlite(run)).await }
    }

    #[cfg(feature = "postgres")]
    fn postgres(&mut self) -> Result<&mut sqlx::PgConnection, Problem> {
        match on(self, Database::Postgres)?.hand_out() {
            Connection::Postgres(connection) => Ok(connection),
            #[cfg(feature = "sqlite")]
            Connection::Sqlite(_) => Err(not_on(Database::Postgres)),
        }
    }
}

/// Returns a transaction if it is on a database.
fn on(transaction: &mut Transaction, database: Database) -> Result<&mut SqlTransaction, Problem> {
    let transaction = transaction.get::<SqlTransaction>().ok();
    transaction.filter(|transaction| transaction.settings.dialect.database == database).ok_or_else(|| not_on(database))
}

/// Returns the error of a connection to another database.
fn not_on(database: Database) -> Problem {
    let name = database.name();
    Problem::internal(format!(
        "the transaction is not on {name}; use a store on {name}, and reject other stores with `Hooks::check` when the Api is built"
    ))
}

/// Builds a statement for the database of a transaction.
fn build<'t>(
    transaction: &'t mut Transaction,
    statement: &impl QueryStatementWriter,
) -> Result<(&'t mut SqlTransaction, (String, Vec<SqlValue>)), StoreError> {
    if transaction.peek::<SqlTransaction>().is_none() {
        return Err(StoreError::failed(format!(
            "{transaction:?} runs no SQL; use the transaction of a store of restwright-sql"
        )));
    }
    let transaction = transaction.get::<SqlTransaction>()?;
    let built = transaction.settings.dialect.build(statement);
    Ok((transaction, built))
}
