use restwright::prelude::*;
use serde::Deserialize;

#[derive(Deserialize, Schema)]
struct Pet {
    name: String,
}

#[derive(Part)]
struct WithBody {
    #[query]
    area: String,
    #[body]
    pet: Pet,
}

#[derive(Part)]
enum Either {
    This,
}

#[derive(Request)]
struct CreatePet {
    with_body: WithBody,
    either: Either,
}

fn main() {}
