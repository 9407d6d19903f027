//! Defines [`Resolved`], a relation with its target resource.

use std::sync::Arc;

use restwright_core::schema::Mode;
use restwright_list::{Operator, SortBag};

use super::source::Source;
use crate::definition::FieldDefinition;
use crate::endpoints::caller::field_rights::{FieldNames, FieldRights};
use crate::endpoints::declare::relation::modes;

/// A relation with its resolved target resource.
pub(super) struct Resolved {
    pub(super) name: String,
    pub(super) source: Arc<Source>,
    /// The pairs of fields that link an entity to its related entities. The first pair contains the reference. The other pairs are the
    /// scope fields that both definitions contain.
    pub(super) links: Vec<Link>,
    /// The sort order of a relation to many entities.
    pub(super) order: SortBag,
    pub(super) max: Option<u32>,
    /// The JSON names of the restricted fields in the related entities. Only some callers may read or write these fields.
    pub(super) names: Vec<FieldNames>,
    pub(super) nested: Vec<Arc<Self>>,
    /// The fields of the related entities that lists can be filtered by.
    pub(super) filters: Vec<(String, Vec<Operator>)>,
    /// The fields of the related entities that lists can be sorted by.
    pub(super) sorts: Vec<String>,
}

/// Two fields with the same value, one in an entity and one in its related entities.
pub(super) struct Link {
    pub(super) own: FieldDefinition,
    pub(super) related: FieldDefinition,
}

impl Resolved {
    /// Returns the operations that a caller must be allowed to use on the related resource.
    pub(super) fn modes(&self) -> &'static [Mode] {
        modes(self.max.is_some())
    }

    /// Returns `true` if the caller may read both the reference field and the referenced field. Otherwise the relation does not exist for
    /// the caller.
    pub(super) fn is_visible(&self, own: &FieldRights, related: &FieldRights) -> bool {
        self.links.first().is_some_and(|link| own.may_read(link.own.name()) && related.may_read(link.related.name()))
    }
}
