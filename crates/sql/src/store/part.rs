//! Defines [`PartComponent`], which reports the readiness of one part of a store.

use restwright_core::{Component, ComponentError};

use crate::connections::Access;
use crate::settings::StorePart;
use crate::store::SqlStore;

/// A component that reports the readiness of one part of a store.
pub(crate) struct PartComponent {
    store: SqlStore,
    part: StorePart,
    name: String,
}

impl PartComponent {
    /// Returns the components that report the readiness of writes and of the replica, if the store has these parts.
    pub(crate) fn all(store: &SqlStore) -> Vec<Self> {
        let component =
            |part, name| Self { store: store.clone(), part, name: format!("{} {name}", store.dialect().name()) };
        let writes = store.dialect().is_writable.map(|_| component(StorePart::Writes, "writes"));
        let replica = store.shared.replica.as_ref().map(|_| component(StorePart::Replica, "replica"));
        writes.into_iter().chain(replica).collect()
    }
}

impl Component for PartComponent {
    fn name(&self) -> &str {
        &self.name
    }

    async fn ready(&self) -> Result<(), ComponentError> {
        let shared = &self.store.shared;
        match (self.part, &shared.replica) {
            (StorePart::Writes, _) => {
                let Some(sql) = self.store.dialect().is_writable else { return Ok(()) };
                if shared.check(&shared.connections, Access::Write, sql).await? {
                    Ok(())
                } else {
                    Err("the database does not accept writes, because it is a standby or read-only; connect to a primary".into())
                }
            }
            (StorePart::Replica, Some(replica)) => {
                replica.connections.check_workers().await?;
                Ok(shared.check(&replica.connections, Access::Read, "SELECT 1").await.map(drop)?)
            }
            _ => Ok(()),
        }
    }

    fn is_required(&self) -> bool {
        self.store.shared.settings.is_required(self.part)
    }
}
