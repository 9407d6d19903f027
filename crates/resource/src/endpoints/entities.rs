//! [`Entities`]: the operations of a resource on its store.

use std::borrow::Cow;
use std::slice;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use restwright_core::Result;
use restwright_core::conditional::{EntityTag, Preconditions};
use restwright_core::schema::{Checks, CompiledSchema, Violation, Violations, pointer_to};
use restwright_list::{FieldValue, ListSlice, SortBag, Uncounted};

use super::ResourcePagination;
use super::body::Sent;
use super::call::{Call, does_not_take, set_scope, set_times};
use super::changed::{check_changed, check_created, own_violations};
use super::hook_context::HookContext;
use super::hooks::{CommittedChange, ErasedHooks, Moment};
use super::info::{ResourceInfo, narrowed};
use super::problem::{Failure, no_parent, problem};
use super::unit::Unit;
use crate::codes;
use crate::definition::{IdentifierKind, Managed};
use crate::entity::{Version, Versioned};
use crate::resource::Resource;
use crate::store::{Attempt, ListQuery, Queues, Repository, Statement, Store, StoreError, repeat, unavailable_if};

/// The entities of a resource in a store.
pub(super) struct Entities<R: Resource, S: Store> {
    pub(super) store: S,
    pub(super) create: Create<R>,
    pub(super) info: Arc<ResourceInfo>,
    pub(super) hooks: Arc<[Arc<dyn ErasedHooks<R, S>>]>,
    pub(super) hook_timeout: Duration,
    pub(super) queues: Queues,
    /// Lists may show entities as they were a while ago.
    pub(super) stale_lists: bool,
    /// The schema of the whole entity, if there are hooks.
    pub(super) schema: Arc<OnceLock<CompiledSchema>>,
}

/// The function that makes an entity of what was sent: [`Resource::create`], or that of a resource that is declared at run time.
pub(super) type Create<R> = Arc<dyn Fn(<R as Resource>::New) -> R + Send + Sync>;

/// The result of a replacement.
pub(super) enum Put<R> {
    Created(R),
    Replaced(R),
}

impl<R: Resource, S: Repository<R>> Entities<R, S> {
    pub(super) async fn create(&self, call: &Call, new: R::New) -> Result<Versioned<R>> {
        let entity = self.new_entity(call, new)?;
        self.run(None, async |attempt| {
            let mut unit = Unit::begin(self, call, attempt).await?;
            let mut created = unit.insert(entity.clone()).await?;
            unit.commit(created_changes, slice::from_mut(&mut created.entity)).await?;
            Ok(created)
        })
        .await
    }

    /// Creates all entities or none.
    pub(super) async fn create_batch(&self, call: &Call, new: Vec<R::New>) -> Result<Vec<R>> {
        let place = |index: usize| format!("/data/{index}");
        let mut entities = Vec::with_capacity(new.len());
        let mut violations = Violations::default();
        for (index, new) in new.into_iter().enumerate() {
            let (entity, found) = self.stamped(call, new)?;
            violations.append(&place(index), found);
            entities.push(entity);
        }
        violations.into_result()?;
        self.run(None, async |attempt| {
            let mut unit = Unit::begin_transaction(self, call, attempt).await?;
            let mut created = Vec::with_capacity(entities.len());
            for index in self.insertion_order(&entities, attempt) {
                let Some(entity) = entities.get(index) else { continue };
                let inserted = unit.insert(entity.clone()).await.map_err(|failure| failure.at(place(index)))?;
                created.push((index, inserted.entity));
            }
            created.sort_unstable_by_key(|(index, _)| *index);
            let mut created: Vec<_> = created.into_iter().map(|(_, entity)| entity).collect();
            unit.commit(created_changes, &mut created).await?;
            Ok(created)
        })
        .await
    }

