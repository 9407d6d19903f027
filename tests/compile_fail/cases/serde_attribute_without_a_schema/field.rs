use restwright::Schema;

#[derive(Schema)]
struct Pet {
    #[serde(with = "module")]
    name: String,
    #[serde(deserialize_with = "function")]
    species: String,
    #[serde(borrow)]
    note: String,
    #[serde(renam = "x")]
    other: String,
}

fn main() {}
