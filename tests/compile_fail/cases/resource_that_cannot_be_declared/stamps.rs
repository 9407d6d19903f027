use restwright::prelude::*;
use serde::Serialize;

#[derive(Clone, Serialize, Resource)]
#[resource(path = "/things")]
struct Text {
    #[property(id)]
    id: String,
}

type Alias<T> = Option<T>;

#[derive(Clone, Serialize, Resource)]
#[resource(path = "/things")]
struct Times {
    #[property(id)]
    id: i64,
    #[property(created_at)]
    created_at: String,
    #[property(version)]
    version: String,
    #[property(scope)]
    team: Alias<String>,
}

fn main() {}
