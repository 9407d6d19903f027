use restwright::prelude::*;
use serde::Deserialize;

#[derive(Deserialize)]
struct NewPet {
    name: String,
}

#[derive(Request)]
struct CreatePet {
    #[body]
    pet: NewPet,
}

fn main() {}
