use restwright::prelude::*;
use serde::Serialize;

#[derive(Clone, Serialize, Resource)]
#[resource(path = "/things")]
struct Generic<T> {
    #[property(id)]
    id: T,
}

#[derive(Clone, Serialize, Resource)]
#[resource(path = "/things")]
enum Enum {
    One,
}

#[derive(Clone, Serialize, Resource)]
#[resource(path = "/things")]
struct Tuple(i64);

fn main() {}
