//! The shapes of a pet.

use jiff::civil::Date;
use restwright::prelude::*;
use serde::{Deserialize, Serialize};

/// A pet of the town.
#[derive(Debug, Clone, Serialize, Schema, Record)]
pub struct Pet {
    /// Given by the server, from 1.
    #[property(minimum = 1)]
    pub id: i64,
    #[serde(flatten)]
    pub details: NewPet,
}

/// What a client says about a pet.
#[derive(Debug, Clone, Serialize, Deserialize, Schema, Record)]
#[schema(changes(name = "PetChanges", derive(Debug)))]
pub struct NewPet {
    /// What it is called by.
    #[property(min_length = 1, max_length = 100, example = "Mia")]
    pub name: String,
    /// What it is.
    pub species: Species,
    /// The day on which it was born, if anybody knows.
    pub birth_date: Option<Date>,
    /// Its weight in kilograms.
    #[property(exclusive_minimum = 0, maximum = 10_000, example = 4.2)]
    pub weight_kg: f64,
    /// Words to find it by.
    #[serde(default)]
    #[property(max_items = 10, items(min_length = 1, max_length = 30))]
    #[record(skip)]
    pub tags: Vec<String>,
    /// Whom it belongs to.
    #[record(skip)]
    pub owner: Owner,
    /// What it was vaccinated against.
    #[serde(default)]
    #[property(max_items = 50)]
    #[record(skip)]
    pub vaccinations: Vec<Vaccination>,
}

/// What a pet is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Schema)]
#[serde(rename_all = "lowercase")]
pub enum Species {
    Dog,
    Cat,
    Bird,
    Fish,
    Horse,
}

/// Whom a pet belongs to.
#[derive(Debug, Clone, Serialize, Deserialize, Schema)]
pub struct Owner {
    #[property(min_length = 1, max_length = 100)]
    pub name: String,
    #[property(format = "email", example = "ada@example.com")]
    pub email: String,
    pub address: Address,
}

/// Where somebody lives.
#[derive(Debug, Clone, Serialize, Deserialize, Schema)]
pub struct Address {
    #[property(min_length = 1, max_length = 200)]
    pub street: String,
    #[property(min_length = 1, max_length = 100)]
    pub city: String,
    /// Five digits.
    #[property(pattern = "^[0-9]{5}$", example = "10115")]
    pub zip: String,
}

/// A vaccination that was given.
#[derive(Debug, Clone, Serialize, Deserialize, Schema)]
pub struct Vaccination {
    /// Against what.
    #[property(min_length = 1, max_length = 100)]
    pub vaccine: String,
    /// When it was given.
    pub date: Date,
}
