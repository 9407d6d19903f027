//! Sets the parameters of PostgreSQL that depend on the caller of a statement.

use std::sync::Arc;

use restwright_core::auth::Identity;
use restwright_resource::StoreError;

use super::SqlStore;
use crate::connections::{Access, Connections};
use crate::settings::{Parameters, with_parameters};
use crate::transactions::{Lease, SqlTransaction};

impl SqlStore {
    /// Returns a copy of the store that sets the database parameters of `caller` in each transaction.
    #[must_use]
    pub fn for_caller(&self, caller: &Identity) -> Self {
        let parameters = self.shared.settings.caller_parameters.as_ref().map(|parameters| parameters.of(caller));
        Self { shared: self.shared.clone(), parameters }
    }

    /// Returns the database parameters that this copy of the store sets in each transaction. Returns `None` if the store sets no
    /// parameters.
    ///
    /// # Errors
    /// The store sets parameters, but this copy has no caller.
    pub(crate) fn parameters(&self) -> Result<Option<&Parameters>, StoreError> {
        if self.parameters.is_none() && self.shared.settings.caller_parameters.is_some() {
            return Err(StoreError::failed(
                "`per_transaction` of the store requires a caller, but this statement has none; call `store.for_caller(&identity)` and use the store \
                 that it returns",
            ));
        }
        Ok(self.parameters.as_ref())
    }

    /// Begins a transaction with the SQL in `begin`, and sets the database parameters of the store's caller.
    pub(crate) async fn begin_by(&self, begin: Arc<str>) -> Result<SqlTransaction, StoreError> {
        let begin = with_parameters(begin, self.parameters()?)?;
        SqlTransaction::begin(&self.shared.connections, self.id(), begin).await
    }

    /// Returns a lease on the transaction, or on a new connection if the statement has no transaction. The database parameters of the
    /// store's caller apply to the new connection.
    pub(crate) async fn lease<'t>(
        &self,
        connections: &Connections,
        access: Access<'_>,
        transaction: Option<&'t mut SqlTransaction>,
    ) -> Result<Lease<'t>, StoreError> {
        if let Some(transaction) = transaction {
            transaction.check()?;
            transaction.check_store(self.id())?;
            return Ok(Lease::within(transaction));
        }
        Lease::own(connections, access, self.parameters()?).await
    }
}
