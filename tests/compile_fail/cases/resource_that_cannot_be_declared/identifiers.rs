use restwright::prelude::*;
use serde::Serialize;

#[derive(Clone, Serialize, Resource)]
#[resource(path = "/things")]
struct NoIdentifier {
    id: i64,
}

#[derive(Clone, Serialize, Resource)]
#[resource(path = "/things")]
struct TwoIdentifiers {
    #[property(id)]
    id: i64,
    #[property(id)]
    number: i64,
}

#[derive(Clone, Serialize, Resource)]
#[resource(path = "/things")]
struct Hidden {
    #[property(id, exclude(list))]
    id: i64,
}

#[derive(Clone, Serialize, Resource)]
#[resource(path = "/things")]
struct Unique {
    #[property(id, unique)]
    id: i64,
}

#[derive(Clone, Serialize, Resource)]
#[resource(path = "/things")]
struct Given {
    #[property(id(gven))]
    id: i64,
}

#[derive(Clone, Serialize, Resource)]
#[resource(path = "/things")]
struct Nullable {
    #[property(id)]
    id: Option<i64>,
}

fn main() {}
