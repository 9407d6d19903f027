//! Defines [`ListPlaces`], the number of connections that lists may use.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use restwright_resource::StoreError;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Limits lists to three quarters of the connections, but allows at least one. The lists of one entity definition leave one of these places to
/// other lists, because a locked table or a slow list could otherwise stop them.
pub(crate) struct ListPlaces {
    all: Arc<Semaphore>,
    /// The places of each entity definition.
    of_each: usize,
    entities: Mutex<BTreeMap<String, Arc<Semaphore>>>,
}

/// Allows a list to use a connection until it is dropped.
pub(crate) struct ListPlace {
    _of_entity: OwnedSemaphorePermit,
    _of_all: OwnedSemaphorePermit,
}

impl ListPlaces {
    pub(crate) fn new(connections: u32) -> Arc<Self> {
        let places = (u64::from(connections) * 3 / 4).max(1);
        let places = usize::try_from(places).unwrap_or(Semaphore::MAX_PERMITS).min(Semaphore::MAX_PERMITS);
        Arc::new(Self {
            all: Arc::new(Semaphore::new(places)),
            of_each: (places - 1).max(1),
            entities: Mutex::default(),
        })
    }

    fn of_entity(&self, entity: &str) -> Arc<Semaphore> {
        let mut entities = self.entities.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(places) = entities.get(entity) {
            return Arc::clone(places);
        }
        let places = Arc::new(Semaphore::new(self.of_each));
        entities.insert(entity.to_owned(), Arc::clone(&places));
        places
    }

    /// Returns a place for a list of an entity definition, if one is free.
    pub(crate) fn try_take(&self, entity: &str) -> Option<ListPlace> {
        let of_entity = self.of_entity(entity).try_acquire_owned().ok()?;
        let of_all = Arc::clone(&self.all).try_acquire_owned().ok()?;
        Some(ListPlace { _of_entity: of_entity, _of_all: of_all })
    }

    /// Waits for a place for a list of an entity definition.
    pub(crate) async fn take(&self, entity: &str) -> Result<ListPlace, StoreError> {
        let of_entity = self.of_entity(entity).acquire_owned().await.map_err(StoreError::unavailable)?;
        let of_all = Arc::clone(&self.all).acquire_owned().await.map_err(StoreError::unavailable)?;
        Ok(ListPlace { _of_entity: of_entity, _of_all: of_all })
    }
}
