//! Defines [`Source`], which reads the entities of a resource for the relations of other resources.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use jiff::Timestamp;
use restwright_core::Result;
use restwright_core::auth::{Access, Identity};
use restwright_core::schema::Mode;
use restwright_list::{Direction, SortBag, Value};

use crate::definition::EntityDefinition;
use crate::endpoints::caller::call::{Call, Head};
use crate::endpoints::caller::claim::Claim;
use crate::endpoints::caller::field_rights::{FieldRights, Guards};
use crate::endpoints::caller::problem::no_scope_value;
use crate::endpoints::declare::info::ResourceInfo;
use crate::endpoints::declare::relation::{Relation, RelationNames, modes};
use crate::endpoints::declare::scope_rule::{ScopeRule, scope_of};
use crate::endpoints::erased::any_entity::AnyEntity;
use crate::endpoints::operate::entities::Entities;
use crate::endpoints::operate::steps::Steps;
use crate::endpoints::respond::computed_values;
use crate::store::{ListQuery, Queues, Scope};

/// Contains a [`Source`] for each resource of an Api. Clones share the same sources. All resources are added before the first resource is
/// planned.
#[derive(Clone, Default)]
pub(in crate::endpoints) struct Sources {
    sources: Arc<Mutex<Vec<Arc<Source>>>>,
    relations: RelationNames,
}

impl Sources {
    pub(in crate::endpoints) fn add(&self, source: Arc<Source>, relations: &[Relation]) {
        let definition = &source.info.definition;
        for relation in relations {
            self.relations.add(definition.name(), &relation.name);
            if let Some(target) = target(definition, relation) {
                relation.nested.iter().for_each(|nested| self.relations.add(&target, &nested.name));
            }
        }
        self.sources.lock().unwrap_or_else(PoisonError::into_inner).push(source);
    }

    /// Returns the names of all relations.
    pub(in crate::endpoints) fn relations(&self) -> &RelationNames {
        &self.relations
    }

    /// Returns `true` if a relation embeds entities whose visible properties depend on the caller.
    pub(in crate::endpoints) fn are_guarded(&self, owner: &EntityDefinition, relation: &Relation) -> bool {
        let source = target(owner, relation).and_then(|target| self.find(&target, modes(relation.many.is_some())));
        source.is_some_and(|source| {
            let mut nested = relation.nested.iter();
            source.is_guarded() || nested.any(|nested| self.are_guarded(&source.info.definition, nested))
        })
    }

    /// Returns the first resource with the given definition that serves all given operations.
    pub(super) fn find(&self, definition: &str, modes: &[Mode]) -> Option<Arc<Source>> {
        let sources = self.sources.lock().unwrap_or_else(PoisonError::into_inner);
        let mut sources = sources.iter().filter(|source| source.info.definition.name() == definition);
        sources.find(|source| modes.iter().all(|mode| source.modes.contains(mode))).cloned()
    }
}

/// Returns the name of the definition to which a relation refers. Returns `None` if the relation's field is not a reference.
fn target(owner: &EntityDefinition, relation: &Relation) -> Option<String> {
    match &relation.many {
        Some(many) => Some(many.of.clone()),
        None => Some(owner.get(&relation.own_field())?.reference()?.0.to_owned()),
    }
}

/// Reads the entities of a resource for the relations of other resources. The access, scope, policy, field permissions, hooks of lists and
/// presenters of the resource apply.
pub(in crate::endpoints) struct Source {
    pub(super) info: Arc<ResourceInfo>,
    pub(super) guards: Option<Arc<Guards>>,
    rules: Arc<[ScopeRule]>,
    /// The operations that the resource serves.
    modes: Vec<Mode>,
    /// The access requirements of views and lists, including the requirements of the enclosing groups.
    accesses: [OnceLock<Vec<Access>>; 2],
    /// `true` if hooks or presenters need the head of the request.
    pub(super) is_hooked: bool,
    /// The type name of the first hooks that run before views but not before lists. An include would skip these hooks.
    pub(super) skipped_hooks: Option<&'static str>,
    /// The default order of the list.
    pub(super) order: Vec<(String, Direction)>,
    reader: Entities,
}

