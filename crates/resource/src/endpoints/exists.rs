//! Defines [`exists`], which creates policy conditions on related entities.

use restwright_list::{Exists, Expression, RecordFields, Related};

use super::Resource;

/// Returns a [`RowPolicy`](crate::RowPolicy) condition that matches if a related entity exists in the same scope. The policy of the related
/// entity does not apply.
///
/// Two entities are in the same scope if they have equal values in each scope field that both definitions contain. The condition must link
/// a scope field that only the related definition contains. The condition on the related entity must not contain another `exists`.
///
/// ```
/// use restwright::auth::Identity;
/// use restwright::prelude::*;
/// use restwright::resource::{EntityDefinition, RowPolicy, Rows, exists};
/// use serde::Serialize;
/// use uuid::Uuid;
///
/// #[derive(Clone, Serialize, Resource)]
/// #[resource(path = "/memberships")]
/// struct Membership {
///     #[property(id)]
///     id: Uuid,
///     project_id: Uuid,
///     user: String,
/// }
///
/// #[derive(Clone, Serialize, Resource)]
/// #[resource(path = "/tickets", policy = Members)]
/// struct Ticket {
///     #[property(id)]
///     id: Uuid,
///     project_id: Uuid,
/// }
///
/// /// Shows the tickets of a project to its members.
/// struct Members;
///
/// impl RowPolicy<Ticket> for Members {
///     fn visible(&self, caller: &Identity) -> Rows {
///         let user = caller.subject().unwrap_or_default();
///         Rows::matching(exists::<Membership>(|membership| {
///             membership.project_id.same_as(Ticket::FIELDS.project_id).and(membership.user.eq(user))
///         }))
///     }
///
///     fn related(&self) -> Vec<EntityDefinition> {
///         vec![Membership::definition()]
///     }
/// }
/// ```
#[must_use]
pub fn exists<R: Resource + RecordFields>(condition: impl FnOnce(R::Fields) -> Related) -> Expression {
    Exists::new(R::definition().name().to_owned(), condition(R::FIELDS)).into()
}
