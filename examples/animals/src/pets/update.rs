//! `PATCH /pets/{id}`

use std::sync::Arc;

use restwright::prelude::*;
use serde::Serialize;

use super::{Pet, PetChanges, PetError, PetRepository};

/// What changes about a pet.
#[derive(Request)]
pub struct UpdatePetRequest {
    /// The id that the server gave.
    #[segment]
    #[property(minimum = 1)]
    id: i64,
    #[body]
    changes: PetChanges,
}

/// The pet as it is now.
#[derive(Serialize, Schema, Response)]
#[response(status = 200)]
pub struct PetUpdated {
    data: Pet,
}

/// Changes a pet.
pub struct UpdatePet {
    pets: Arc<PetRepository>,
}

impl UpdatePet {
    /// A controller over these pets.
    #[must_use]
    pub fn new(pets: Arc<PetRepository>) -> Self {
        Self { pets }
    }
}

impl Controller for UpdatePet {
    type Request = UpdatePetRequest;
    type Response = PetUpdated;

    fn route(&self) -> Route {
        Route::patch("/{id}").summary("Change a pet").problems::<PetError>()
    }

    async fn handle(&self, request: UpdatePetRequest) -> Result<PetUpdated> {
        Ok(PetUpdated { data: self.pets.update(request.id, request.changes)? })
    }
}
