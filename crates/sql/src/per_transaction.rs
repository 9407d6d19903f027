//! `per_transaction`: parameters of PostgreSQL that each transaction sets for its caller.

use std::fmt;
use std::sync::Arc;

use restwright_core::auth::Identity;
use restwright_resource::{Statement, StoreError};

use crate::connections::Access;
use crate::dialect::Dialect;
use crate::lease::Lease;
use crate::store::DatabaseStore;
use crate::transaction::SqlTransaction;

/// The parameters of a caller with their values.
pub(crate) type Parameters = Arc<[(&'static str, String)]>;

/// The function that returns the parameters of a caller.
#[derive(Clone)]
pub(crate) struct CallerParameters(Arc<dyn Fn(&Identity) -> Parameters + Send + Sync>);

impl CallerParameters {
    pub(crate) fn new<P>(parameters: impl Fn(&Identity) -> P + Send + Sync + 'static) -> Self
    where
        P: IntoIterator<Item = (&'static str, String)>,
    {
        Self(Arc::new(move |caller| parameters(caller).into_iter().collect()))
    }
}

impl fmt::Debug for CallerParameters {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("CallerParameters")
    }
}

impl<D: Dialect> DatabaseStore<D> {
    pub(crate) fn with_caller_parameters(self, parameters: CallerParameters) -> Self {
        self.set(|plan| plan.settings.caller_parameters = Some(parameters))
    }

    /// Returns the handle for a caller.
    pub(crate) fn handle_for(&self, caller: &Identity) -> Self {
        let parameters = self.shared.settings.caller_parameters.as_ref().map(|parameters| (parameters.0)(caller));
        Self { shared: Arc::clone(&self.shared), parameters }
    }

    /// Returns the parameters of the caller; `None` if the store sets none.
    ///
    /// # Errors
    /// The store sets parameters, and the handle has no caller.
    pub(crate) fn parameters(&self) -> Result<Option<&Parameters>, StoreError> {
        if self.parameters.is_none() && self.shared.settings.caller_parameters.is_some() {
            return Err(StoreError::failed(
                "`per_transaction` of the store needs a caller, and this statement has none; call `store.for_caller(&identity)` and use the store \
                 that it returns",
            ));
        }
        Ok(self.parameters.as_ref())
    }

    /// Returns the connection of a statement.
    pub(crate) async fn lease<'t>(
        &self,
        access: Access,
        statement: &'t mut Statement<'_, Self>,
    ) -> Result<Lease<'t, D>, StoreError> {
        Lease::new(self, &self.shared.connections, access, statement.transaction()).await
    }

    /// Begins a transaction with this SQL, and sets the parameters of the caller.
    pub(crate) async fn begin_by(&self, begin: Arc<str>) -> Result<SqlTransaction<D>, StoreError> {
        let parameters = self.parameters()?;
        let mut transaction =
            SqlTransaction::begin(&self.shared.connections, &self.shared.settings, self.id(), begin).await?;
        if let Some(parameters) = parameters {
            transaction.set_parameters(parameters).await?;
        }
        Ok(transaction)
    }
}
