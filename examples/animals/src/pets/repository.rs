//! Pets in memory.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use restwright::list::{ListSlice, Pagination, SortBag, apply};

use super::{NewPet, Pet, PetChanges, PetError, PetFilters, PetSort};

/// The pets by their ids; ids are never given twice.
#[derive(Debug, Default)]
pub struct PetRepository {
    pets: Mutex<Pets>,
}

#[derive(Debug, Default)]
struct Pets {
    by_id: BTreeMap<i64, Pet>,
    last_id: i64,
}

impl PetRepository {
    /// Creates a pet, with an id of its own.
    pub fn create(&self, details: NewPet) -> Pet {
        let mut pets = self.lock();
        pets.last_id += 1;
        let pet = Pet { id: pets.last_id, details };
        pets.by_id.insert(pet.id, pet.clone());
        pet
    }

    /// Returns a page of the pets that match.
    pub fn list(&self, filters: &PetFilters, sort: &SortBag<PetSort>, pagination: &impl Pagination) -> ListSlice<Pet> {
        apply(filters, sort, pagination, self.lock().by_id.values()).cloned()
    }

    /// Returns the pet with this id.
    ///
    /// # Errors
    /// There is none with this id.
    pub fn view(&self, id: i64) -> Result<Pet, PetError> {
        self.lock().by_id.get(&id).cloned().ok_or(PetError::NotFound { id })
    }

    /// Changes a pet and returns the result.
    ///
    /// # Errors
    /// There is none with this id, or the changed pet breaks a rule.
    pub fn update(&self, id: i64, changes: PetChanges) -> restwright::Result<Pet> {
        let mut pets = self.lock();
        let pet = pets.by_id.get_mut(&id).ok_or(PetError::NotFound { id })?;
        pet.details = changes.apply(&pet.details)?;
        Ok(pet.clone())
    }

    /// Deletes a pet.
    ///
    /// # Errors
    /// There is none with this id.
    pub fn delete(&self, id: i64) -> Result<(), PetError> {
        self.lock().by_id.remove(&id).map(|_| ()).ok_or(PetError::NotFound { id })
    }

    /// No operation leaves the pets half-changed, so that a panic elsewhere does not spoil them.
    fn lock(&self) -> MutexGuard<'_, Pets> {
        self.pets.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
