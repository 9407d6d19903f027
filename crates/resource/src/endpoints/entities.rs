//! [`Entities`]: the operations of a resource on its store.

use std::marker::PhantomData;

use restwright_core::Result;
use restwright_core::conditional::{EntityTag, Preconditions};
use restwright_core::schema::{Checks, Violations};
use restwright_list::{FieldValue, ListSlice, SortBag, Uncounted};

use super::ResourcePagination;
use super::names::Names;
use super::problem::{Failure, problem};
use crate::definition::EntityDefinition;
use crate::entity::{Version, Versioned};
use crate::resource::Resource;
use crate::store::{ListQuery, Repository, Scope, Statement, StoreError};

/// The number of times that an operation is tried while concurrent changes are in its way. As many writers of one entity pass, since one
/// of them succeeds in each round; the deadline of the request ends it earlier.
const ATTEMPTS: usize = 32;

/// The entities of a resource in a store.
pub(super) struct Entities<R, S> {
    store: S,
    definition: EntityDefinition,
    scope: Scope,
    name: String,
    entity: PhantomData<fn() -> R>,
}

impl<R: Resource, S: Repository<R>> Entities<R, S> {
    pub(super) fn new(store: S) -> Self {
        let name = Names::new::<R>().singular;
        Self { store, definition: R::definition(), scope: Scope::new(), name, entity: PhantomData }
    }

    pub(super) async fn create(&self, new: R::New) -> Result<Versioned<R>> {
        let entity = R::create(new);
        check(&entity)?;
        self.run(async || Ok(self.store.insert(self.statement(), entity.clone()).await?)).await
    }

    pub(super) async fn view(&self, id: &R::Id) -> Result<Versioned<R>> {
        self.run(async || self.find(id).await).await
    }

    /// Returns the entities of a page, and the number of all that match.
    pub(super) async fn list(
        &self,
        filters: &R::Filters,
        sort: &SortBag<R::Sort>,
        page: &R::Pagination,
    ) -> Result<(ListSlice<R, Uncounted>, u64)> {
        let query = ListQuery::new(filters, sort, page);
        self.run(async || {
            let listed = self.store.list(self.statement(), &query).await?;
            let total = match R::Pagination::COUNTED {
                true => self.store.count(self.statement(), &query.filter).await?,
                false => 0,
            };
            Ok((listed.map(|found: Versioned<R>| found.entity), total))
        })
        .await
    }

    /// Changes the entity as it was read, and reads it again if another change was faster, so that none is lost. The preconditions are
    /// checked on each state.
    pub(super) async fn update(
        &self,
        id: &R::Id,
        preconditions: &Preconditions,
        changes: &R::Update,
    ) -> Result<Versioned<R>> {
        self.run(async || {
            let Versioned { mut entity, version } = self.find(id).await?;
            preconditions.check(Some(&tag(version)))?;
            let mut violations = Violations::default();
            entity.change(changes.clone(), &mut Checks::new(&mut violations));
            violations.into_result().map_err(restwright_core::Problem::from)?;
            check(&entity)?;
            Ok(self.store.update(self.statement(), entity, Some(version)).await?)
        })
        .await
    }

    pub(super) async fn delete(&self, id: &R::Id, preconditions: &Preconditions) -> Result<()> {
        // Without a precondition, any state may go; one that is required and missing fails on any state.
        let is_conditional = preconditions.are_given() || preconditions.check(None).is_err();
        self.run(async || {
            let expected = if is_conditional {
                let version = self.find(id).await?.version;
                preconditions.check(Some(&tag(version)))?;
                Some(version)
            } else {
                None
            };
            Ok(self.store.delete(self.statement(), &id.to_value(), expected).await?)
        })
        .await
    }

    /// The only place where statements get their scope.
    fn statement(&self) -> Statement<'_, S> {
        Statement::new(&self.definition).scoped(&self.scope)
    }

    async fn find(&self, id: &R::Id) -> Result<Versioned<R>, Failure> {
        Ok(self.store.find(self.statement(), &id.to_value()).await?.ok_or(StoreError::NotFound)?)
    }

    /// Runs an operation, and again while a concurrent change is in its way.
    async fn run<T>(&self, operation: impl AsyncFn() -> Result<T, Failure>) -> Result<T> {
        let mut attempt = 1;
        loop {
            match operation().await {
                Ok(value) => return Ok(value),
                Err(Failure::Problem(problem)) => return Err(problem),
                Err(Failure::Store(error)) if attempt == ATTEMPTS || !self.may_succeed_again(&error) => {
                    return Err(problem(error, &self.name));
                }
                Err(Failure::Store(_)) => attempt += 1,
            }
        }
    }

    fn may_succeed_again(&self, error: &StoreError) -> bool {
        matches!(error, StoreError::StaleVersion) || self.store.retries(error)
    }
}

/// Returns the tag of a state.
pub(super) fn tag(version: Version) -> EntityTag {
    EntityTag::strong(version)
}

/// Runs the own checks of an entity that is to be kept.
fn check(entity: &impl Resource) -> Result<()> {
    let mut violations = Violations::default();
    entity.run_checks(&mut Checks::new(&mut violations));
    Ok(violations.into_result()?)
}
