//! Defines [`Plan`], the relations that one operation of a resource can embed.

use std::mem;
use std::sync::Arc;

use restwright_core::operation::Operation;
use restwright_core::problem::catalogue;
use restwright_core::runtime::RouteNotes;
use restwright_core::schema::Mode;
use restwright_core::{BuildContext, BuildErrors};
use restwright_list::{Operator, SortBag};

use super::settings::IncludeSettings;
use super::source::Source;
use super::{access, document, parameter, related_fields, resolve};
use crate::definition::FieldDefinition;
use crate::endpoints::field_rights::{FieldNames, FieldRights};
use crate::endpoints::settings::OperationSettings;

/// The relations that a view or a list can embed.
pub(in crate::endpoints) struct Plan {
    pub(super) relations: Vec<Arc<Resolved>>,
}

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

pub(super) fn modes(is_many: bool) -> &'static [Mode] {
    if is_many { &[Mode::View, Mode::List] } else { &[Mode::View] }
}

impl Plan {
    /// Finds the targets of the relations that a view or a list can embed. Adds the relations to the schemas of the resource and to the
    /// notes of the route.
    ///
    /// Errors are reported once per Api, because views and lists have the same relations.
    pub(in crate::endpoints) fn new(context: &mut BuildContext<'_>) -> Option<Self> {
        let settings = context.route().setting::<OperationSettings>()?;
        let include = context.route().setting::<IncludeSettings>()?;
        include.source.set_accesses(settings.mode, context.accesses());
        let relations = &settings.resource.relations;
        if relations.is_empty() || settings.is_download || !matches!(settings.mode, Mode::View | Mode::List) {
            return None;
        }
        let mut errors = BuildErrors::new();
        let mut added = mem::take(context.build_state::<document::Added>());
        let resolved = resolve::all(relations, (settings, &include.sources), context.registry(), &added, &mut errors);
        added.add(&settings.resource, &resolved, context.registry());
        *context.build_state() = added;
        if settings.mode == Mode::List {
            errors.take(related_fields::plan(&resolved, (settings, &include.related), context));
        }
        for relation in &resolved {
            access::check_last(relation, context);
            let (name, target) = (relation.name.clone(), relation.source.info.path.clone());
            context.kept::<RouteNotes>().add(move || Some(format!("include `{name}` from {target}")));
        }
        context.api_errors().take::<()>(Err(errors));
        Some(Self { relations: resolved })
    }

    pub(in crate::endpoints) fn describe(&self, operation: &mut Operation) {
        parameter::describe(self, operation);
        operation.add_problem(catalogue::FORBIDDEN);
    }
}