    /// Returns the order in which an attempt inserts the entities of a batch: as they were sent, and after a conflict by their identifiers and
    /// unique values, so two batches with the same values do not wait for each other again.
    fn insertion_order(&self, entities: &[R], attempt: Attempt) -> Vec<usize> {
        let mut order: Vec<_> = (0..entities.len()).collect();
        if attempt.number() > 1 {
            let definition = &self.info.definition;
            let is_given = matches!(definition.identifier_kind(), IdentifierKind::Given(_));
            let identifier = is_given.then(|| definition.identifier());
            let unique = definition.fields().filter(|field| field.is_unique()).map(|field| field.name());
            let fields: Vec<_> = identifier.into_iter().chain(unique).collect();
            order.sort_by_cached_key(|index| {
                let values = entities.get(*index).map(|entity| fields.iter().map(|field| entity.value(field)));
                values.map(Iterator::collect::<Vec<_>>)
            });
        }
        order
    }

    pub(super) async fn view(&self, call: &Call, id: &R::Id) -> Result<Versioned<R>> {
        self.run(Some(id), async |attempt| {
            let mut unit = Unit::begin(self, call, attempt).await?;
            unit.run_hooks(Moment::BeforeView(id)).await?;
            let mut found = unit.get(id).await?;
            unit.commit(|_| Vec::new(), slice::from_mut(&mut found.entity)).await?;
            Ok(found)
        })
        .await
    }

    /// Returns the entities of a page, and the number of all that match.
    pub(super) async fn list(
        &self,
        call: &Call,
        filters: &R::Filters,
        sort: &SortBag<R::Sort>,
        page: &R::Pagination,
    ) -> Result<(ListSlice<R, Uncounted>, u64)> {
        let query = ListQuery::new(filters, sort, page);
        self.run(None, async |attempt| {
            self.check_parents(call).await?;
            let mut unit = Unit::begin(self, call, attempt).await?;
            let mut query = query.clone();
            unit.run_hooks(Moment::BeforeList(&mut query)).await?;
            let (store, statement) = unit.list_statement();
            let listed = store.list(statement, &query).await?;
            let total = match R::Pagination::COUNTED {
                true => {
                    let (store, statement) = unit.list_statement();
                    Repository::<R>::count(store, statement, &query.filter).await?
                }
                false => 0,
            };
            let mut listed = listed.map(|found: Versioned<R>| found.entity);
            unit.commit(|_| Vec::new(), &mut listed.items).await?;
            Ok((listed, total))
        })
        .await
    }

    /// Changes the entity as it was read, and reads it again if another change was faster, so that none is lost. The preconditions are
    /// checked on each state.
    pub(super) async fn update(
        &self,
        call: &Call,
        id: &R::Id,
        preconditions: &Preconditions,
        changes: &Sent<R::Update>,
    ) -> Result<Versioned<R>> {
        self.run(Some(id), async |attempt| {
            let mut unit = Unit::begin_change(self, call, attempt).await?;
            let Versioned { entity: before, version } = unit.get(id).await?;
            preconditions.check(Some(&tag(version)))?;
            let shown = unit.shown(&before, changes).await?;
            let mut entity = before.clone();
            let mut violations = Violations::default();
            entity.change(changes.value.clone(), &mut Checks::new(&mut violations));
            self.keep(&before, &mut entity)?;
            check_changed(&before, shown, &entity, changes, violations)?;
            self.write(unit, call, before, entity, version).await
        })
        .await
    }

