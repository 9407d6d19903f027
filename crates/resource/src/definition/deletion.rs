//! Methods of [`EntityDefinition`] for entities that stay in the store after a delete.

use restwright_core::BuildErrors;
use restwright_list::{Comparison, Expression, Record};

use super::{EntityDefinition, FieldDefinition, IdentifierKind, Managed};

impl EntityDefinition {
    /// Returns the field that contains the time of the deletion. Returns `None` if deleted entities do not stay in the store.
    #[must_use]
    pub fn deletion_field(&self) -> Option<&FieldDefinition> {
        self.managed(Managed::DeletedAt)
    }

    /// Returns `true` if the entity's deletion field is not null. Statements treat the entity as deleted.
    #[must_use]
    pub fn is_deleted(&self, entity: &(impl Record + ?Sized)) -> bool {
        self.deletion_field().is_some_and(|field| !entity.value(field.name()).is_null())
    }

    /// Returns a filter that matches entities that are not deleted. Returns `None` if deleted entities do not stay in the store.
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
