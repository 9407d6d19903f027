use restwright::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Schema)]
struct Pet {
    name: &'static str,
}

#[derive(Request)]
struct AddPet {
    #[body]
    pet: Pet,
}

fn main() {}
