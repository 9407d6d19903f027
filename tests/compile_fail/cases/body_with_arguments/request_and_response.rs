use restwright::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Deserialize, Serialize, Schema)]
struct Pet {
    name: String,
}

#[derive(Request)]
struct CreatePet {
    #[body(optional)]
    pet: Pet,
}

#[derive(Response)]
#[response(status = 201)]
struct Created {
    #[body("application/json")]
    pet: Pet,
}

fn main() {}
