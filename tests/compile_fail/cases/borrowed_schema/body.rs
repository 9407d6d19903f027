use restwright::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Schema)]
struct Pet<'a> {
    name: &'a str,
}

#[derive(Request)]
struct AddPet<'a> {
    #[body]
    pet: Pet<'a>,
}

fn main() {}
