//! [`PetRepository`]: the pets, in memory.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use restwright::list::{ListSlice, Pagination, SortBag, apply};

use super::{NewPet, Pet, PetChanges, PetError, PetFilters, PetSort};

/// The pets by their ids. Ids are never reused.
#[derive(Debug, Default)]
pub struct PetRepository {
    pets: Mutex<Pets>,
}

#[derive(Debug, Default)]
struct Pets {
    /// Shared with responses, so no pet is copied.
    by_id: BTreeMap<i64, Arc<Pet>>,
    last_id: i64,
}

impl PetRepository {
    /// Creates a pet with a new id.
    pub fn create(&self, details: NewPet) -> Arc<Pet> {
        let mut pets = self.lock();
        pets.last_id += 1;
        let pet = Arc::new(Pet { id: pets.last_id, details });
        pets.by_id.insert(pet.id, Arc::clone(&pet));
        pet
    }

    /// Returns a page of the pets that match the filters.
    pub fn list(
        &self,
        filters: &PetFilters,
        sort: &SortBag<PetSort>,
        pagination: &impl Pagination,
    ) -> ListSlice<Arc<Pet>> {
        apply(filters, sort, pagination, self.lock().by_id.values()).cloned()
    }

    /// Returns the pet with this id.
    ///
    /// # Errors
    /// There is none with this id.
    pub fn view(&self, id: i64) -> Result<Arc<Pet>, PetError> {
        self.lock().by_id.get(&id).cloned().ok_or(PetError::NotFound { id })
    }

    /// Changes a pet and returns the result.
    ///
    /// # Errors
    /// No pet has this id, or the changed pet is invalid.
    pub fn update(&self, id: i64, changes: PetChanges) -> restwright::Result<Arc<Pet>> {
        let mut pets = self.lock();
        let pet = pets.by_id.get_mut(&id).ok_or(PetError::NotFound { id })?;
        *pet = Arc::new(Pet { id, details: changes.apply(&pet.details)? });
        Ok(Arc::clone(pet))
    }

    /// Deletes a pet.
    ///
    /// # Errors
    /// There is none with this id.
    pub fn delete(&self, id: i64) -> Result<(), PetError> {
        self.lock().by_id.remove(&id).map(|_| ()).ok_or(PetError::NotFound { id })
    }

    /// Locks the pets. Ignores poisoning, because no operation leaves the pets half-changed.
    fn lock(&self) -> MutexGuard<'_, Pets> {
        self.pets.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
