//! Runs the operations of a resource on the entities in its store.

use restwright_core::Result;
use restwright_core::body::Bytes;
use restwright_core::conditional::Preconditions;
use restwright_core::schema::{Checks, Mode, Violation, Violations, pointer_to};
use restwright_list::Expression;

use super::act::Act;
use super::changed::check_changed;
use super::entities::{Entities, check_preconditions};
use super::hooks::{CommittedChange, Moment};
use super::unit::Unit;
use crate::codes;
use crate::definition::{IdentifierKind, Managed};
use crate::endpoints::caller::call::Call;
use crate::endpoints::caller::problem::Failure;
use crate::endpoints::caller::row_rules;
use crate::endpoints::erased::any_entity::{AnyBody, AnyEntity, AnyIdentifier, Found};
use crate::endpoints::erased::item::ListedEntities;
use crate::endpoints::read::body::{Sent, has_member};
use crate::endpoints::read::list_request::ListRequest;
use crate::endpoints::read::search;
use crate::endpoints::read::update_body::UpdateBody;
use crate::entity::{Version, Versioned};
use crate::store::{Attempt, ListQuery, Statement, StoreError};

impl Entities {
    pub(in crate::endpoints) async fn create(&self, call: &Call, new: Box<dyn AnyBody>) -> Result<Found> {
        let sent = (!self.steps.of_new.is_empty()).then(|| new.clone());
        let mut entity = self.new_entity(call, new)?;
        if let Some(new) = sent {
            entity = self.prepared_entity(call, new, &*entity).await?;
        }
        // An insert with an idempotency key may conflict with another request with this key.
        if !call.runs_hooks && !self.store.retries_inserts() && !call.claim.is_given() {
            return self.insert(call, entity, Attempt::FIRST).await.map_err(|failure| self.problem(failure, call));
        }
        self.run(call, None, async |attempt| self.insert(call, entity.clone(), attempt).await).await
    }

    async fn insert(&self, call: &Call, entity: Box<dyn AnyEntity>, attempt: Attempt) -> Result<Found, Failure> {
        let is_several = row_rules::checks_stored(&*self.store, &self.info.definition);
        let mut unit = Unit::begin(self, call, attempt, is_several).await?;
        let mut created = unit.insert(entity).await?;
        let changes = unit.changes(|| vec![CommittedChange::Created(created.entity.clone())]);
        created.entity = unit.commit_one(changes, created.entity).await?;
        Ok(created)
    }

