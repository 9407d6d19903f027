//! `GET /pets` in three strategies of pagination, over the same filters and orders.

mod by_cursor;
mod by_offset;
mod by_page;

pub use by_cursor::{ListPetsByCursor, ListPetsByCursorRequest};
pub use by_offset::{ListPetsByOffset, ListPetsByOffsetRequest};
pub use by_page::{ListPets, ListPetsRequest};

use jiff::civil::Date;
use restwright::prelude::*;

use super::Species;

/// Which pets are wanted.
#[derive(Filters)]
pub struct PetFilters {
    /// What the pet is called by.
    #[filter(eq, contains, starts_with)]
    name: Filter<String>,
    /// What the pet is.
    #[filter(eq, in)]
    species: Filter<Species>,
    /// Its weight in kilograms.
    #[filter(eq, gt, gte, lt, lte, between)]
    weight_kg: Filter<f64>,
    /// The day on which it was born.
    #[filter(gt, gte, lt, lte, between, is_null)]
    birth_date: Filter<Date>,
}

/// What pets are sorted by.
#[derive(Clone, Copy, Sort)]
pub enum PetSort {
    Name,
    Species,
    WeightKg,
    BirthDate,
    #[sort(id)]
    Id,
}
