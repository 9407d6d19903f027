use restwright::prelude::*;
use serde::Serialize;

#[derive(Request)]
struct ViewPet<'a> {
    #[segment]
    name: &'a str,
}

#[derive(Response)]
struct Shown<'a> {
    name: &'a str,
}

#[derive(Part)]
struct Shared<'a> {
    #[query]
    name: Option<&'a str>,
}

/// A pet.
#[derive(Clone, Serialize, Resource)]
#[resource(path = "/pets")]
struct Pet<'a> {
    #[property(id)]
    id: i64,
    name: &'a str,
}

fn main() {}
