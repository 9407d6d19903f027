use restwright::prelude::*;
use restwright::resource::StoredFile;
use serde::{Deserialize, Serialize};

#[derive(Clone, Serialize, Deserialize, Resource)]
struct Required {
    #[property(id)]
    id: i64,
    #[property(file)]
    photo: StoredFile,
}

#[derive(Clone, Serialize, Deserialize, Resource)]
struct Compared {
    #[property(id)]
    id: i64,
    #[property(file, unique, sort, filter(eq))]
    photo: Option<StoredFile>,
}

#[derive(Clone, Serialize, Deserialize, Resource)]
struct OfAnotherType {
    #[property(id)]
    id: i64,
    #[property(file)]
    photo: Option<String>,
}

#[derive(Clone, Serialize, Deserialize, Resource)]
struct WithConstraints {
    #[property(id)]
    id: i64,
    #[property(file, max_size = "5 MB", min_length = 1)]
    photo: Option<StoredFile>,
}

fn main() {}
