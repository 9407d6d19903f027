//! Defines [`Entities`], a resource with its store and hooks.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use restwright_core::conditional::{EntityTag, Preconditions};
use restwright_core::schema::CompiledSchema;
use restwright_core::{Problem, Result};

use super::hooks::ErasedHooks;
use super::steps::Steps;
use crate::endpoints::caller::call::Call;
use crate::endpoints::caller::problem::{Failure, no_parent, problem};
use crate::endpoints::caller::row_rules;
use crate::endpoints::declare::info::{ResourceInfo, narrowed};
use crate::endpoints::erased::any_entity::AnyIdentifier;
use crate::entity::Version;
use crate::policy::Rows;
use crate::store::{Attempt, Queues, Read, Statement, Store, StoreError, repeat, unavailable_if};

/// Runs the operations of a resource on the entities in its store.
pub(in crate::endpoints) struct Entities {
    pub(in crate::endpoints) store: Arc<dyn Store>,
    pub(in crate::endpoints) info: Arc<ResourceInfo>,
    pub(in crate::endpoints) hooks: Arc<[Arc<dyn ErasedHooks>]>,
    pub(in crate::endpoints) steps: Steps,
    pub(in crate::endpoints) hook_timeout: Duration,
    pub(in crate::endpoints) queues: Queues,
    /// `true` if lists may return stale entities.
    pub(in crate::endpoints) stale_lists: bool,
    /// `true` if the definition of a parent declares a row policy. Each operation then checks that the caller can see the parent.
    pub(in crate::endpoints) has_guarded_parents: bool,
    /// The schema of the stored entity, if the resource has hooks.
    pub(in crate::endpoints) schema: Arc<OnceLock<CompiledSchema>>,
}

impl Entities {
    /// Creates a statement that is restricted to the scope of a call and uses the time of the call.
    pub(super) fn statement<'s>(&'s self, call: &'s Call) -> Statement<'s> {
        Statement::new(&self.info.definition).scoped(&call.scope).at(call.now)
    }

    /// Checks that the parents in the path exist and that the caller can see them. Only lists need this check for parents without a policy,
    /// because other operations fail anyway if the parent is missing.
    pub(super) async fn check_parents(&self, call: &Call) -> Result<(), Failure> {
        let store = self.store_for(call)?;
        for field in self.info.definition.fields() {
            let (Some(parent), Some(id)) = (field.parent_definition(), call.scope.get(field.name())) else { continue };
            let scope = narrowed(&call.scope, parent);
            let visible = row_rules::visible(&*store, parent, &call.identity)?.unwrap_or(Rows::all());
            let read = Read::Exists { identifier: id, condition: visible.condition() };
            if store.read(Statement::new(parent).scoped(&scope), read).await?.total == 0 {
                return Err(no_parent(parent).into());
            }
        }
        Ok(())
    }

    /// Returns the store that runs the statements of a call. If statements depend on the caller, returns the store for the caller.
    pub(super) fn store_for(&self, call: &Call) -> Result<Arc<dyn Store>, StoreError> {
        if !self.store.is_per_caller() {
            return Ok(Arc::clone(&self.store));
        }
        self.store.for_caller(&call.identity).ok_or_else(|| {
            StoreError::failed("the store depends on the caller, but `Store::for_caller` returned `None`; return a store for each caller")
        })
    }

    /// Runs an operation and repeats it after conflicts with concurrent changes. Operations with the same identifier share a queue.
    pub(in crate::endpoints) async fn run<T>(
        &self,
        call: &Call,
        id: Option<&dyn AnyIdentifier>,
        operation: impl AsyncFn(Attempt) -> Result<T, Failure>,
    ) -> Result<T> {
        let queue = id.map_or_else(|| self.queues.of_all(), |id| self.queues.of_entity(&id.to_value()));
        let outcome = repeat(|error| self.store.retries(error), queue, operation, Failure::cause).await;
        outcome.map_err(|failure| self.problem(failure, call))
    }

    pub(super) fn problem(&self, failure: Failure, call: &Call) -> Problem {
        match failure {
            Failure::Store(error, place) => {
                problem(error, &self.info.names, &self.info.definition, (&place, &call.rights))
            }
            Failure::Problem(problem) => unavailable_if(self.store.retries(&problem), problem),
        }
    }
}

/// Checks the preconditions of a request against an entity's version. Creates the entity tag only if the request has preconditions.
pub(super) fn check_preconditions(preconditions: &Preconditions, version: Version, call: &Call) -> Result<()> {
    let tag = preconditions.are_given().then(|| tag(version, call));
    preconditions.check(tag.as_ref())
}

/// Returns the entity tag of an entity's version. The tag also depends on the fields that the caller may read.
pub(in crate::endpoints) fn tag(version: Version, call: &Call) -> EntityTag {
    call.rights.tag(EntityTag::strong(version.number()))
}
