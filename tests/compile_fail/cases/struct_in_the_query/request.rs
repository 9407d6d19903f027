use restwright::prelude::*;

struct Area {
    south: f64,
    north: f64,
}

#[derive(Request)]
struct ListPets {
    #[query]
    area: Area,
}

fn main() {}
