//! `POST /pets`

use std::sync::Arc;

use restwright::prelude::*;

use super::{NewPet, PetRepository, PetView};

/// A pet to keep.
#[derive(Request)]
pub struct CreatePetRequest {
    #[body]
    pet: NewPet,
}

/// The pet is kept.
#[derive(Response)]
#[response(status = 201)]
pub struct PetCreated {
    /// Where the pet is from now on.
    #[header("Location")]
    location: String,
    #[body]
    pet: PetView,
}

/// Keeps a new pet.
pub struct CreatePet {
    pets: Arc<PetRepository>,
}

impl CreatePet {
    /// A controller over these pets.
    #[must_use]
    pub fn new(pets: Arc<PetRepository>) -> Self {
        Self { pets }
    }
}

impl Controller for CreatePet {
    type Request = CreatePetRequest;
    type Response = PetCreated;

    fn route(&self) -> Route {
        Route::post("").summary("Keep a new pet")
    }

    async fn handle(&self, request: CreatePetRequest) -> Result<PetCreated> {
        let pet = self.pets.create(request.pet);
        Ok(PetCreated { location: format!("/pets/{}", pet.id), pet: PetView { data: pet } })
    }
}
