//! Defines [`AnyTransaction`], a transaction on SQLite or PostgreSQL.

use std::fmt;

use restwright_resource::StoreError;
use sea_query::QueryStatementWriter;

use crate::any_row::SqlRow;
use crate::dialect::{Postgres, Sqlite};
use crate::transaction::SqlTransaction;

/// A transaction of a [`SqlStore`](crate::SqlStore). It runs sea-query statements.
pub struct AnyTransaction(pub(crate) TransactionKind);

pub(crate) enum TransactionKind {
    Sqlite(SqlTransaction<Sqlite>),
    Postgres(SqlTransaction<Postgres>),
}

impl AnyTransaction {
    /// Runs a sea-query statement and returns the number of changed rows.
    ///
    /// # Errors
    /// The statement failed. The transaction can no longer commit.
    pub async fn execute(&mut self, statement: &impl QueryStatementWriter) -> Result<u64, StoreError> {
        match &mut self.0 {
            TransactionKind::Sqlite(transaction) => transaction.execute(statement).await,
            TransactionKind::Postgres(transaction) => transaction.execute(statement).await,
        }
    }

    /// Runs a sea-query statement and returns its rows.
    ///
    /// # Errors
    /// The statement failed. The transaction can no longer commit.
    pub async fn fetch(&mut self, statement: &impl QueryStatementWriter) -> Result<Vec<SqlRow>, StoreError> {
        match &mut self.0 {
            TransactionKind::Sqlite(transaction) => {
                Ok(transaction.fetch(statement).await?.into_iter().map(SqlRow::sqlite).collect())
            }
            TransactionKind::Postgres(transaction) => {
                Ok(transaction.fetch(statement).await?.into_iter().map(SqlRow::postgres).collect())
            }
        }
    }

    pub(crate) fn of_sqlite(&mut self) -> Option<&mut SqlTransaction<Sqlite>> {
        if let TransactionKind::Sqlite(transaction) = &mut self.0 { Some(transaction) } else { None }
    }

    pub(crate) fn of_postgres(&mut self) -> Option<&mut SqlTransaction<Postgres>> {
        if let TransactionKind::Postgres(transaction) = &mut self.0 { Some(transaction) } else { None }
    }
}

impl fmt::Debug for AnyTransaction {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("AnyTransaction").finish_non_exhaustive()
    }
}
