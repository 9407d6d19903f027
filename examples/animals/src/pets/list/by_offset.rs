//! `GET /pets/by-offset`

use std::sync::Arc;

use restwright::prelude::*;

use super::{PetFilters, PetSort};
use crate::pets::{Pet, PetRepository};

/// Pets after an offset.
#[derive(Request)]
pub struct ListPetsByOffsetRequest {
    filters: PetFilters,
    sort: SortBag<PetSort>,
    offset: Offset,
}

/// Pets after an offset.
pub struct ListPetsByOffset {
    pets: Arc<PetRepository>,
}

impl ListPetsByOffset {
    /// A controller over these pets.
    #[must_use]
    pub fn new(pets: Arc<PetRepository>) -> Self {
        Self { pets }
    }
}

impl Controller for ListPetsByOffset {
    type Request = ListPetsByOffsetRequest;
    type Response = OffsetResponse<Pet>;

    fn route(&self) -> Route {
        Route::get("/by-offset").summary("List pets by offset")
    }

    async fn handle(&self, request: ListPetsByOffsetRequest) -> Result<OffsetResponse<Pet>> {
        let ListPetsByOffsetRequest { filters, sort, offset } = request;
        Ok(offset.respond(self.pets.list(&filters, &sort, &offset)))
    }
}
