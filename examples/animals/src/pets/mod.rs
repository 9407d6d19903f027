//! Pets: seven handwritten endpoints and a repository in memory.

mod endpoints;
mod error;
mod list;
mod pet;
mod repository;
mod seed;

pub use error::PetError;
pub use list::{PetFilters, PetSort};
pub use pet::{Address, NewPet, Owner, Pet, PetChanges, Species, Vaccination};
pub use repository::PetRepository;

use std::sync::Arc;

use restwright::operation::TagObject;
use restwright::{ApiBuilder, Module};

use restwright::prelude::*;

use crate::authentication::Authentication;

/// A module with the endpoints of pets. Reading, creating, updating and deleting have separate scopes.
pub struct Pets<'a> {
    repository: Arc<PetRepository>,
    authentication: &'a Authentication,
}

impl<'a> Pets<'a> {
    /// Creates the module with `count` sample pets, for callers that `authentication` accepts.
    #[must_use]
    pub fn seeded(count: usize, authentication: &'a Authentication) -> Self {
        let repository = PetRepository::default();
        seed::pets(count).for_each(|pet| drop(repository.create(pet)));
        Self { repository: Arc::new(repository), authentication }
    }
}

impl Module for Pets<'_> {
    fn register(&self, api: ApiBuilder) -> ApiBuilder {
        let pets = || self.repository.clone();
        let may = |scope| Group::new("").access(self.authentication.may(scope));
        let read = may("pets:read")
            .controller(list::by_page(pets()))
            .controller(list::by_offset(pets()))
            .controller(list::by_cursor(pets()))
            .controller(endpoints::view(pets()));
        let pets = Group::new("/pets")
            .tag(TagObject::new("Pets").description("Pets, with handwritten endpoints."))
            .group(read)
            .group(may("pets:create").controller(endpoints::create(pets())))
            .group(may("pets:update").controller(endpoints::update(pets())))
            .group(may("pets:delete").controller(endpoints::delete(pets())));
        api.group(pets)
    }
}
