use restwright::prelude::*;
use serde::Serialize;

#[derive(Serialize, Resource)]
#[resource(path = "/things")]
struct Thing {
    #[property(id)]
    id: i64,
}

fn main() {}
