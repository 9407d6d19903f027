//! Values passed to the wrong method of the builder.

use restwright::auth::Access;
use restwright::prelude::*;
use restwright::production::{Cors, Preset};
use restwright::resource::MemoryStore;
use serde::Serialize;

struct Pool;

struct Pets;

fn main() {
    let api = || Api::builder(Configuration::new("pets", "1.0.0"));
    let _ = api().middleware(Preset::production());
    let _ = api().module(&Cors::new());
    let _ = api().component(Pool);
    let _ = api().middleware(Pets);
    let _ = api().module(&Pets);
    let _ = api().module(&MemoryStore::new());
    let _ = api().module(&Group::new("/pets"));
    let _ = api().controller(Route::get("/pets").id("pets").public());
    let _ = api().controller(list_pets);
    let _ = api().resource::<Pet>(Pool, Access::public());
}

async fn list_pets(_: ()) -> Result<Data<u8>> {
    Ok(Data(1))
}

/// A pet.
#[derive(Clone, Serialize, Resource)]
#[resource(path = "/pets")]
struct Pet {
    #[property(id)]
    id: i64,
}
