//! Animals: a whole resource from one derive, including its schemas and endpoints.

use jiff::Timestamp;
use jiff::civil::Date;
use restwright::prelude::*;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// An animal that lives in a shelter.
#[derive(Clone, Serialize, Deserialize, Resource)]
#[resource(path = "/animals", tag = "Animals")]
pub struct Animal {
    /// Set by the server. Newer identifiers are greater.
    #[property(id)]
    id: Uuid,
    /// The name of the animal.
    #[property(min_length = 1, max_length = 100, filter(eq, contains), sort)]
    name: String,
    /// The species of the animal.
    #[property(filter(eq, in))]
    species: AnimalSpecies,
    /// The weight in kilograms, if known.
    #[property(minimum = 0, filter(gt, lt), exclude(list))]
    weight_kg: Option<f64>,
    /// The date of birth, if known.
    born_on: Option<Date>,
    /// Tags that describe the animal.
    #[serde(default)]
    #[property(max_items = 10, items(min_length = 1, max_length = 30))]
    tags: Vec<String>,
    /// The time when the animal was registered.
    #[property(created_at, sort(default = desc))]
    created_at: Timestamp,
    /// The time of the last change.
    #[property(updated_at)]
    updated_at: Timestamp,
    /// The version number, which is also the `ETag`.
    #[property(version)]
    version: i64,
}

/// The species that the shelter accepts.
#[derive(Clone, Serialize, Deserialize, Schema)]
#[serde(rename_all = "lowercase")]
pub enum AnimalSpecies {
    Bird,
    Cat,
    Dog,
}
