use restwright::{Problem, Record, Schema};

#[derive(Schema)]
#[schema(crate = "web")]
struct Pet {
    id: i64,
}

#[derive(Record)]
#[record(crate = "restwright::web")]
struct Item {
    id: i64,
}

#[derive(Debug, Problem)]
#[problem(crate = "crate::web", status = 404)]
struct NoPet;

fn main() {}
