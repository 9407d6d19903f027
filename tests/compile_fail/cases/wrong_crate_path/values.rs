use restwright::{Part, Request, Response, Schema};
use serde::Serialize;

#[derive(Serialize, Schema)]
#[schema(crate = 3)]
struct Number {
    id: i64,
}

#[derive(Serialize, Schema)]
#[schema(crate)]
struct Flag {
    id: i64,
}

#[derive(Serialize, Schema)]
#[schema(crate = "not a path")]
struct Words {
    id: i64,
}

#[derive(Serialize, Schema, Response)]
#[schema(crate = "restwright")]
#[response(status = 200, crate("restwright"))]
struct List {
    id: i64,
}

#[derive(Request)]
#[request(crate = "restwright", crate = "restwright")]
struct Twice {
    part: Misspelt,
}

#[derive(Part)]
#[part(krate = "restwright")]
struct Misspelt {
    #[query]
    id: i64,
}

fn main() {}
