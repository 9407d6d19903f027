use restwright::Schema;
use serde::Deserialize;
use validator::{Validate, ValidationError};

struct Taken(Vec<String>);

#[derive(Deserialize, Validate, Schema)]
#[schema(validator)]
#[validate(context = Taken)]
struct Signup {
    #[validate(custom(function = "is_free", use_context))]
    name: String,
}

fn is_free(name: &str, taken: &Taken) -> Result<(), ValidationError> {
    if taken.0.iter().any(|other| other == name) { Err(ValidationError::new("taken")) } else { Ok(()) }
}

fn main() {}
