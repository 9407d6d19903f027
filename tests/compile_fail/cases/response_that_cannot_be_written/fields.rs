use restwright::{Response, Schema};
use serde::Serialize;

#[derive(Serialize, Schema)]
struct Pet {
    name: String,
}

#[derive(Response)]
#[response(status = 200)]
struct Unmarked {
    #[header]
    location: String,
    pet: Pet,
}

#[derive(Response)]
#[response(status = 200)]
struct TwoBodies {
    #[body]
    one: Pet,
    #[body]
    two: Pet,
}

#[derive(Response)]
#[response(status = 200)]
struct NoName(#[header] String, #[body] Pet);

#[derive(Response)]
enum Found {
    #[response(status = 200)]
    Pet { pet: Pet },
}

fn main() {}
