use restwright::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Clone, Serialize, Deserialize, Resource)]
#[resource(path = "/things")]
struct Value {
    #[property(id)]
    id: i64,
    #[property(unique = true)]
    name: String,
    #[property(unique(label))]
    label: String,
}

#[derive(Clone, Serialize, Deserialize, Resource)]
#[resource(path = "/others", unique = "name")]
struct OnTheStruct {
    #[property(id)]
    id: i64,
    name: String,
}

fn main() {}
