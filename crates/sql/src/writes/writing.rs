//! Runs the work of a write in a transaction.

use restwright_resource::{Statement, StoreError};

use crate::connections::Access;
use crate::store::SqlStore;
use crate::transactions::{Lease, SqlTransaction, begin_for_update_sql, begin_sql};

/// The transaction that a write begins if its statement has none.
#[derive(Clone, Copy)]
pub(crate) enum Needs {
    /// No transaction, because the write is one statement.
    OneStatement,
    /// A transaction.
    Transaction,
    /// A transaction in which each query sees all changes that were committed before the query.
    LockingTransaction,
}

impl SqlStore {
    /// Runs the work of a write on one connection, in the transaction of the statement or in a new transaction, and commits the new
    /// transaction. After an error, nothing has changed.
    pub(crate) async fn writing<T>(
        &self,
        statement: &mut Statement<'_>,
        needs: Needs,
        work: impl AsyncFnOnce(&mut Lease<'_>) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let mut own = self.own_transaction(statement, needs).await?;
        let transaction = match &mut own {
            Some(own) => Some(own),
            None => SqlTransaction::of(statement).await?,
        };
        let connections = &self.shared.connections;
        let mut lease = match transaction {
            None => Lease::of_change(connections, self.parameters()?).await?,
            transaction => self.lease(connections, Access::Write, transaction).await?,
        };
        let written = work(&mut lease).await?;
        lease.finish().await?;
        if let Some(own) = own {
            self.commit_own(own).await?;
        }
        Ok(written)
    }

    /// Begins the transaction that a write needs. Returns `None` if the statement already has a transaction, which then begins if necessary.
    async fn own_transaction(
        &self,
        statement: &mut Statement<'_>,
        needs: Needs,
    ) -> Result<Option<SqlTransaction>, StoreError> {
        if let Needs::OneStatement = needs {
            return Ok(None);
        }
        if let Some(transaction) = SqlTransaction::of(statement).await? {
            transaction.check_store(self.id())?;
            return transaction.begin_if_needed().await.map(|()| None);
        }
        let settings = &self.shared.settings;
        let begin = match needs {
            Needs::LockingTransaction => begin_for_update_sql(settings),
            _ => begin_sql(settings, ""),
        };
        self.begin_by(begin).await.map(Some)
    }
}
