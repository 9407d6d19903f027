//! The endpoints of a resource over a `MemoryStore`, on both sides.

pub(crate) mod by_hand;
pub(crate) mod declared;
mod list_by_hand;

use jiff::Timestamp;
use restwright::prelude::*;
use restwright::resource::{MemoryStore, Repository, Statement};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// An animal in the shelter, the entity of both sides.
#[derive(Clone, Serialize, Resource)]
#[resource(path = "/animals", pagination = page(default = 20, max = 100))]
pub(crate) struct Animal {
    #[property(id)]
    id: Uuid,
    #[property(min_length = 1, max_length = 100, filter(eq, contains), sort)]
    name: String,
    #[property(filter(eq, in))]
    species: Species,
    #[property(minimum = 0.0, maximum = 10_000.0, filter(gte, lt), sort)]
    weight_kg: Option<f64>,
    #[property(max_items = 10, items(min_length = 1, max_length = 30))]
    tags: Vec<String>,
    vaccinated: bool,
    #[property(created_at, sort(default = desc))]
    created_at: Timestamp,
    #[property(updated_at)]
    updated_at: Timestamp,
}

#[derive(Clone, Copy, Deserialize, Serialize, Schema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Species {
    Dog,
    Cat,
    Bird,
    Fish,
    Horse,
}

const ANIMALS: u32 = 1000;

/// Returns a store of 1,000 animals, 300 of which a list of them finds.
fn store() -> MemoryStore {
    let (store, definition) = (MemoryStore::new(), Animal::definition());
    let species = [Species::Dog, Species::Bird, Species::Cat, Species::Horse];
    for number in 0..ANIMALS {
        let animal = Animal {
            id: Uuid::nil(),
            name: format!("Animal {number}"),
            species: species[number as usize % species.len()],
            weight_kg: (number % 10 > 0).then_some(f64::from(number) / 100.0),
            tags: vec!["calm".to_owned(), "house-trained".to_owned()],
            vaccinated: number % 2 == 0,
            created_at: Timestamp::UNIX_EPOCH,
            updated_at: Timestamp::UNIX_EPOCH,
        };
        let inserted = store.insert(Statement::new(&definition), animal);
        futures_util::FutureExt::now_or_never(inserted).expect("memory is at once").expect("the animal is valid");
    }
    store
}
