use restwright::auth::Identity;
use restwright::prelude::*;
use restwright::resource::{RowPolicy, Rows};
use serde::{Deserialize, Serialize};

#[derive(Clone, Serialize, Deserialize, Resource)]
#[resource(path = "/owners")]
struct Owner {
    #[property(id)]
    id: i64,
}

struct OwnOnly;

impl RowPolicy<Owner> for OwnOnly {
    fn visible(&self, _: &Identity) -> Rows {
        Rows::all()
    }
}

/// The policy is for owners.
#[derive(Clone, Serialize, Deserialize, Resource)]
#[resource(path = "/pets", policy = OwnOnly)]
struct Pet {
    #[property(id)]
    id: i64,
}

fn main() {}
