//! `DELETE /pets/{id}`

use std::sync::Arc;

use restwright::prelude::*;

use super::{PetError, PetRepository};

/// A pet by its id.
#[derive(Request)]
pub struct DeletePetRequest {
    /// The id that the server gave.
    #[segment]
    #[property(minimum = 1)]
    id: i64,
}

/// The pet is forgotten.
#[derive(Response)]
#[response(status = 204)]
pub struct PetDeleted;

/// Forgets a pet.
pub struct DeletePet {
    pets: Arc<PetRepository>,
}

impl DeletePet {
    /// A controller over these pets.
    #[must_use]
    pub fn new(pets: Arc<PetRepository>) -> Self {
        Self { pets }
    }
}

impl Controller for DeletePet {
    type Request = DeletePetRequest;
    type Response = PetDeleted;

    fn route(&self) -> Route {
        Route::delete("/{id}").summary("Forget a pet").problems::<PetError>()
    }

    async fn handle(&self, request: DeletePetRequest) -> Result<PetDeleted> {
        self.pets.delete(request.id)?;
        Ok(PetDeleted)
    }
}
