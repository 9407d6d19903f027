//! Defines [`SqlStatements`], which run in a transaction of a database.

use std::future::Future;

use restwright_core::Problem;
use restwright_resource::{StoreError, StoreFuture, Transaction};
use sea_query::{QueryStatementWriter, Value as SqlValue};

use crate::any_row::{IntoSqlRow, SqlRow};
#[cfg(feature = "postgres")]
use crate::dialect::Postgres;
#[cfg(feature = "sqlite")]
use crate::dialect::Sqlite;
use crate::dialect::{Driver, DriverRow};
use crate::transaction::SqlTransaction;

/// Runs custom statements in the [`Transaction`] of a [`SqliteStore`](crate::SqliteStore), a [`PostgresStore`](crate::PostgresStore) or a
/// [`SqlStore`](crate::SqlStore).
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

    /// Returns the connection of sqlx to SQLite. If a statement on it fails, the commit may fail too.
    ///
    /// # Errors
    /// The transaction is not a transaction of SQLite.
    #[cfg(feature = "sqlite")]
    fn sqlite(&mut self) -> Result<&mut sqlx::SqliteConnection, Problem>;

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
        async move { erased(self)?.execute_built(built).await }
    }

    fn fetch(
        &mut self,
        statement: &impl QueryStatementWriter,
    ) -> impl Future<Output = Result<Vec<SqlRow>, StoreError>> + Send {
        let built = build(self, statement);
        async move { erased(self)?.fetch_built(built).await }
    }

    #[cfg(feature = "sqlite")]
    fn sqlite(&mut self) -> Result<&mut sqlx::SqliteConnection, Problem> {
        match self.get::<SqlTransaction<Sqlite>>() {
            Ok(transaction) => Ok(transaction.hand_out()),
            Err(_) => Err(not_on(Sqlite::NAME)),
        }
    }

    #[cfg(feature = "postgres")]
    fn postgres(&mut self) -> Result<&mut sqlx::PgConnection, Problem> {
        match self.get::<SqlTransaction<Postgres>>() {
            Ok(transaction) => Ok(transaction.hand_out()),
            Err(_) => Err(not_on(Postgres::NAME)),
        }
    }
}

/// Returns the error of a connection to another database.
fn not_on(name: &str) -> Problem {
    Problem::internal(format!(
        "the transaction is not on {name}; use a store on {name}, and reject other stores with `Hooks::check` when the Api is built"
    ))
}

/// The SQL of a statement and its bound values.
type Built = (String, Vec<SqlValue>);

/// A [`SqlTransaction`] on any database.
trait ErasedTransaction: Send {
    fn execute_built(&mut self, built: Built) -> StoreFuture<'_, u64>;
    fn fetch_built(&mut self, built: Built) -> StoreFuture<'_, Vec<SqlRow>>;
}

impl<D: Driver> ErasedTransaction for SqlTransaction<D>
where
    DriverRow<D>: IntoSqlRow,
{
    fn execute_built(&mut self, built: Built) -> StoreFuture<'_, u64> {
        Box::pin(self.execute(built))
    }

    fn fetch_built(&mut self, built: Built) -> StoreFuture<'_, Vec<SqlRow>> {
        Box::pin(async { Ok(self.fetch(built).await?.into_iter().map(IntoSqlRow::into_sql_row).collect()) })
    }
}

/// Builds a statement for the database of a transaction.
fn build(transaction: &Transaction, statement: &impl QueryStatementWriter) -> Built {
    #[cfg(feature = "sqlite")]
    if transaction.peek::<SqlTransaction<Sqlite>>().is_some() {
        return Sqlite::build(statement);
    }
    #[cfg(feature = "postgres")]
    if transaction.peek::<SqlTransaction<Postgres>>().is_some() {
        return Postgres::build(statement);
    }
    Built::default()
}

fn erased(transaction: &mut Transaction) -> Result<&mut dyn ErasedTransaction, StoreError> {
    #[cfg(feature = "sqlite")]
    if transaction.peek::<SqlTransaction<Sqlite>>().is_some() {
        return Ok(transaction.get::<SqlTransaction<Sqlite>>()?);
    }
    #[cfg(feature = "postgres")]
    if transaction.peek::<SqlTransaction<Postgres>>().is_some() {
        return Ok(transaction.get::<SqlTransaction<Postgres>>()?);
    }
    Err(StoreError::failed(format!("{transaction:?} runs no SQL; use the transaction of a store of restwright-sql")))
}
