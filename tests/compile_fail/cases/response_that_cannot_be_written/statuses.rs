use restwright::body::RawBody;
use restwright::{Response, Schema};
use serde::Serialize;

#[derive(Serialize, Schema)]
struct Pet {
    name: String,
}

#[derive(Response)]
struct NoStatus;

#[derive(Response)]
#[response(status = 404)]
struct Failure;

#[derive(Response)]
#[response(status = 299)]
struct Unregistered;

#[derive(Response)]
#[response(status = "200")]
struct Text;

#[derive(Response)]
#[response(status = 204)]
struct BodyWithout(#[body] Pet);

#[derive(Response)]
#[response(status = 200, content_type = "csv")]
struct MediaType(#[body] RawBody);

#[derive(Response)]
#[response(status = 200, content_type = "text/csv")]
struct NoBody;

#[derive(Response)]
#[response(status = 200)]
enum Variants {
    #[response(status = 200)]
    One(Pet),
    #[response(status = 200)]
    Two(Pet),
    Three,
}

fn main() {}
