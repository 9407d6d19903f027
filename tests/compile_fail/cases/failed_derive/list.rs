use restwright::list::{Filter, Page, SortBag, apply};
use restwright::prelude::*;

#[derive(Filters)]
struct PetFilters {
    #[filter(equals)]
    name: Filter<String>,
}

#[derive(Clone, Copy, Sort)]
enum PetSort {
    Name,
}

#[derive(Record)]
struct Pet {
    #[record(skipp)]
    name: String,
    id: i64,
}

#[derive(Request)]
struct ListPets {
    filters: PetFilters,
    sort: SortBag<PetSort>,
    page: Page,
}

fn list(request: ListPets, pets: Vec<Pet>) {
    let _ = apply(&request.filters, &request.sort, &request.page, pets);
}

fn main() {}
