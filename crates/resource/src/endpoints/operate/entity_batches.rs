//! Runs the operations on several entities, each in one transaction.

use restwright_core::problem::{RequestViolations, ViolationLocation, catalogue};
use restwright_core::schema::{Violation, Violations};
use restwright_core::{Problem, Result};

use super::entities::{Entities, tag};
use super::hooks::{CommittedChange, ErasedChange, Moment};
use super::unit::Unit;
use crate::codes;
use crate::definition::{IdentifierKind, UniqueConstraint};
use crate::endpoints::caller::call::Call;
use crate::endpoints::caller::problem::Failure;
use crate::endpoints::erased::any_entity::{AnyBody, AnyEntity, Found};
use crate::endpoints::read::batch_changes::Target;
use crate::endpoints::read::body::Sent;
use crate::store::{Attempt, StoreError};

impl Entities {
    /// Creates all entities of a batch in one transaction.
    pub(in crate::endpoints) async fn create_batch(
        &self,
        call: &Call,
        new: Vec<Box<dyn AnyBody>>,
    ) -> Result<Vec<Box<dyn AnyEntity>>> {
        let mut entities = Vec::with_capacity(new.len());
        let mut violations = Violations::default();
        let sent = if self.steps.of_new.is_empty() { Vec::new() } else { new.clone() };
        for (index, new) in new.into_iter().enumerate() {
            let (entity, found) = self.stamped(call, new)?;
            violations.append(&place(index), found);
            entities.push(entity);
        }
        violations.into_result()?;
        for (index, (new, entity)) in sent.into_iter().zip(&mut entities).enumerate() {
            let prepared = self.prepared_entity(call, new, &**entity).await;
            *entity = prepared.map_err(|problem| problem.below(&place(index)))?;
        }
        self.run(call, None, async |attempt| {
            let mut unit = Unit::begin(self, call, attempt, true).await?;
            let order = self.insertion_order(&entities, attempt);
            let insert = async |index: usize| match entities.get(index) {
                Some(entity) => Ok(unit.insert(entity.clone()).await?.entity),
                None => Err(StoreError::NotFound.into()),
            };
            let mut created = each(order, insert).await?;
            let changes = unit.changes(|| created.iter().cloned().map(CommittedChange::Created).collect());
            unit.commit(changes, &mut created).await?;
            Ok(created)
        })
        .await
    }

    /// Returns the order in which the entities of a batch are inserted. The first attempt uses the order of the request. Later attempts
    /// order them by identifiers and unique values, so two batches with the same values do not deadlock again.
    fn insertion_order(&self, entities: &[Box<dyn AnyEntity>], attempt: Attempt) -> Vec<usize> {
        let mut order: Vec<_> = (0..entities.len()).collect();
        if attempt.number() > 1 {
            let definition = &self.info.definition;
            let is_given = matches!(definition.identifier_kind(), IdentifierKind::Given(_));
            let identifier = is_given.then(|| definition.identifier());
            let unique = definition.unique_constraints().flat_map(UniqueConstraint::fields).map(|field| &**field);
            let fields: Vec<_> = identifier.into_iter().chain(unique).collect();
            order.sort_by_cached_key(|index| {
                let values = entities.get(*index).map(|entity| fields.iter().map(|field| entity.value(field)));
                values.map(Iterator::collect::<Vec<_>>)
            });
        }
        order
    }

    /// Updates all entities of a batch in one transaction. Returns the entities in the order of the request.
    pub(in crate::endpoints) async fn update_batch(
        &self,
        call: &Call,
        mut items: Vec<(Target, Sent)>,
    ) -> Result<Vec<Box<dyn AnyEntity>>> {
        for (index, (_, changes)) in items.iter_mut().enumerate() {
            let prepared = self.prepare_changes(call, changes).await;
            prepared.map_err(|problem| problem.below(&format!("{}{CHANGES}", place(index))))?;
        }
        let targets: Vec<_> = items.iter().map(|(target, _)| target).collect();
        self.run(call, None, async |attempt| {
            let mut unit = Unit::begin_batch(self, call, attempt).await?;
            let update = async |index: usize| match items.get(index) {
                Some((target, changes)) => self.update_one(&mut unit, call, target, changes).await.map_err(missing),
                None => Err(StoreError::NotFound.into()),
            };
            let updated = each(self.lock_order(&targets), update).await?;
            let (mut updated, changes): (Vec<_>, Vec<_>) = updated.into_iter().unzip();
            let changes = unit.changes(|| changes);
            unit.commit(changes, &mut updated).await?;
            Ok(updated)
        })
        .await
    }

