//! Pets: four controllers with a request and a response each, over a repository in memory.

mod create;
mod delete;
mod error;
mod pet;
mod repository;
mod update;
mod view;

pub use create::{CreatePet, CreatePetRequest, PetCreated};
pub use delete::{DeletePet, DeletePetRequest, PetDeleted};
pub use error::PetError;
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

impl Module for Pets {
    fn register(&self, api: &mut ApiBuilder) {
        let pets = &self.repository;
        api.group(
            Group::new("/pets")
                .tag("Pets")
                .public()
                .controller(CreatePet::new(pets.clone()))
                .controller(ViewPet::new(pets.clone()))
                .controller(UpdatePet::new(pets.clone()))
                .controller(DeletePet::new(pets.clone())),
        );
    }
}
