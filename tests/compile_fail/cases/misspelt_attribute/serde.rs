use restwright::Schema;
use serde::Serialize;

#[derive(Serialize, Schema)]
struct Pet {
    #[serde(renam = "n")]
    name: String,
}

fn main() {}
