//! `GET /pets/by-cursor`

use std::sync::Arc;

use restwright::prelude::*;

use super::{PetFilters, PetSort};
use crate::pets::{Pet, PetRepository};

/// Pets next to a cursor.
#[derive(Request)]
pub struct ListPetsByCursorRequest {
    filters: PetFilters,
    sort: SortBag<PetSort>,
    cursor: Cursor,
}

/// Pets next to a cursor.
pub struct ListPetsByCursor {
    pets: Arc<PetRepository>,
}

impl ListPetsByCursor {
    /// A controller over these pets.
    #[must_use]
    pub fn new(pets: Arc<PetRepository>) -> Self {
        Self { pets }
    }
}

impl Controller for ListPetsByCursor {
    type Request = ListPetsByCursorRequest;
    type Response = CursorResponse<Pet>;

    fn route(&self) -> Route {
        Route::get("/by-cursor").summary("List pets by cursor")
    }

    async fn handle(&self, request: ListPetsByCursorRequest) -> Result<CursorResponse<Pet>> {
        let ListPetsByCursorRequest { filters, sort, cursor } = request;
        Ok(cursor.respond(self.pets.list(&filters, &sort, &cursor)))
    }
}
