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

use crate::authentication::Authentication;

/// The endpoints of pets, each with a scope of its own.
pub struct Pets<'a> {
    repository: Arc<PetRepository>,
    authentication: &'a Authentication,
}

impl<'a> Pets<'a> {
    /// So many pets to begin with, for these callers.
    #[must_use]
    pub fn seeded(count: usize, authentication: &'a Authentication) -> Self {
        let pets = Self { repository: Arc::default(), authentication };
        for pet in seed::pets(count) {
            pets.repository.create(pet);
        }
        pets
    }
}

impl Module for Pets<'_> {
    fn register(&self, api: ApiBuilder) -> ApiBuilder {
        let pets = &self.repository;
        let may = |scope| Group::new("").access(self.authentication.may(scope));
        api.group(
            Group::new("/pets")
                .tag("Pets")
                .group(
                    may("pets:read")
                        .controller(ListPets::new(pets.clone()))
                        .controller(ListPetsByOffset::new(pets.clone()))
                        .controller(ListPetsByCursor::new(pets.clone()))
                        .controller(ViewPet::new(pets.clone())),
                )
                .group(may("pets:create").controller(CreatePet::new(pets.clone())))
                .group(may("pets:update").controller(UpdatePet::new(pets.clone())))
                .group(may("pets:delete").controller(DeletePet::new(pets.clone()))),
        )
    }
}
