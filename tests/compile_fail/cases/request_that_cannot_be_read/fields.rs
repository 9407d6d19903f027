use restwright::{Request, Schema};
use serde::Deserialize;

#[derive(Deserialize, Schema)]
struct Changes {
    name: String,
}

struct Opaque;

#[derive(Request)]
struct TwoBodies {
    #[body]
    one: Changes,
    #[body]
    two: Changes,
}

#[derive(Request)]
struct TwoPlaces {
    #[query]
    #[header]
    id: i64,
    #[query(name)]
    name: String,
}

#[derive(Request)]
struct NoName(#[query] i64);

#[derive(Request)]
struct Settings {
    #[query]
    #[property(read_only)]
    page: i64,
    #[query]
    #[property(validate = check)]
    size: i64,
    #[body]
    #[property(min_length = 1)]
    body: String,
}

#[derive(Request)]
enum Either {
    Left,
}

fn main() {}