    /// Runs an action on the entity as it was read, and keeps what it leaves, as an update does.
    pub(super) async fn act(
        &self,
        call: &Call,
        id: &R::Id,
        preconditions: &Preconditions,
        name: &str,
        action: &impl AsyncFn(&mut R, &mut HookContext<'_, S>) -> Result<()>,
    ) -> Result<Versioned<R>> {
        self.run(Some(id), async |attempt| {
            let mut unit = Unit::begin_change(self, call, attempt).await?;
            let Versioned { entity: before, version } = unit.get(id).await?;
            preconditions.check(Some(&tag(version)))?;
            let mut entity = before.clone();
            unit.act(&mut entity, name, action).await?;
            self.keep(&before, &mut entity)?;
            self.write(unit, call, before, entity, version).await
        })
        .await
    }

    /// Replaces the entity, or creates it where clients give identifiers.
    pub(super) async fn put(
        &self,
        call: &Call,
        id: &R::Id,
        preconditions: &Preconditions,
        new: &Sent<R::New>,
    ) -> Result<Put<R>> {
        let definition = &self.info.definition;
        self.run(Some(id), async |attempt| {
            let mut unit = Unit::begin_change(self, call, attempt).await?;
            let Some(Versioned { entity: before, version }) = unit.find(id).await? else {
                if !matches!(definition.identifier_kind(), IdentifierKind::Given(_)) {
                    return Err(StoreError::NotFound.into());
                }
                preconditions.check(None)?;
                let entity = self.new_entity(call, new.value.clone())?;
                self.check_identifier(&entity, id)?;
                check_created(unit.shown(&entity, new).await?, new)?;
                let mut created = match unit.insert(entity).await {
                    // Another request has created it meanwhile, so that this one replaces it.
                    Err(Failure::Store(StoreError::Conflict { field }, _)) if field == definition.identifier() => {
                        return Err(StoreError::StaleVersion.into());
                    }
                    created => created?.entity,
                };
                unit.commit(created_changes, slice::from_mut(&mut created)).await?;
                return Ok(Put::Created(created));
            };
            preconditions.check(Some(&tag(version)))?;
            let shown = unit.shown(&before, new).await?;
            let mut entity = before.clone();
            entity.replace(new.value.clone());
            if matches!(definition.identifier_kind(), IdentifierKind::Given(_)) {
                self.check_identifier(&entity, id)?;
            }
            self.keep(&before, &mut entity)?;
            check_changed(&before, shown, &entity, new, Violations::default())?;
            Ok(Put::Replaced(self.write(unit, call, before, entity, version).await?.entity))
        })
        .await
    }

    /// Deletes the entity, and returns it if it had to be read.
    pub(super) async fn delete(
        &self,
        call: &Call,
        id: &R::Id,
        preconditions: &Preconditions,
        is_returned: bool,
    ) -> Result<Option<R>> {
        // Without a precondition, any state may go; one that is required and missing fails on any state.
        let is_read =
            is_returned || call.caller.is_some() || preconditions.are_given() || preconditions.check(None).is_err();
        self.run(Some(id), async |attempt| {
            if !is_read {
                let mut unit = Unit::begin(self, call, attempt).await?;
                unit.delete(id, None).await?;
                return Ok(None);
            }
            let mut unit = Unit::begin_change(self, call, attempt).await?;
            let Versioned { mut entity, version } = unit.get(id).await?;
            preconditions.check(Some(&tag(version)))?;
            unit.run_hooks(Moment::BeforeDelete(&entity)).await?;
            unit.delete(id, Some(version)).await?;
            unit.run_hooks(Moment::AfterDelete(&entity)).await?;
            let deleted = |shown: &[R]| shown.iter().cloned().map(CommittedChange::Deleted).collect();
            unit.commit(deleted, slice::from_mut(&mut entity)).await?;
            Ok(Some(entity))
        })
        .await
    }

    async fn write(
        &self,
        mut unit: Unit<'_, R, S>,
        call: &Call,
        before: R,
        mut entity: R,
        version: Version,
    ) -> Result<Versioned<R>, Failure> {
        set_times(&self.info.definition, &mut entity, call.now, false)?;
        let mut updated = unit.update(&before, entity, version).await?;
        let changes = |shown: &[R]| {
            shown.iter().cloned().map(|after| CommittedChange::Updated { before: before.clone(), after }).collect()
        };
        unit.commit(changes, slice::from_mut(&mut updated.entity)).await?;
        Ok(updated)
    }

    fn new_entity(&self, call: &Call, new: R::New) -> Result<R> {
        let (entity, violations) = self.stamped(call, new)?;
        violations.into_result()?;
        Ok(entity)
    }

    /// Returns a new entity with its scope and its times, and the violations of its own checks and of its identifier.
    fn stamped(&self, call: &Call, new: R::New) -> Result<(R, Violations)> {
        let mut entity = (self.create)(new);
        set_scope(&call.scope, &mut entity)?;
        set_times(&self.info.definition, &mut entity, call.now, true)?;
        let mut violations = own_violations(&entity);
        let definition = &self.info.definition;
        let is_given = matches!(definition.identifier_kind(), IdentifierKind::Given(_));
        let message = match entity.value(definition.identifier()).as_text().filter(|_| is_given) {
            Some("batch") if self.info.has_batch => "is the path of an operation; choose another",
            // Clients leave such segments of a path out (RFC 3986, section 5.2.4).
            Some("" | "." | "..") => "cannot be a segment of a path; choose another",
            _ => return Ok((entity, violations)),
        };
        violations.push(Violation::new(pointer_to(definition.identifier()), codes::CONFLICT, message));
        Ok((entity, violations))
    }

    /// Checks that a value has the identifier of the path.
    fn check_identifier(&self, entity: &R, id: &R::Id) -> Result<()> {
        let identifier = self.info.definition.identifier();
        if entity.value(identifier) == self.info.identifier(id.to_value()) {
            return Ok(());
        }
        let message = "differs from the identifier in the path";
        Ok(Violations::one(Violation::new(pointer_to(identifier), codes::READ_ONLY, message)).into_result()?)
    }

    /// Sets what no update and no replacement changes: the identifier, the scope and the time of the creation.
    fn keep(&self, before: &R, entity: &mut R) -> Result<()> {
        let definition = &self.info.definition;
        let kept = definition.fields().filter(|field| {
            field.name() == definition.identifier() || field.is_scope() || field.managed() == Some(Managed::CreatedAt)
        });
        for field in kept {
            let value = before.value(field.name());
            if entity.value(field.name()) != value && !entity.set_value(field.name(), value.into_owned()) {
                return Err(does_not_take::<R>(field.name()));
            }
        }
        Ok(())
    }

    /// Checks that the parents of a list exist in the caller's scope; other statements find nothing without them.
    async fn check_parents(&self, call: &Call) -> Result<(), Failure> {
        let store = self.store_for(call);
        for field in self.info.definition.fields() {
            let (Some(parent), Some(id)) = (field.parent_definition(), call.scope.get(field.name())) else { continue };
            let scope = narrowed(&call.scope, parent);
            if !store.exists(Statement::new(parent).scoped(&scope), id).await? {
                return Err(no_parent(parent).into());
            }
        }
        Ok(())
    }

    /// Returns the store, for the caller if its statements depend on the caller.
    pub(super) fn store_for(&self, call: &Call) -> Cow<'_, S> {
        match &call.identity {
            Some(identity) => Cow::Owned(self.store.for_caller(identity)),
            None => Cow::Borrowed(&self.store),
        }
    }

    /// Runs an operation, and again after a conflict with a concurrent change. Operations with the same identifier share a queue.
    async fn run<T>(&self, id: Option<&R::Id>, operation: impl AsyncFn(Attempt) -> Result<T, Failure>) -> Result<T> {
        let queue = id.map_or_else(|| self.queues.of_all(), |id| self.queues.of_entity(&id.to_value()));
        let outcome = repeat(|error| self.store.retries(error), queue, operation, Failure::cause).await;
        outcome.map_err(|failure| match failure {
            Failure::Store(error, place) => problem(error, &self.info.names, &self.info.definition, &place),
            Failure::Problem(problem) => unavailable_if(self.store.retries(&problem), problem),
        })
    }
}

fn created_changes<R: Clone>(created: &[R]) -> Vec<CommittedChange<R>> {
    created.iter().cloned().map(CommittedChange::Created).collect()
}

/// Returns the tag of a state.
pub(super) fn tag(version: Version) -> EntityTag {
    EntityTag::strong(version.number())
}
