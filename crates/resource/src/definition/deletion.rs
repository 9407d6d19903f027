//! Entities that stay in the store after they are deleted.

use restwright_core::BuildErrors;
use restwright_list::{Comparison, Expression, Record};

use super::{EntityDefinition, FieldDefinition, IdentifierKind, Managed};

impl EntityDefinition {
    /// Returns the field that contains the time of the deletion, if deleted entities stay in the store.
    #[must_use]
    pub fn deletion_field(&self) -> Option<&FieldDefinition> {
        self.managed(Managed::DeletedAt)
    }

    /// Returns `true` if the entity is deleted and stays in the store.
    #[must_use]
    pub fn is_deleted(&self, entity: &(impl Record + ?Sized)) -> bool {
        self.deletion_field().is_some_and(|field| !entity.value(field.name()).is_null())
    }

    /// Returns the condition that an entity is not deleted. Returns `None` if deleted entities leave the store.
    pub(crate) fn is_live(&self) -> Option<Expression> {
        let field = self.deletion_field()?.owned_name();
        Some(Expression::condition(field, Comparison::IsNull(true)))
    }

    pub(super) fn check_deletion(&self, errors: &mut BuildErrors) {
        let Some(field) = self.deletion_field() else { return };
        let mut push = |mistake: &str| {
            errors.push(format!(
                "the field `{}` of `{}`, which contains the time of the deletion, {mistake}",
                field.name(),
                self.name()
            ));
        };
        if !field.is_nullable() {
            push("must be nullable, because it is null until the deletion");
        }
        if matches!(self.0.kind, IdentifierKind::Given(_)) {
            push(
                "requires identifiers that the store generates, because a deleted entity keeps its identifier; use `id`, or remove the field",
            );
        }
    }
}
