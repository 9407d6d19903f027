use restwright::prelude::*;
use serde::Serialize;

#[derive(Clone, Serialize, Resource)]
#[resource(path = "/things")]
struct Filtered {
    #[property(id)]
    id: i64,
    #[property(filter(eq))]
    tags: Vec<String>,
}

fn main() {}
