//! Defines [`StorePart`], the parts of a store that report their readiness separately.

use restwright_core::{Component, ComponentError};

use crate::connections::Access;
use crate::dialect::Dialect;
use crate::store::DatabaseStore;

/// A part of a store that reports its readiness separately. `/readyz?verbose` lists each part.
///
/// The component of the store, such as `PostgreSQL`, reports its reads. The other parts are the components `PostgreSQL writes` and `PostgreSQL
/// replica`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StorePart {
    /// All reads from the database.
    Reads,
    /// All writes to the database. Writes fail on a PostgreSQL standby or read-only server. If writes are required, the start fails on a read-only
    /// SQLite file.
    Writes,
    /// All reads from the replica. This part exists only if [`DatabaseStore::read_from`] sets a replica.
    Replica,
}

/// A component that reports the readiness of one part of a store.
pub(crate) struct PartComponent<D: Dialect> {
    store: DatabaseStore<D>,
    part: StorePart,
    name: String,
}

impl<D: Dialect> PartComponent<D> {
    /// Returns the components that report the readiness of writes and of the replica, if the store has these parts.
    pub(crate) fn all(store: &DatabaseStore<D>) -> Vec<Self> {
        let component = |part, name| Self { store: store.clone(), part, name: format!("{} {name}", D::NAME) };
        let writes = D::IS_WRITABLE.map(|_| component(StorePart::Writes, "writes"));
        let replica = store.shared.replica.as_ref().map(|_| component(StorePart::Replica, "replica"));
        writes.into_iter().chain(replica).collect()
    }
}

impl<D: Dialect> Component for PartComponent<D> {
    fn name(&self) -> &str {
        &self.name
    }

    async fn ready(&self) -> Result<(), ComponentError> {
        let shared = &self.store.shared;
        match (self.part, &shared.replica) {
            (StorePart::Writes, _) => {
                let Some(sql) = D::IS_WRITABLE else { return Ok(()) };
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
