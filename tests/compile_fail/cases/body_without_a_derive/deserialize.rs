use restwright::prelude::*;

#[derive(Schema)]
struct NewPet {
    name: String,
}

#[derive(Request)]
struct CreatePet {
    #[body]
    pet: NewPet,
}

fn main() {}
