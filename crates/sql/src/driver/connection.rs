//! Defines [`Connection`], a connection to either database.

use std::sync::Arc;

use sea_query::Value as SqlValue;
#[cfg(feature = "postgres")]
use sqlx::PgConnection;
#[cfg(feature = "sqlite")]
use sqlx::SqliteConnection;
use sqlx::{AssertSqlSafe, Database as Driver, SqlSafeStr};
use sqlx_core::transaction::TransactionManager;

use super::database::Database;
#[cfg(feature = "postgres")]
use super::postgres;
use super::row::SqlRow;
#[cfg(feature = "sqlite")]
use super::sqlite;

/// A connection to either database, borrowed from its pool.
pub(crate) enum Connection<'c> {
    #[cfg(feature = "sqlite")]
    Sqlite(&'c mut SqliteConnection),
    #[cfg(feature = "postgres")]
    Postgres(&'c mut PgConnection),
}

/// The transaction manager of sqlx. It counts the transactions of a connection, so the application can begin nested transactions.
type Manager<D> = <D as Driver>::TransactionManager;

/// Runs the same code on the connection of either database. `$driver` is the type of the database in sqlx.
macro_rules! on {
    ($connection:expr, |$raw:ident: $driver:ident| $code:expr) => {
        match $connection {
            #[cfg(feature = "sqlite")]
            Connection::Sqlite($raw) => {
                type $driver = sqlx::Sqlite;
                $code
            }
            #[cfg(feature = "postgres")]
            Connection::Postgres($raw) => {
                type $driver = sqlx::Postgres;
                $code
            }
        }
    };
}

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
    ) -> Result<u64, sqlx::Error> {
        match self {
            #[cfg(feature = "sqlite")]
            Self::Sqlite(raw) => sqlite::execute(raw, sql, values, is_kept).await,
            #[cfg(feature = "postgres")]
            Self::Postgres(raw) => postgres::execute(raw, sql, values, is_kept).await,
        }
    }

    /// Runs a statement and returns its rows.
    pub(crate) async fn fetch(
        &mut self,
        sql: Arc<str>,
        values: Vec<SqlValue>,
        is_kept: bool,
    ) -> Result<Vec<SqlRow>, sqlx::Error> {
        match self {
            #[cfg(feature = "sqlite")]
            Self::Sqlite(raw) => {
                let rows = sqlite::fetch(raw, sql, values, is_kept).await?;
                Ok(rows.into_iter().map(SqlRow::of_sqlite).collect())
            }
            #[cfg(feature = "postgres")]
            Self::Postgres(raw) => {
                let rows = postgres::fetch(raw, sql, values, is_kept).await?;
                Ok(rows.into_iter().map(SqlRow::of_postgres).collect())
            }
        }
    }

    /// Runs SQL without parameters. It may contain several statements.
    pub(crate) async fn run(&mut self, sql: Arc<str>) -> Result<(), sqlx::Error> {
        on!(self, |raw: _Driver| Box::pin(sqlx::raw_sql(AssertSqlSafe(sql)).execute(&mut **raw)).await.map(drop))
    }

    /// Begins a transaction that sqlx counts, with the statements in `sql`.
    pub(crate) async fn begin(&mut self, sql: Arc<str>) -> Result<(), sqlx::Error> {
        let sql = Some(AssertSqlSafe(sql).into_sql_str());
        on!(self, |raw: Driver| Box::pin(Manager::<Driver>::begin(raw, sql)).await)
    }

    /// Commits the innermost transaction that sqlx counts.
    pub(crate) async fn commit(&mut self) -> Result<(), sqlx::Error> {
        on!(self, |raw: Driver| Box::pin(Manager::<Driver>::commit(raw)).await)
    }

    /// Rolls back the innermost transaction that sqlx counts.
    pub(crate) async fn rollback(&mut self) -> Result<(), sqlx::Error> {
        on!(self, |raw: Driver| Box::pin(Manager::<Driver>::rollback(raw)).await)
    }

    /// Rolls back the innermost transaction before the next statement of the connection.
    pub(crate) fn start_rollback(&mut self) {
        on!(self, |raw: Driver| Manager::<Driver>::start_rollback(raw));
    }

    /// Returns the number of transactions that are open, as sqlx counts them.
    pub(crate) fn depth(&self) -> usize {
        on!(self, |raw: Driver| Manager::<Driver>::get_transaction_depth(raw))
    }
}
