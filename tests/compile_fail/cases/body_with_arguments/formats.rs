use restwright::prelude::*;
use serde::Deserialize;

#[derive(Deserialize, Schema)]
struct Pet {
    #[property(max_size = 10)]
    name: String,
}

#[derive(Request)]
struct CreatePet {
    #[body(json, xml)]
    pet: Pet,
}

#[derive(Request)]
struct ReplacePet {
    #[body(json, json)]
    pet: Pet,
}

#[derive(Request)]
struct ChangePet {
    #[body()]
    pet: Pet,
}

fn main() {}
