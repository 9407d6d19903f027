//! The store as a component, which an Api starts and stops.

use restwright_core::{Component, ComponentError};

use crate::dialect::Dialect;
use crate::store::DatabaseStore;

impl<D: Dialect> Component for DatabaseStore<D> {
    fn name(&self) -> &str {
        D::NAME
    }

    async fn start(&self) -> Result<(), ComponentError> {
        self.shared.connections.create().await?;
        // It stays open, also when the database is in its memory.
        self.shared.connections.start().await?;
        self.check_schema().await
    }

    async fn ready(&self) -> Result<(), ComponentError> {
        self.shared.connections.check_workers().await?;
        match self.unfolded_table().await? {
            None => Ok(()),
            Some(table) => Err(format!(
                "rows of `{table}` have no folded texts, so that searches would not find them; call `fold_texts` on the store"
            )
            .into()),
        }
    }

    async fn stop(&self) {
        self.shared.connections.close().await;
    }
}
