use restwright::Schema;
use serde::Deserialize;

#[derive(Clone, Deserialize, Schema)]
#[schema(changes)]
enum Species {
    Cat,
}

#[derive(Clone, Deserialize, Schema)]
#[schema(changes)]
struct Age(u8);

#[derive(Clone, Deserialize, Schema)]
#[schema(changes)]
struct Page<T> {
    items: Vec<T>,
}

#[derive(Clone, Deserialize, Schema)]
#[schema(changes(title = "Owners"))]
struct Owner {
    name: String,
}

#[derive(Clone, Deserialize, Schema)]
#[schema(as = String)]
struct Kennel {
    row: u8,
    place: u8,
}

fn main() {}
