use restwright::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Clone, Serialize, Resource)]
#[resource(path = "/things")]
struct Thing {
    #[property(id)]
    id: i64,
    details: Details,
}

#[derive(Clone, Serialize, Deserialize)]
struct Details {
    note: String,
}

fn main() {}
