//! Defines [`Connection`], a connection to either database.

use std::sync::Arc;

use sea_query::Value as SqlValue;
#[cfg(feature = "postgres")]
use sqlx::{AssertSqlSafe, PgConnection, SqlSafeStr};
#[cfg(feature = "postgres")]
use sqlx_core::transaction::TransactionManager;

use super::database::Database;
use super::driver_error::DriverError;
#[cfg(feature = "postgres")]
use super::postgres;
use super::row::SqlRow;
#[cfg(feature = "sqlite")]
use super::sqlite;
#[cfg(feature = "sqlite")]
use super::sqlite_connection::SqliteConnection;

/// A connection to either database, borrowed from its pool.
pub(crate) enum Connection<'c> {
    #[cfg(feature = "sqlite")]
    Sqlite(&'c mut SqliteConnection),
    #[cfg(feature = "postgres")]
    Postgres(&'c mut PgConnection),
}

/// The transaction manager of sqlx. It counts the transactions of a connection, so the application can begin nested transactions.
#[cfg(feature = "postgres")]
type Manager = <sqlx::Postgres as sqlx::Database>::TransactionManager;

impl Connection<'_> {
    pub(crate) fn database(&self) -> Database {
        match self {
            #[cfg(feature = "sqlite")]
            Self::Sqlite(_) => Database::Sqlite,
            #[cfg(feature = "postgres")]
            Self::Postgres(_) => Database::Postgres,
        }
    }

    /// Runs a statement and returns the number of changed rows. The connection keeps the prepared statement if `is_kept` is `true`.
    pub(crate) async fn execute(
        &mut self,
        sql: Arc<str>,
        values: Vec<SqlValue>,
        is_kept: bool,
    ) -> Result<u64, DriverError> {
        match self {
            #[cfg(feature = "sqlite")]
            Self::Sqlite(raw) => sqlite::execute(raw, sql, values, is_kept).await,
            #[cfg(feature = "postgres")]
            Self::Postgres(raw) => Ok(postgres::execute(raw, sql, values, is_kept).await?),
        }
    }

    /// Runs a statement and returns its rows.
    pub(crate) async fn fetch(
        &mut self,
        sql: Arc<str>,
        values: Vec<SqlValue>,
        is_kept: bool,
    ) -> Result<Vec<SqlRow>, DriverError> {
        match self {
            #[cfg(feature = "sqlite")]
            Self::Sqlite(raw) => sqlite::fetch(raw, sql, values, is_kept).await,
            #[cfg(feature = "postgres")]
            Self::Postgres(raw) => {
                let rows = postgres::fetch(raw, sql, values, is_kept).await?;
                Ok(rows.into_iter().map(SqlRow::of_postgres).collect())
            }
        }
    }

    /// Runs SQL without parameters. It may contain several statements.
    pub(crate) async fn run(&mut self, sql: Arc<str>) -> Result<(), DriverError> {
        match self {
            #[cfg(feature = "sqlite")]
            Self::Sqlite(raw) => raw.with(move |raw| raw.execute_batch(&sql)).await,
            #[cfg(feature = "postgres")]
            Self::Postgres(raw) => {
                Ok(Box::pin(sqlx::raw_sql(AssertSqlSafe(sql)).execute(&mut **raw)).await.map(drop)?)
            }
        }
    }

    /// Begins a transaction with the statements in `sql`. On PostgreSQL, sqlx counts it.
    pub(crate) async fn begin(&mut self, sql: Arc<str>) -> Result<(), DriverError> {
        match self {
            #[cfg(feature = "sqlite")]
            Self::Sqlite(_) => self.run(sql).await,
            #[cfg(feature = "postgres")]
            Self::Postgres(raw) => Ok(Box::pin(Manager::begin(raw, Some(AssertSqlSafe(sql).into_sql_str()))).await?),
        }
    }

    /// Commits the innermost transaction.
    pub(crate) async fn commit(&mut self) -> Result<(), DriverError> {
        match self {
            #[cfg(feature = "sqlite")]
            Self::Sqlite(_) => self.run("COMMIT".into()).await,
            #[cfg(feature = "postgres")]
            Self::Postgres(raw) => Ok(Box::pin(Manager::commit(raw)).await?),
        }
    }

    /// Rolls back the innermost transaction.
    pub(crate) async fn rollback(&mut self) -> Result<(), DriverError> {
        match self {
            #[cfg(feature = "sqlite")]
            Self::Sqlite(_) => self.run("ROLLBACK".into()).await,
            #[cfg(feature = "postgres")]
            Self::Postgres(raw) => Ok(Box::pin(Manager::rollback(raw)).await?),
        }
    }
}

/// Rolls back the innermost transaction before the next statement of the connection.
#[cfg(feature = "postgres")]
pub(crate) fn start_rollback(connection: &mut PgConnection) {
    Manager::start_rollback(connection);
}

/// Returns the number of transactions that are open, as sqlx counts them.
#[cfg(feature = "postgres")]
pub(crate) fn depth(connection: &PgConnection) -> usize {
    Manager::get_transaction_depth(connection)
}
