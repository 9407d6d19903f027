//! Pets: seven controllers with a request and a response each, over a repository in memory.

mod create;
mod delete;
mod error;
mod list;
mod pet;
mod repository;
mod seed;
mod update;
mod view;

pub use create::{CreatePet, CreatePetRequest, PetCreated};
pub use delete::{DeletePet, DeletePetRequest, PetDeleted};
pub use error::PetError;
pub use list::{
    ListPets, ListPetsByCursor, ListPetsByCursorRequest, ListPetsByOffset, ListPetsByOffsetRequest, ListPetsRequest,
    PetFilters, PetSort,
};
pub use pet::{Address, NewPet, Owner, Pet, PetChanges, Species, Vaccination};
pub use repository::PetRepository;
pub use update::{PetUpdated, UpdatePet, UpdatePetRequest};
pub use view::{PetView, ViewPet, ViewPetRequest};

use std::sync::Arc;

use restwright::prelude::*;

/// The endpoints of pets.
#[derive(Default)]
pub struct Pets {
    repository: Arc<PetRepository>,
}

impl Pets {
    /// So many pets to begin with.
    #[must_use]
    pub fn seeded(count: usize) -> Self {
        let pets = Self::default();
        for pet in seed::pets(count) {
            pets.repository.create(pet);
        }
        pets
    }
}

impl Module for Pets {
    fn register(&self, api: &mut ApiBuilder) {
        let pets = &self.repository;
        api.group(
            Group::new("/pets")
                .tag("Pets")
                .public()
                .controller(ListPets::new(pets.clone()))
                .controller(ListPetsByOffset::new(pets.clone()))
                .controller(ListPetsByCursor::new(pets.clone()))
                .controller(CreatePet::new(pets.clone()))
                .controller(ViewPet::new(pets.clone()))
                .controller(UpdatePet::new(pets.clone()))
                .controller(DeletePet::new(pets.clone())),
        );
    }
}
