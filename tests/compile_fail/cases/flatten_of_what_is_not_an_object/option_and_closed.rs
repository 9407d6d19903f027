use restwright::Schema;
use serde::Deserialize;

#[derive(Deserialize, Schema)]
struct Address {
    street: String,
}

#[derive(Deserialize, Schema)]
struct Owner {
    #[serde(flatten)]
    address: Option<Address>,
}

#[derive(Schema)]
#[serde(deny_unknown_fields)]
struct Shelter {
    #[serde(flatten)]
    address: Address,
}

#[derive(Schema)]
struct Constrained {
    #[serde(flatten)]
    #[property(min_properties = 1)]
    address: Address,
}

fn main() {}
