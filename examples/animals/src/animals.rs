//! Animals: the whole resource, from its shapes to its endpoints, by one derive.

use jiff::Timestamp;
use jiff::civil::Date;
use restwright::prelude::*;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// An animal that lives in a shelter.
#[derive(Clone, Serialize, Deserialize, Resource)]
#[resource(path = "/animals", tag = "Animals")]
pub struct Animal {
    /// Given by the server; later ones are greater.
    #[property(id)]
    id: Uuid,
    /// The name that it is called by.
    #[property(min_length = 1, max_length = 100, filter(eq, contains), sort)]
    name: String,
    /// The species of the animal.
    #[property(filter(eq, in))]
    species: AnimalSpecies,
    /// Its weight in kilograms, if it was weighed.
    #[property(minimum = 0, filter(gt, lt), exclude(list))]
    weight_kg: Option<f64>,
    /// The day on which it was born, if it is known.
    born_on: Option<Date>,
    /// Words by which it is described.
    #[serde(default)]
    #[property(max_items = 10, items(min_length = 1, max_length = 30))]
    tags: Vec<String>,
    /// The time at which it was registered.
    #[property(created_at, sort(default = desc))]
    created_at: Timestamp,
    /// The time of the last change.
    #[property(updated_at)]
    updated_at: Timestamp,
    /// The number of the state, which is its entity tag as well.
    #[property(version)]
    version: i64,
}

/// The species that the shelter takes.
#[derive(Clone, Serialize, Deserialize, Schema)]
#[serde(rename_all = "lowercase")]
pub enum AnimalSpecies {
    Bird,
    Cat,
    Dog,
}
