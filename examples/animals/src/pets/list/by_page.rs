//! `GET /pets`

use std::sync::Arc;

use restwright::prelude::*;

use super::{PetFilters, PetSort};
use crate::pets::{Pet, PetRepository};

/// A page of pets.
#[derive(Request)]
pub struct ListPetsRequest {
    filters: PetFilters,
    sort: SortBag<PetSort>,
    page: Page,
}

/// A page of pets.
pub struct ListPets {
    pets: Arc<PetRepository>,
}

impl ListPets {
    /// A controller over these pets.
    #[must_use]
    pub fn new(pets: Arc<PetRepository>) -> Self {
        Self { pets }
    }
}

impl Controller for ListPets {
    type Request = ListPetsRequest;
    type Response = PageResponse<Pet>;

    fn route(&self) -> Route {
        Route::get("").summary("List pets by page")
    }

    async fn handle(&self, request: ListPetsRequest) -> Result<PageResponse<Pet>> {
        let ListPetsRequest { filters, sort, page } = request;
        Ok(page.respond(self.pets.list(&filters, &sort, &page)))
    }
}
