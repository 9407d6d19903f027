//! Defines [`Plan`], the relations that one operation of a resource can embed.

use std::mem;
use std::sync::Arc;

use restwright_core::operation::Operation;
use restwright_core::problem::{RequestViolations, catalogue};
use restwright_core::runtime::RouteNotes;
use restwright_core::schema::Mode;
use restwright_core::{BuildContext, BuildErrors, RequestHead, Result};

use super::parameter::Includes;
use super::resolved::Resolved;
use super::settings::IncludeSettings;
use super::{access, document, parameter, related_fields, resolve};
use crate::endpoints::caller::call::Call;
use crate::endpoints::declare::settings::OperationSettings;

/// The relations that a view or a list can embed.
pub(in crate::endpoints) struct Plan {
    relations: Vec<Arc<Resolved>>,
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
        parameter::describe(&self.relations, operation);
        operation.add_problem(catalogue::FORBIDDEN);
    }

    /// Reads the selected relations from the query parameter `include`. Returns `None` if the parameter has violations. Fails if the caller
    /// may not read the entities of a selected relation.
    pub(in crate::endpoints) fn read(
        &self,
        call: &Call,
        head: &RequestHead<'_>,
        violations: &mut RequestViolations,
    ) -> Result<Option<Option<Box<Includes>>>> {
        parameter::read(&self.relations, call, head, violations)
    }
}
