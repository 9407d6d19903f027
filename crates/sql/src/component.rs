//! The store as a component, which an Api starts and stops.

use restwright_core::{Component, ComponentError};

use crate::dialect::Dialect;
use crate::store::DatabaseStore;

impl<D: Dialect> Component for DatabaseStore<D> {
    fn name(&self) -> &str {
        D::NAME
    }

    async fn start(&self) -> Result<(), ComponentError> {
        if self.shared.settings.migrates {
            self.run_migration().await?;
        }
        self.ready().await
    }

    async fn ready(&self) -> Result<(), ComponentError> {
        Ok(())
    }

    async fn stop(&self) {
        self.shared.connections.close().await;
    }
}
