use restwright::auth::Identity;
use restwright::prelude::*;
use serde::Serialize;

#[derive(Clone, Serialize, Resource)]
#[resource(computed(full_name: String, initials: String, age: u32))]
struct Customer {
    #[property(id)]
    id: i64,
    name: String,
}

impl Customer {
    fn initials(&self) -> String {
        self.name.chars().take(1).collect()
    }

    fn age(&self, _: &Identity) -> String {
        self.name.clone()
    }
}

#[derive(Clone, Serialize, Resource)]
#[resource(computed)]
struct Nothing {
    #[property(id)]
    id: i64,
}

fn main() {}
