//! Defines [`Coverage`], which decides whether a scope may leave fields unrestricted.

use restwright_core::{Problem, Result};

use crate::definition::EntityDefinition;
use crate::store::Scope;

/// The entities that an accessor reads and writes, by their scope fields.
#[derive(Clone, Copy)]
pub(in crate::endpoints) enum Coverage {
    /// The scope contains a value of each scope field. Otherwise statements fail.
    OneScope,
    /// Scope fields without a value in the scope are not restricted.
    AllScopes,
    /// The scope of an operation, which is about another resource. Fields that only one of the resources has are not restricted.
    Operation,
}

impl Coverage {
    /// Returns an error if the scope contains a field that is not a scope field of the entities, or lacks a field.
    pub(in crate::endpoints) fn check(self, scope: &Scope, definition: &EntityDefinition) -> Result<()> {
        if matches!(self, Self::Operation) {
            return Ok(());
        }
        let entities = definition.name();
        let is_scope = |name: &str| definition.scope_fields().any(|field| field.name() == name);
        if let Some((name, _)) = scope.iter().find(|(name, _)| !is_scope(name)) {
            let known: Vec<_> = definition.scope_fields().map(|field| format!("`{}`", field.name())).collect();
            let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
            return Err(Problem::internal(format!(
                "the scope of a statement on `{entities}` contains `{name}`, which is not one of its scope fields ({known})"
            )));
        }
        let mut missing = definition.scope_fields().filter(|field| scope.get(field.name()).is_none());
        match (self, missing.next()) {
            (Self::OneScope, Some(field)) => Err(Problem::internal(format!(
                "the scope of a statement on `{entities}` lacks the field `{}`, so the statement would concern every scope; add it with \
                 `Scope::with`, or call `EntityStore::all_scopes`",
                field.name()
            ))),
            _ => Ok(()),
        }
    }
}
