use restwright::Schema;
use serde::Deserialize;
use validator::Validate;

#[derive(Deserialize, Schema)]
#[schema(validator)]
struct NotValidate {
    name: String,
}

#[derive(Deserialize, Validate, Schema)]
#[schema(validator = true)]
struct WithAValue {
    #[validate(length(min = 1))]
    name: String,
}

fn main() {}