    pub(in crate::endpoints) async fn view(&self, call: &Call, id: &(dyn AnyIdentifier + 'static)) -> Result<Found> {
        self.run(call, Some(id), async |attempt| {
            let mut unit = Unit::begin(self, call, attempt, false).await?;
            unit.run_hooks(Moment::BeforeView(id)).await?;
            let mut found = unit.get(id).await?;
            found.entity = unit.commit_one(Vec::new(), found.entity).await?;
            Ok(found)
        })
        .await
    }

    /// Returns the entities of one page and the number of all matching entities.
    pub(in crate::endpoints) async fn list(&self, call: &Call, request: &ListRequest) -> Result<(ListedEntities, u64)> {
        let (listed, total, ()) = self.list_noting(call, request, |_| Ok(())).await?;
        Ok((listed, total))
    }

    /// Returns the entities of one page like [`list`](Self::list). The function `note` reads the entities before presenters change them.
    pub(in crate::endpoints) async fn list_noting<T>(
        &self,
        call: &Call,
        request: &ListRequest,
        note: impl Fn(&[Box<dyn AnyEntity>]) -> Result<T>,
    ) -> Result<(ListedEntities, u64, T)> {
        self.run(call, None, async |attempt| {
            if !self.has_guarded_parents {
                self.check_parents(call).await?;
            }
            let mut unit = Unit::begin(self, call, attempt, false).await?;
            let searched = request.search.as_deref();
            let searched = searched.map(|text| search::condition(text, &self.info.definition, &call.rights));
            let filter = searched.into_iter().fold(request.filter.clone(), Expression::and);
            let mut query = ListQuery::of(filter, request.order.clone(), request.page.window()).skip_unreadable();
            query.related.clone_from(&request.related);
            unit.run_hooks(Moment::BeforeList(&mut query)).await?;
            let (mut listed, total) = unit.list(&query, request.page.is_counted()).await?;
            let noted = note(&listed.items)?;
            unit.commit(Vec::new(), &mut listed.items).await?;
            Ok((listed, total, noted))
        })
        .await
    }

    /// Updates an entity. After a concurrent change, the update is repeated on the changed entity, so no concurrent change is overwritten.
    /// The preconditions are checked before each attempt.
    pub(in crate::endpoints) async fn update(
        &self,
        call: &Call,
        id: &dyn AnyIdentifier,
        preconditions: &Preconditions,
        mut body: UpdateBody,
    ) -> Result<Found> {
        if let UpdateBody::Merge(changes) = &mut body {
            self.prepare_changes(call, changes).await?;
        }
        // Hooks and policies read all fields.
        let replacing = match &body {
            UpdateBody::Merge(changes) if !call.runs_hooks => changes.json.clone(),
            _ => Bytes::new(),
        };
        let is_replaced = |field: &str| {
            !row_rules::needs_before(&*self.store, &self.info.definition) && has_member(&replacing, field)
        };
        let updated = self.run(call, Some(id), async |attempt| {
            let mut unit = Unit::begin_change(self, call, attempt).await?;
            unit.is_replaced = Some(&is_replaced);
            let found = unit.get_writable(id).await?;
            check_preconditions(preconditions, found.version, call)?;
            let sent;
            let changes = match &body {
                UpdateBody::Merge(changes) => changes,
                UpdateBody::Patch(patch) => {
                    let shown = unit.presented(&*found.entity).await?;
                    // The pointers of these violations refer to the operations already.
                    match patch.sent(shown, &call.rights) {
                        Ok(changes) => sent = changes,
                        Err(problem) => return Ok(Err(problem)),
                    }
                    &sent
                }
            };
            let entity = self.changed(&mut unit, call, &*found.entity, changes).await?;
            self.write(unit, call, found.entity, entity, found.version).await.map(Ok)
        });
        match (updated.await, &body) {
            (Err(problem), UpdateBody::Patch(patch)) => Err(patch.located(problem)),
            (updated, _) => updated?,
        }
    }

    /// Returns an entity with the changes of a request body. Changes nothing in the store.
    pub(super) async fn changed(
        &self,
        unit: &mut Unit<'_>,
        call: &Call,
        before: &dyn AnyEntity,
        changes: &Sent,
    ) -> Result<Box<dyn AnyEntity>, Failure> {
        let shown = unit.shown(before, changes).await?;
        let change = |changes: &dyn AnyBody| {
            let mut entity = before.cloned();
            let mut violations = Violations::default();
            entity.change(changes.cloned(), &mut Checks::new(&mut violations))?;
            self.keep(before, &mut *entity)?;
            Ok::<_, Failure>((entity, violations))
        };
        let (entity, violations) = change(&*changes.value)?;
        check_changed(before, shown, &*entity, changes, violations, &call.rights)?;
        let Some(prepared) = &changes.prepared else { return Ok(entity) };
        let (prepared, violations) = change(&**prepared)?;
        self.check_prepared(Mode::Update, &self.steps.of_update, &*entity, (&*prepared, violations))?;
        Ok(prepared)
    }

    /// Runs an action on an entity and stores the changed entity, like an update.
    pub(in crate::endpoints) async fn act(
        &self,
        call: &Call,
        id: &dyn AnyIdentifier,
        preconditions: Option<&Preconditions>,
        name: &str,
        action: &dyn Act,
    ) -> Result<Found> {
        self.run(call, Some(id), async |attempt| {
            let mut unit = Unit::begin_change(self, call, attempt).await?;
            let Versioned { entity: before, version } = unit.get_writable(id).await?;
            if let Some(preconditions) = preconditions {
                check_preconditions(preconditions, version, call)?;
            }
            let mut entity = before.clone();
            unit.act(&mut *entity, name, action).await?;
            self.keep(&*before, &mut *entity)?;
            self.write(unit, call, before, entity, version).await
        })
        .await
    }

    /// Deletes an entity. Returns the deleted entity if the operation had to read it.
    pub(in crate::endpoints) async fn delete(
        &self,
        call: &Call,
        id: &dyn AnyIdentifier,
        preconditions: &Preconditions,
        is_returned: bool,
    ) -> Result<Option<Box<dyn AnyEntity>>> {
        // Without a precondition, any state may be deleted. A required precondition that is missing fails without a read.
        let is_read = is_returned
            || call.runs_hooks
            || self.info.definition.has_policy()
            || preconditions.are_given()
            || preconditions.check(None).is_err();
        self.run(call, Some(id), async |attempt| {
            if !is_read {
                let mut unit = Unit::begin(self, call, attempt, false).await?;
                unit.delete(id, None).await?;
                return Ok(None);
            }
            let mut unit = Unit::begin_change(self, call, attempt).await?;
            let Versioned { entity, version } = unit.get_writable(id).await?;
            check_preconditions(preconditions, version, call)?;
            unit.run_hooks(Moment::BeforeDelete(&*entity)).await?;
            unit.delete(id, Some(version)).await?;
            unit.run_hooks(Moment::AfterDelete(&*entity)).await?;
            let changes = unit.changes(|| vec![CommittedChange::Deleted(entity.clone())]);
            Ok(Some(unit.commit_one(changes, entity).await?))
        })
        .await
    }

    pub(super) async fn write(
        &self,
        mut unit: Unit<'_>,
        call: &Call,
        before: Box<dyn AnyEntity>,
        mut entity: Box<dyn AnyEntity>,
        version: Version,
    ) -> Result<Found, Failure> {
        self.statement(call).stamp(&mut *entity, false)?;
        let mut updated = unit.update(&*before, entity, version).await?;
        let changes = unit.changes(|| vec![CommittedChange::Updated { before, after: updated.entity.clone() }]);
        updated.entity = unit.commit_one(changes, updated.entity).await?;
        Ok(updated)
    }

    pub(super) fn new_entity(&self, call: &Call, new: Box<dyn AnyBody>) -> Result<Box<dyn AnyEntity>> {
        let (entity, violations) = self.stamped(call, new)?;
        violations.into_result()?;
        Ok(entity)
    }

    /// Creates an entity from a request body, and sets its scope and times. Also returns the violations of the custom checks, and
    /// violations of an identifier that the client chose.
    pub(super) fn stamped(&self, call: &Call, new: Box<dyn AnyBody>) -> Result<(Box<dyn AnyEntity>, Violations)> {
        let mut entity = self.info.create(new)?;
        self.statement(call).stamp(&mut *entity, true).map_err(|error| self.problem(error.into(), call))?;
        let mut violations = entity.own_violations().map(|one| call.rights.concealed(one, None));
        let definition = &self.info.definition;
        let is_given = matches!(definition.identifier_kind(), IdentifierKind::Given(_));
        let message = match entity.value(definition.identifier()).as_text().filter(|_| is_given) {
            Some("batch") if self.info.batch.is_some() => "is the path of an operation; choose another",
            Some("query") if self.info.has_query_path => "is the path of an operation; choose another",
            // Clients remove these segments from a path (RFC 3986, section 5.2.4).
            Some("" | "." | "..") => "cannot be a segment of a path; choose another",
            _ => return Ok((entity, violations)),
        };
        violations.push(Violation::new(pointer_to(definition.identifier()), codes::CONFLICT, message));
        Ok((entity, violations))
    }

    /// Checks that the identifier of an entity equals the identifier in the path.
    pub(super) fn check_identifier(&self, entity: &dyn AnyEntity, id: &dyn AnyIdentifier) -> Result<()> {
        let identifier = self.info.definition.identifier();
        if entity.value(identifier) == self.info.identifier(id.to_value()) {
            return Ok(());
        }
        let message = "differs from the identifier in the path";
        Ok(Violations::one(Violation::new(pointer_to(identifier), codes::READ_ONLY, message)).into_result()?)
    }

    /// Resets the identifier, the scope and the creation time of a changed entity to the stored values.
    pub(super) fn keep(&self, before: &dyn AnyEntity, entity: &mut dyn AnyEntity) -> Result<(), StoreError> {
        let definition = &self.info.definition;
        let kept = definition.fields().filter(|field| {
            field.name() == definition.identifier() || field.is_scope() || field.managed() == Some(Managed::CreatedAt)
        });
        for field in kept {
            let value = before.value(field.name());
            if entity.value(field.name()) != value {
                Statement::new(definition).set_in(entity, field.name(), value.into_owned())?;
            }
        }
        Ok(())
    }
}
