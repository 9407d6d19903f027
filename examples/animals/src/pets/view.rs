//! `GET /pets/{id}`

use std::sync::Arc;

use restwright::prelude::*;
use serde::Serialize;

use super::{Pet, PetError, PetRepository};

/// A pet by its id.
#[derive(Request)]
pub struct ViewPetRequest {
    /// The id that the server gave.
    #[segment]
    #[property(minimum = 1)]
    id: i64,
}

/// The pet.
#[derive(Serialize, Schema, Response)]
#[response(status = 200)]
pub struct PetView {
    pub data: Pet,
}

/// Shows a pet.
pub struct ViewPet {
    pets: Arc<PetRepository>,
}

impl ViewPet {
    /// A controller over these pets.
    #[must_use]
    pub fn new(pets: Arc<PetRepository>) -> Self {
        Self { pets }
    }
}

impl Controller for ViewPet {
    type Request = ViewPetRequest;
    type Response = PetView;

    fn route(&self) -> Route {
        Route::get("/{id}").summary("Show a pet").problems::<PetError>()
    }

    async fn handle(&self, request: ViewPetRequest) -> Result<PetView> {
        Ok(PetView { data: self.pets.view(request.id)? })
    }
}
