//! The list declared in restwright.

use std::sync::LazyLock;

use restwright::list::{Cursor, CursorResponse, Filter, LinkHeader, ListSlice, Page, PageResponse, SortBag};
use restwright::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Request)]
pub(crate) struct ListPetsRequest {
    filters: PetFilters,
    sort: SortBag<PetSort>,
    page: Page,
}

#[derive(Request)]
pub(crate) struct ListByCursorRequest {
    filters: PetFilters,
    sort: SortBag<PetSort>,
    page: Cursor,
}

#[derive(Filters)]
pub(crate) struct PetFilters {
    #[filter(eq, contains)]
    name: Filter<String>,
    #[filter(eq, in)]
    species: Filter<Species>,
    #[filter(gte, lt)]
    weight_kg: Filter<f64>,
}

#[derive(Clone, Copy, Sort)]
pub(crate) enum PetSort {
    Name,
    Species,
    WeightKg,
    #[sort(id)]
    Id,
}

#[derive(Clone, Copy, Deserialize, Serialize, Schema)]
#[serde(rename_all = "lowercase")]
#[schema(name = "ListedSpecies")]
pub(crate) enum Species {
    Dog,
    Cat,
    Bird,
    Fish,
    Horse,
}

#[derive(Serialize, Schema, Record)]
#[schema(name = "ListedPet")]
pub(crate) struct Pet {
    id: u64,
    name: String,
    species: Species,
    weight_kg: f64,
}

static PETS: LazyLock<Vec<Pet>> = LazyLock::new(|| {
    let species = [Species::Dog, Species::Cat];
    let pet = |id| Pet { id, name: format!("Pet {id}"), species: species[id as usize % 2], weight_kg: 2.5 + id as f64 };
    (1..=1000).map(pet).collect()
});

pub(crate) struct ListPets {
    pub(crate) path: &'static str,
    pub(crate) links: LinkHeader,
}

impl Controller for ListPets {
    type Request = ListPetsRequest;
    type Response = PageResponse<&'static Pet>;

    fn route(&self) -> Route {
        Route::get(self.path).id(self.path).public().with(self.links)
    }

    async fn handle(&self, request: ListPetsRequest) -> Result<PageResponse<&'static Pet>> {
        let ListPetsRequest { filters, sort, page } = request;
        // The items are precomputed for what is asked.
        std::hint::black_box((filters.name, filters.species, filters.weight_kg, sort.iter().len()));
        let items = PETS.iter().skip(page.offset() as usize);
        Ok(page.respond(ListSlice::new(&page, items).counted(PETS.len() as u64)))
    }
}

pub(crate) struct ListPetsByCursor;

impl Controller for ListPetsByCursor {
    type Request = ListByCursorRequest;
    type Response = CursorResponse<&'static Pet>;

    fn route(&self) -> Route {
        Route::get("/pets/by-cursor").public()
    }

    async fn handle(&self, request: ListByCursorRequest) -> Result<CursorResponse<&'static Pet>> {
        let ListByCursorRequest { filters, sort, page } = request;
        std::hint::black_box((filters.name, filters.species, filters.weight_kg, sort.iter().len()));
        Ok(page.respond(ListSlice::new(&page, PETS.iter())))
    }
}
