use restwright::prelude::*;

#[derive(Schema)]
struct Pet {
    name: String,
}

#[derive(Schema, Response)]
#[response(status = 200)]
struct PetResponse {
    pet: String,
}

#[derive(Response)]
enum FindResponse {
    #[response(status = 200)]
    Found(Pet),
    #[response(status = 204)]
    Missing,
}

fn main() {}
