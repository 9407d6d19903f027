//! `GET /pets` with three kinds of pagination, and the same filters and orders.

use std::sync::Arc;

use jiff::civil::Date;
use restwright::list::{Cursor, Filter, Offset, Page, SortBag};
use restwright::prelude::*;

use super::{PetRepository, Species};

/// The filters of pets.
#[derive(Filters)]
pub struct PetFilters {
    /// The name of the pet.
    #[filter(eq, contains, starts_with)]
    name: Filter<String>,
    /// The species of the pet.
    #[filter(eq, in)]
    species: Filter<Species>,
    /// The weight in kilograms.
    #[filter(eq, gt, gte, lt, lte, between)]
    weight_kg: Filter<f64>,
    /// The date of birth.
    #[filter(gt, gte, lt, lte, between, is_null)]
    birth_date: Filter<Date>,
}

/// The fields that pets can be sorted by.
#[derive(Clone, Copy, Sort)]
pub enum PetSort {
    Name,
    Species,
    WeightKg,
    BirthDate,
    #[sort(id)]
    Id,
}

/// Returns a part of the list of pets.
#[derive(Request)]
struct ListPets<P: Part> {
    filters: PetFilters,
    sort: SortBag<PetSort>,
    page: P,
}

pub(super) fn by_page(pets: Arc<PetRepository>) -> impl Controller {
    let route = Route::get("").id("listPets").summary("List pets by page");
    route.handler(async move |it: ListPets<Page>| Ok(it.page.respond(pets.list(&it.filters, &it.sort, &it.page))))
}

pub(super) fn by_offset(pets: Arc<PetRepository>) -> impl Controller {
    let route = Route::get("/by-offset").id("listPetsByOffset").summary("List pets by offset");
    route.handler(async move |it: ListPets<Offset>| Ok(it.page.respond(pets.list(&it.filters, &it.sort, &it.page))))
}

pub(super) fn by_cursor(pets: Arc<PetRepository>) -> impl Controller {
    let route = Route::get("/by-cursor").id("listPetsByCursor").summary("List pets by cursor");
    route.handler(async move |it: ListPets<Cursor>| Ok(it.page.respond(pets.list(&it.filters, &it.sort, &it.page))))
}
