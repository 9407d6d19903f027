//! The types of a pet.

use jiff::civil::Date;
use restwright::prelude::*;
use serde::{Deserialize, Serialize};

/// A pet of the town.
#[derive(Debug, Clone, Serialize, Schema, Record)]
pub struct Pet {
    /// Set by the server, starting at 1.
    #[property(minimum = 1)]
    pub id: i64,
    #[serde(flatten)]
    pub details: NewPet,
}

/// The properties of a pet that clients set.
#[derive(Debug, Clone, Serialize, Deserialize, Schema, Record)]
#[schema(changes(name = "PetChanges", derive(Debug)))]
pub struct NewPet {
    /// The name of the pet.
    #[property(min_length = 1, max_length = 100, example = "Mia")]
    pub name: String,
    /// The species of the pet.
    pub species: Species,
    /// The date of birth, if known.
    pub birth_date: Option<Date>,
    /// The weight in kilograms.
    #[property(exclusive_minimum = 0, maximum = 10_000, example = 4.2)]
    pub weight_kg: f64,
    /// Tags that describe the pet.
    #[serde(default)]
    #[property(max_items = 10, items(min_length = 1, max_length = 30))]
    #[record(skip)]
    pub tags: Vec<String>,
    /// The owner of the pet.
    #[record(skip)]
    pub owner: Owner,
    /// The vaccinations of the pet.
    #[serde(default)]
    #[property(max_items = 50)]
    #[record(skip)]
    pub vaccinations: Vec<Vaccination>,
}

/// A species of pets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Schema)]
#[serde(rename_all = "lowercase")]
pub enum Species {
    Dog,
    Cat,
    Bird,
    Fish,
    Horse,
}

/// The owner of a pet.
#[derive(Debug, Clone, Serialize, Deserialize, Schema)]
pub struct Owner {
    /// The full name.
    #[property(min_length = 1, max_length = 100)]
    pub name: String,
    /// The email address.
    #[property(format = "email", example = "ada@example.com")]
    pub email: String,
    /// The address of the owner.
    pub address: Address,
}

/// A postal address.
#[derive(Debug, Clone, Serialize, Deserialize, Schema)]
pub struct Address {
    /// The street and house number.
    #[property(min_length = 1, max_length = 200)]
    pub street: String,
    /// The town.
    #[property(min_length = 1, max_length = 100)]
    pub city: String,
    /// The postal code, five digits.
    #[property(pattern = "^[0-9]{5}$", example = "10115")]
    pub zip: String,
}

/// A vaccination of a pet.
#[derive(Debug, Clone, Serialize, Deserialize, Schema)]
pub struct Vaccination {
    /// The name of the vaccine.
    #[property(min_length = 1, max_length = 100)]
    pub vaccine: String,
    /// The date of the vaccination.
    pub date: Date,
}
