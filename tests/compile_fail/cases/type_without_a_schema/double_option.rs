use restwright::prelude::*;

#[derive(Schema)]
struct Pet {
    name: Option<Option<String>>,
}

#[derive(Request)]
struct ListPets {
    #[query]
    name: Option<Option<String>>,
}

fn main() {}