    async fn update_one(
        &self,
        unit: &mut Unit<'_>,
        call: &Call,
        target: &Target,
        changes: &Sent,
    ) -> Result<(Box<dyn AnyEntity>, ErasedChange), Failure> {
        let Found { entity: before, version } = find_target(unit, call, target).await?;
        let changed = self.changed(unit, call, &*before, changes).await;
        let mut entity = changed.map_err(|failure| failure.at(CHANGES.to_owned()))?;
        self.statement(call).stamp(&mut *entity, false)?;
        let updated = unit.update(&*before, entity, version).await;
        let after = updated.map_err(|failure| failure.at(CHANGES.to_owned()))?.entity;
        Ok((after.clone(), CommittedChange::Updated { before, after }))
    }

    /// Deletes all entities of a batch in one transaction.
    pub(in crate::endpoints) async fn delete_batch(&self, call: &Call, targets: Vec<Target>) -> Result<()> {
        let targets: Vec<_> = targets.iter().collect();
        self.run(call, None, async |attempt| {
            let mut unit = Unit::begin_batch(self, call, attempt).await?;
            let delete = async |index: usize| match targets.get(index) {
                Some(target) => self.delete_one(&mut unit, call, target).await.map_err(missing),
                None => Err(StoreError::NotFound.into()),
            };
            let deleted = each(self.lock_order(&targets), delete).await?;
            let deleted = deleted.into_iter().map(CommittedChange::Deleted).collect();
            let changes = unit.changes(|| deleted);
            unit.commit(changes, &mut Vec::new()).await
        })
        .await
    }

    async fn delete_one(
        &self,
        unit: &mut Unit<'_>,
        call: &Call,
        target: &Target,
    ) -> Result<Box<dyn AnyEntity>, Failure> {
        let Found { entity, version } = find_target(unit, call, target).await?;
        unit.run_hooks(Moment::BeforeDelete(&*entity)).await?;
        unit.delete(&*target.id, Some(version)).await.map_err(|failure| match failure {
            Failure::Problem(problem) => {
                Failure::Problem(with_violation(problem, "/id", "refers to an entity that cannot be deleted"))
            }
            failure => failure,
        })?;
        unit.run_hooks(Moment::AfterDelete(&*entity)).await?;
        Ok(entity)
    }

    /// Returns the order in which the entities of a batch are changed. All batches use descending identifiers, so two of them cannot
    /// deadlock. Entities that refer to older ones are deleted before these.
    fn lock_order(&self, targets: &[&Target]) -> Vec<usize> {
        let mut order: Vec<_> = (0..targets.len()).rev().collect();
        order.sort_by_cached_key(|index| {
            let value = targets.get(*index).map(|target| self.info.identifier(target.id.to_value()).into_owned());
            std::cmp::Reverse(value)
        });
        order
    }
}

/// The JSON Pointer of the changes in an item of a batch.
const CHANGES: &str = "/changes";

/// Finds the entity of an item that the caller may change or delete, and checks its tag.
async fn find_target(unit: &mut Unit<'_>, call: &Call, target: &Target) -> Result<Found, Failure> {
    let found = unit.get_writable(&*target.id).await?;
    match &target.if_match {
        Some(expected) if !expected.matches(&tag(found.version, call)) => {
            let problem = Problem::new(catalogue::PRECONDITION_FAILED)
                .detail("`if_match` is not the current entity tag. Load the entity again.")
                .detail_key("precondition_failed.batch");
            Err(with_violation(problem, "/if_match", "is not the current entity tag").into())
        }
        _ => Ok(found),
    }
}

/// Runs an operation on each item of a batch, one after the other in the given order. Returns the results in the order of the items. A failure
/// gets the position of its item.
async fn each<T>(
    order: Vec<usize>,
    mut operation: impl AsyncFnMut(usize) -> Result<T, Failure>,
) -> Result<Vec<T>, Failure> {
    let mut done = Vec::with_capacity(order.len());
    for index in order {
        let one = operation(index).await.map_err(|failure| failure.at(place(index)))?;
        done.push((index, one));
    }
    done.sort_unstable_by_key(|(index, _)| *index);
    Ok(done.into_iter().map(|(_, one)| one).collect())
}

fn place(index: usize) -> String {
    format!("/data/{index}")
}

/// Reports an entity that is missing or hidden as a violation of the identifier in its item.
fn missing(failure: Failure) -> Failure {
    match failure {
        Failure::Store(StoreError::NotFound, _) => {
            let message = "refers to an entity that does not exist";
            let violation = Violation::new("/id", codes::MISSING_REFERENCE, message);
            Failure::Problem(Violations::one(violation).into())
        }
        failure => failure,
    }
}

/// Adds the violation of an item that conflicts with the state of the store.
fn with_violation(problem: Problem, pointer: &str, message: &str) -> Problem {
    let mut violations = RequestViolations::new(1);
    violations.push(ViolationLocation::Body, Violation::new(pointer, codes::CONFLICT, message));
    problem.violations(violations.iter().cloned())
}
