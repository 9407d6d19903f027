use restwright::prelude::*;
use restwright::resource::{HookContext, Hooks};
use serde::Serialize;

/// A pet.
#[derive(Clone, Serialize, Resource)]
#[resource(path = "/pets")]
struct Pet {
    #[property(id)]
    id: i64,
}

struct Trimmed;

impl Hooks<Pet> for Trimmed {
    async fn before_insert(&self, _: &mut HookContext<'_>, _: &mut Pet) -> Result<()> {
        Ok(())
    }
}

fn main() {}
