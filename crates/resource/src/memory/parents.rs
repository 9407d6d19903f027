//! Checks that a resource in memory is in the same store as its parents.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use restwright_core::{ApiState, BuildContext};

use super::MemoryStore;
use super::tables::Tables;
use crate::definition::{EntityDefinition, FieldDefinition};

/// The tables that contain the entities of each resource in memory, by the name of the definition.
type Planned = Arc<Mutex<HashMap<String, Vec<Arc<Mutex<Tables>>>>>>;

/// Reports a build error at the end of the build if the resource of a parent uses another store, because each parent would then be missing.
pub(super) fn check(store: &MemoryStore, definition: &EntityDefinition, context: &mut BuildContext<'_, ApiState>) {
    let planned = Planned::clone(context.build_state());
    let mut stores = planned.lock().unwrap_or_else(PoisonError::into_inner);
    stores.entry(definition.name().to_owned()).or_default().push(Arc::clone(&store.tables));
    drop(stores);
    for parent in definition.fields().filter_map(FieldDefinition::parent_definition) {
        let (planned, tables) = (Arc::clone(&planned), Arc::clone(&store.tables));
        let (child, parent) = (definition.name().to_owned(), parent.name().to_owned());
        context.check_last(move |errors| {
            let stores = planned.lock().unwrap_or_else(PoisonError::into_inner);
            if stores.get(&parent).is_some_and(|stores| !stores.iter().any(|other| Arc::ptr_eq(other, &tables))) {
                errors.push(format!(
                    "the resource `{child}` is in another `MemoryStore` than its parent `{parent}`, so each parent would be missing; create \
                     one `MemoryStore` and pass its clones to both resources"
                ));
            }
        });
    }
}
