use restwright::prelude::*;
use restwright::resource::{HookContext, Hooks, Repository};
use serde::Serialize;

/// A pet.
#[derive(Clone, Serialize, Resource)]
#[resource(path = "/pets")]
struct Pet {
    #[property(id)]
    id: i64,
}

/// An owner.
#[derive(Clone, Serialize, Resource)]
#[resource(path = "/owners")]
struct Owner {
    #[property(id)]
    id: i64,
}

struct Registered;

impl<S: Repository<Pet>> Hooks<Pet, S> for Registered {
    async fn after_create(&self, context: &mut HookContext<'_, S>, pet: &Pet) -> Result<()> {
        context.insert(Owner { id: pet.id }).await?;
        Ok(())
    }
}

fn main() {}
