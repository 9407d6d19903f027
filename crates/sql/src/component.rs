//! The store as a component, which an Api starts and stops.

use restwright_core::{Component, ComponentError};

use crate::connections::Access;
use crate::dialect::Dialect;
use crate::store::DatabaseStore;

impl<D: Dialect> Component for DatabaseStore<D> {
    fn name(&self) -> &str {
        D::NAME
    }

    async fn start(&self) -> Result<(), ComponentError> {
        // It stays open, also when the database is in its memory.
        drop(self.shared.connections.acquire(Access::Write).await?);
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
