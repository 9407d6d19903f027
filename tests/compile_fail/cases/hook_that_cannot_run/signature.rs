use restwright::auth::Access;
use restwright::prelude::*;
use restwright::resource::{HookContext, Hooks, MemoryStore};
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
    async fn before_create(&self, _: &mut HookContext<'_>, _: &Pet) -> Result<()> {
        Ok(())
    }
}

struct Other;

fn main() {
    let _ = restwright::resource::Endpoints::<Pet>::new(MemoryStore::new(), Access::public()).hooks(Other);
}
