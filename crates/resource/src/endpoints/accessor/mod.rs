//! Access to the entities of a resource from code of the application.

pub(super) mod deleted_entities;
pub(super) mod entity_checks;
pub(super) mod entity_store;
pub(super) mod exists;
pub(super) mod get_or_insert;
