//! Runs the statements of a write on one connection.

use restwright_resource::{Statement, StoreError};

use crate::connections::Access;
use crate::dialect::Dialect;
use crate::lease::Lease;
use crate::store::DatabaseStore;
use crate::transaction::{SqlTransaction, begin_for_update_sql, begin_sql};

/// How the statements of a write take effect together, if the write has no transaction yet.
#[derive(Clone, Copy)]
pub(crate) enum Needs {
    /// The write is one statement.
    OneStatement,
    /// A transaction.
    Transaction,
    /// A transaction in which each query sees all changes that were committed before the query.
    LockingTransaction,
}

impl<D: Dialect> DatabaseStore<D> {
    /// Runs the work of a write on one connection, in the transaction of the statement or in a transaction of its own, and commits its own
    /// transaction. After an error, nothing has changed.
    pub(crate) async fn writing<T>(
        &self,
        statement: &mut Statement<'_>,
        needs: Needs,
        work: impl AsyncFnOnce(&mut Lease<'_, D>) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let mut own = self.own_transaction(statement, needs).await?;
        let transaction = match &mut own {
            Some(own) => Some(own),
            None => statement.transaction()?,
        };
        let mut lease = Lease::new(self, &self.shared.connections, Access::Write, transaction).await?;
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
    ) -> Result<Option<SqlTransaction<D>>, StoreError> {
        let settings = &self.shared.settings;
        let begin = match needs {
            Needs::OneStatement => return Ok(None),
            Needs::Transaction => begin_sql::<D>(settings, ""),
            Needs::LockingTransaction => begin_for_update_sql::<D>(settings),
        };
        match statement.transaction::<SqlTransaction<D>>()? {
            Some(transaction) => transaction.begin_if_needed().await.map(|()| None),
            None => self.begin_by(begin).await.map(Some),
        }
    }
}