/// The values of the fields that link an entity to its related entities.
pub(super) type Key = Vec<Value<'static>>;

impl Entities {
    /// Returns a copy that does not read stale entities. An embedded entity is then never older than the entity that refers to it.
    fn for_includes(&self) -> Self {
        Self {
            store: self.store.clone(),
            info: Arc::clone(&self.info),
            hooks: Arc::clone(&self.hooks),
            steps: Steps::default(),
            hook_timeout: self.hook_timeout,
            queues: Queues::new(),
            stale_lists: false,
            has_guarded_parents: self.has_guarded_parents,
            schema: Arc::clone(&self.schema),
        }
    }
}

impl Source {
    pub(in crate::endpoints) fn new(
        entities: &Entities,
        rules: Arc<[ScopeRule]>,
        guards: Option<Arc<Guards>>,
        modes: Vec<Mode>,
        order: Option<&SortBag>,
    ) -> Self {
        let mut before_views = entities.hooks.iter().filter(|hooks| hooks.run_in(Mode::View));
        let skipped_hooks = before_views.find(|hooks| !hooks.run_in(Mode::List)).map(|hooks| hooks.name());
        let order = order.into_iter().flatten().map(|entry| (entry.name().to_owned(), entry.direction));
        let is_hooked = entities.hooks.iter().any(|hooks| hooks.run_in(Mode::List));
        Self {
            info: Arc::clone(&entities.info),
            guards,
            rules,
            modes,
            accesses: Default::default(),
            is_hooked,
            skipped_hooks,
            order: order.collect(),
            reader: entities.for_includes(),
        }
    }

    /// Sets the access requirements of an operation. They are known when the operation is planned.
    pub(in crate::endpoints) fn set_accesses(&self, mode: Mode, accesses: &[Access]) {
        if let Some(known) = self.known(mode) {
            known.get_or_init(|| accesses.to_vec());
        }
    }

    /// Returns the access requirements of an operation, or `None` if the operation has not been prepared yet.
    pub(super) fn accesses(&self, mode: Mode) -> Option<&[Access]> {
        self.known(mode)?.get().map(Vec::as_slice)
    }

    fn known(&self, mode: Mode) -> Option<&OnceLock<Vec<Access>>> {
        let [view, list] = &self.accesses;
        match mode {
            Mode::View => Some(view),
            Mode::List => Some(list),
            _ => None,
        }
    }

    /// Returns `true` if callers see different properties of the entities.
    pub(super) fn is_guarded(&self) -> bool {
        self.guards.is_some() || computed_values::are_guarded(&self.info)
    }

    /// Returns the fields that the caller may not read or write.
    pub(super) fn rights(&self, caller: &Identity) -> FieldRights {
        self.guards.as_ref().map(|guards| guards.rights(caller)).unwrap_or_default()
    }

    /// Creates the context in which the related entities are read for a caller. The context is restricted to the scopes of all given
    /// operations. Fails with 403 if the caller has no value for a scope field.
    pub(super) fn call(&self, modes: &[Mode], caller: &Identity, head: Option<&Head>, now: Timestamp) -> Result<Call> {
        let mut scope = Scope::new();
        for mode in modes {
            let own = scope_of(&self.rules, &self.info.definition, Some(*mode), caller);
            let own = own.map_err(|field| no_scope_value(&field))?;
            scope = own.iter().fold(scope, |scope, (field, value)| scope.with(field.to_owned(), value.clone()));
        }
        Ok(Call {
            scope,
            now,
            identity: caller.clone(),
            rights: self.rights(caller),
            runs_hooks: self.is_hooked && head.is_some(),
            head: head.filter(|_| self.is_hooked).cloned().map(Box::new),
            claim: Claim::none(),
            rejection: None,
        })
    }

    /// Reads the related entities that match a query. With `keys`, reads the first entities of the query for each key.
    pub(super) async fn read(
        &self,
        call: &Call,
        query: &ListQuery<'_>,
        keys: Option<(&[&str], &[Key])>,
    ) -> Result<Vec<Box<dyn AnyEntity>>> {
        Box::pin(self.reader.related(call, query, keys)).await
    }
}
