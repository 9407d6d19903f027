use restwright::prelude::*;
use serde::{Deserialize, Serialize};

/// A pet.
#[derive(Clone, Serialize, Deserialize, Schema, Resource)]
#[resource(path = "/pets")]
struct Pet {
    #[property(id)]
    id: i64,
    name: String,
}

fn main() {}
