//! Hooks and presenters that work with one store only.

use std::any::Any;

use restwright::auth::Access;
use restwright::prelude::*;
use restwright_resource::{Endpoints, HookContext, Hooks, MemoryStore, Presenter, Store};

use crate::map_store::MapStore;
use crate::per_caller::Note;

/// Needs a store in memory.
struct Picky;

impl Hooks<Note> for Picky {
    const MODES: &'static [restwright_core::schema::Mode] = &[];

    fn check(&self, store: &dyn Store) -> Result<(), String> {
        let is_memory = (store as &dyn Any).is::<MemoryStore>();
        if is_memory { Ok(()) } else { Err("they need a store in memory".to_owned()) }
    }
}

impl Presenter<Note> for Picky {
    fn check(&self, store: &dyn Store) -> Result<(), String> {
        Hooks::check(self, store)
    }

    async fn present(&self, _: &mut HookContext<'_>, _: &mut [Note]) -> Result<()> {
        Ok(())
    }
}

#[test]
fn a_store_that_hooks_cannot_work_with_is_named_when_an_api_is_built() {
    fn notes(store: impl Store) -> Endpoints<Note> {
        Endpoints::new(store, Access::public())
    }
    let errors = |notes: &Endpoints<Note>| {
        let built = Api::builder(Configuration::new("notes", "1")).module(notes).build();
        built.err().map(|errors| errors.to_string()).unwrap_or_default()
    };
    for notes in [notes(MapStore::default()).hooks(Picky), notes(MapStore::default()).presenter(Picky)] {
        let errors = errors(&notes);
        assert!(errors.contains("store_checks::Picky` of `notes`: they need a store in memory"), "{errors}");
    }
    assert_eq!(errors(&notes(MemoryStore::new()).hooks(Picky).presenter(Picky)), "");
}
