use restwright::prelude::*;

#[derive(Clone, Resource)]
#[resource(path = "/things")]
struct Thing {
    #[property(id)]
    id: i64,
}

fn main() {}
