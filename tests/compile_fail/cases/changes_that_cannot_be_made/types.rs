use restwright::Schema;
use serde::Deserialize;

#[derive(Deserialize, Schema)]
#[schema(changes)]
struct NotClone {
    name: String,
}

#[derive(Clone, Deserialize, Schema)]
#[schema(changes)]
struct Pet {
    #[serde(flatten)]
    papers: Papers,
}

#[derive(Clone, Deserialize, Schema)]
struct Papers {
    chip: i64,
}

fn main() {}
