//! Checks an entity after code of the application has changed it.

use restwright_core::runtime::Members;
use restwright_core::schema::{Mode, Violations};
use restwright_core::{Problem, Result};
use restwright_list::Value;

use super::entities::Entities;
use crate::endpoints::erased::any_entity::{AnyEntity, parsed};

/// The state of an entity before or after a hook.
pub(super) struct Hooked {
    /// `None` if the entity cannot be serialized.
    entity: Option<Members>,
    /// The scope values of the entity. In an update, also the identifier. Hooks must not change these values.
    key: Vec<Value<'static>>,
    /// The violations that the custom checks of the entity report.
    violations: Violations,
}

impl Hooked {
    fn json(&self) -> Option<&[u8]> {
        self.entity.as_ref().map(Members::json)
    }

    /// Adds violations that were found while the entity was changed.
    pub(super) fn add(&mut self, found: Violations) {
        self.violations.append("", found);
    }
}

impl Entities {
    /// Returns the current state of an entity.
    pub(super) fn hooked(&self, entity: &dyn AnyEntity, mode: Mode) -> Hooked {
        let definition = &self.info.definition;
        let mut key = definition.scope_values(entity);
        key.extend((mode == Mode::Update).then(|| entity.value(definition.identifier()).into_owned()));
        Hooked { entity: entity.whole().ok(), key, violations: entity.own_violations() }
    }

    /// Checks that an entity is valid after a hook. Violations that existed before the hook are ignored.
    pub(super) fn check_hooked(&self, before: &Hooked, after: &Hooked, hook: &str) -> Result<()> {
        let name = &self.info.names.singular;
        if before.key != after.key {
            return Err(Problem::internal(format!("`{hook}` changed the identifier or the scope of the {name}")));
        }
        let (mut known, mut found) = (before.violations.clone(), after.violations.clone());
        let is_changed = before.json() != after.json();
        if let Some(schema) = self.schema.get().filter(|_| is_changed) {
            let violations = |state: &Hooked| {
                schema.check_value(&parsed(state.entity.as_ref()), found.limit()).err().unwrap_or_default()
            };
            let (of_before, of_after) = (violations(before), violations(after));
            known.append("", of_before);
            found.append("", of_after);
        }
        let new: Vec<_> = found.iter().filter(|one| !known.iter().any(|known| known == *one)).collect();
        if new.is_empty() {
            return Ok(());
        }
        Err(Problem::internal(format!("`{hook}` left an invalid {name}: {new:?}")))
    }
}
