use std::collections::HashMap;

use restwright::{Record, Schema};
use serde::Serialize;

#[derive(Serialize, Schema)]
struct Owner {
    name: String,
}

#[derive(Serialize, Schema)]
struct Tags(Vec<String>);

#[derive(Record)]
struct Pet {
    id: i64,
    tags: Vec<String>,
    owner: Option<Owner>,
    more: Tags,
    #[serde(flatten)]
    details: Owner,
    #[serde(flatten)]
    rest: HashMap<String, String>,
}

fn main() {}
