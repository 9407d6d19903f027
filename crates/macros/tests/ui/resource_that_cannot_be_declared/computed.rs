use restwright::auth::Identity;
use restwright::prelude::*;
use serde::Serialize;

#[derive(Clone, Serialize, Resource)]
#[resource(path = "/animals", computed(full_name: String))]
struct Animal {
    #[property(id)]
    id: i64,
}

#[derive(Clone, Serialize, Resource)]
#[resource(path = "/plants", computed(age, sort))]
struct Plant {
    #[property(id)]
    id: i64,
}

#[derive(Clone, Serialize, Resource)]
#[resource(path = "/stones", computed(#[property(write = "all")] weight: i64))]
struct Stone {
    #[property(id)]
    id: i64,
    #[property(filter(has))]
    name: String,
    #[property(filter(has, eq))]
    labels: Vec<String>,
}

impl Stone {
    fn weight(&self, _: &Identity) -> i64 {
        self.id
    }
}

fn main() {}
