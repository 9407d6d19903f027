//! Defines [`Unit`], one attempt to run an operation, optionally in a transaction.

use std::borrow::Cow;
use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use restwright_core::runtime::log;
use restwright_core::schema::Mode;
use restwright_core::{Problem, Result};
use restwright_list::Value;
use tracing::{Instrument, Span};

use super::act::Act;
use super::entities::Entities;
use super::hook_context::HookContext;
use super::hooks::{ErasedChange, ErasedHooks, Moment};
use crate::endpoints::caller::call::Call;
use crate::endpoints::caller::problem::{Failure, of_delete, too_slow};
use crate::endpoints::caller::row_rules::{self, Gate};
use crate::endpoints::declare::info::ResourceInfo;
use crate::endpoints::erased::any_entity::{AnyEntity, AnyIdentifier, Found};
use crate::endpoints::erased::item::ListedEntities;
use crate::endpoints::read::body::Sent;
use crate::entity::{Entity, Version};
use crate::store::{Attempt, IsReplaced, ListQuery, Statement, Store, StoreError, Transaction, commit};

/// One attempt to run an operation, with its statements and hooks. They run in one transaction if there are hooks or an idempotency key in
/// the database.
pub(in crate::endpoints) struct Unit<'u> {
    entities: &'u Entities,
    call: &'u Call,
    store: Arc<dyn Store>,
    transaction: Option<Transaction>,
    /// `true` if the transaction also stores the idempotency key. The transaction is then committed with the response.
    is_of_claim: bool,
    /// `true` if the attempt locks the entities that it finds.
    locks: bool,
    /// `true` if the last call of `find` found an entity that the policy hides.
    hides: bool,
    /// Returns `true` for a field that the operation replaces without reading it.
    pub(super) is_replaced: Option<&'u IsReplaced<'u>>,
}

/// Returns the rules for the entities of an operation.
fn gate<'g>(entities: &'g Entities, call: &'g Call, store: &'g dyn Store) -> Gate<'g> {
    let ResourceInfo { definition, names, .. } = &*entities.info;
    Gate { store, definition, scope: &call.scope, caller: &call.identity, name: &names.id }
}

impl<'u> Unit<'u> {
    /// Starts an attempt to run an operation. The attempt uses the transaction of the idempotency key. Without this transaction, it begins
    /// a new transaction if the operation has hooks or `is_several` is set, because it runs several statements.
    pub(in crate::endpoints) async fn begin(
        entities: &'u Entities,
        call: &'u Call,
        attempt: Attempt,
        is_several: bool,
    ) -> Result<Self, Failure> {
        let mut unit = Self::read(entities, call).await?;
        unit.transaction = call.claim.begin(&*unit.store).await?;
        unit.is_of_claim = unit.transaction.is_some();
        if unit.transaction.is_none() && (is_several || call.runs_hooks) {
            unit.transaction = Some(unit.store.begin_attempt(attempt.number()).await?);
        }
        Ok(unit)
    }

    /// Starts an attempt that only reads, without a transaction and without hooks.
    pub(in crate::endpoints) async fn read(entities: &'u Entities, call: &'u Call) -> Result<Self, Failure> {
        if entities.has_guarded_parents {
            entities.check_parents(call).await?;
        }
        let store = entities.store_for(call)?;
        Ok(Self {
            entities,
            call,
            store,
            transaction: None,
            is_of_claim: false,
            locks: false,
            hides: false,
            is_replaced: None,
        })
    }

    /// Starts one attempt at an operation that finds and changes a single entity. A store may run both statements on one connection, or in a
    /// transaction that locks the entity.
    pub(super) async fn begin_change(
        entities: &'u Entities,
        call: &'u Call,
        attempt: Attempt,
    ) -> Result<Self, Failure> {
        let is_several = row_rules::checks_stored(&*entities.store, &entities.info.definition);
        let mut unit = Self::begin(entities, call, attempt, is_several).await?;
        unit.locks = attempt.locks();
        if unit.transaction.is_none() {
            unit.transaction = unit.store.begin_change(unit.locks).await?;
        }
        Ok(unit)
    }

    /// Starts one attempt at an operation that changes several entities, in a transaction. A later attempt locks the entities.
    pub(super) async fn begin_batch(entities: &'u Entities, call: &'u Call, attempt: Attempt) -> Result<Self, Failure> {
        let mut unit = Self::begin(entities, call, attempt, true).await?;
        unit.locks = attempt.locks();
        Ok(unit)
    }

    /// Returns the store and a new statement with the scope and the transaction of the attempt.
    fn statement(&mut self) -> (&dyn Store, Statement<'_>) {
        let statement = Statement::new(&self.entities.info.definition).scoped(&self.call.scope);
        let statement = match &mut self.transaction {
            Some(transaction) => statement.within(transaction),
            None => statement,
        };
        (&*self.store, statement)
    }

    pub(super) async fn find(&mut self, id: &dyn AnyIdentifier) -> Result<Option<Found>, Failure> {
        let identifier = self.entities.info.identifier(id.to_value());
        let (kind, locks, is_replaced) = (self.entities.info.kind, self.locks, self.is_replaced);
        let (store, statement) = self.statement();
        let statement = match is_replaced {
            Some(is_replaced) => statement.replacing(is_replaced),
            None => statement,
        };
        let statement = if locks { statement.for_update() } else { statement };
        let Some(mut found) = kind.find(store, statement, &identifier).await? else { return Ok(None) };
        let definition = &self.entities.info.definition;
        self.hides =
            !gate(self.entities, self.call, &*self.store).sees(self.transaction.as_mut(), &*found.entity).await?;
        if self.hides {
            log(|| tracing::debug!(entity = definition.name(), "the policy hides the entity from the caller"));
            return Ok(None);
        }
        self.entities.info.attach(&mut *found.entity)?;
        Ok(Some(found))
    }

    /// Returns `true` if the last call of [`find`](Self::find) found an entity that the policy hides.
    pub(super) fn hides(&self) -> bool {
        self.hides
    }

    pub(super) async fn get(&mut self, id: &dyn AnyIdentifier) -> Result<Found, Failure> {
        Ok(self.find(id).await?.ok_or(StoreError::NotFound)?)
    }

    /// Finds an entity and checks that the caller may change or delete the entity.
    pub(in crate::endpoints) async fn get_writable(&mut self, id: &dyn AnyIdentifier) -> Result<Found, Failure> {
        let found = self.get(id).await?;
        self.check_writable(&*found.entity).await?;
        Ok(found)
    }

    pub(super) async fn check_writable(&mut self, entity: &dyn AnyEntity) -> Result<(), Failure> {
        gate(self.entities, self.call, &*self.store).check_writable(self.transaction.as_mut(), entity).await
    }

    /// Checks that the caller may store an entity, and can see the entities that it refers to.
    async fn check_result(&mut self, before: Option<&dyn AnyEntity>, after: &dyn AnyEntity) -> Result<(), Failure> {
        let before = before.map(|before| before as &dyn Entity);
        gate(self.entities, self.call, &*self.store).check_result(self.transaction.as_mut(), before, after).await
    }

    /// Returns the entities that match a query. With `is_counted`, also returns the number of all matching entities.
    pub(in crate::endpoints) async fn list(
        &mut self,
        query: &ListQuery<'_>,
        is_counted: bool,
    ) -> Result<(ListedEntities, u64), Failure> {
        let Entities { stale_lists, info, .. } = self.entities;
        let restricted;
        let query = match gate(self.entities, self.call, &*self.store).restricted(&query.filter)? {
            Cow::Owned(filter) => {
                restricted = query.with_filter(filter);
                &restricted
            }
            Cow::Borrowed(_) => query,
        };
        let (store, statement) = self.statement();
        let statement = if *stale_lists { statement.allow_stale() } else { statement };
        let (mut listed, total) = info.kind.list(store, statement, query, is_counted).await?;
        listed.items.iter_mut().try_for_each(|entity| info.attach(&mut **entity))?;
        Ok((listed, total))
    }

    /// Returns the first matching entities of a query, separately for each key.
    pub(in crate::endpoints) async fn list_per_key(
        &mut self,
        query: &ListQuery<'_>,
        fields: &[&str],
        keys: &[Vec<Value<'static>>],
    ) -> Result<Vec<Box<dyn AnyEntity>>, Failure> {
        let info = &self.entities.info;
        let filter = gate(self.entities, self.call, &*self.store).restricted(&query.filter)?;
        let query = query.with_filter(filter.into_owned());
        let (store, statement) = self.statement();
        let mut listed = info.kind.list_per_key(store, statement, &query, (fields, keys)).await?;
        listed.iter_mut().try_for_each(|entity| info.attach(&mut **entity))?;
        Ok(listed)
    }

    pub(super) async fn delete(&mut self, id: &dyn AnyIdentifier, expected: Option<Version>) -> Result<(), Failure> {
        let info = &self.entities.info;
        let (identifier, now) = (info.identifier(id.to_value()), self.call.now);
        let (store, statement) = self.statement();
        let deleted = info.kind.delete(store, statement.at(now), &identifier, expected).await;
        deleted.map_err(|error| of_delete(error, &info.names))
    }

    /// Inserts an entity, and runs its hooks before and after the insert.
    pub(super) async fn insert(&mut self, mut entity: Box<dyn AnyEntity>) -> Result<Found, Failure> {
        self.run_hooks(Moment::BeforeCreate(&mut *entity)).await?;
        self.check_result(None, &*entity).await?;
        let info = &self.entities.info;
        let (store, statement) = self.statement();
        let mut created = info.kind.insert(store, statement, entity).await?;
        if row_rules::checks_stored(&*self.store, &info.definition) {
            self.check_result(None, &*created.entity).await?;
        }
        info.attach(&mut *created.entity)?;
        self.run_hooks(Moment::AfterCreate(&*created.entity)).await?;
        Ok(created)
    }

    /// Replaces an entity that has the given version, and runs its hooks before and after the update.
    pub(super) async fn update(
        &mut self,
        before: &(dyn AnyEntity + 'static),
        mut entity: Box<dyn AnyEntity>,
        version: Version,
    ) -> Result<Found, Failure> {
        self.run_hooks(Moment::BeforeUpdate(before, &mut *entity)).await?;
        self.check_result(Some(before), &*entity).await?;
        let info = &self.entities.info;
        let (store, statement) = self.statement();
        let mut updated = info.kind.update(store, statement, entity, version).await?;
        if row_rules::checks_stored(&*self.store, &info.definition) {
            self.check_result(Some(before), &*updated.entity).await?;
        }
        info.attach(&mut *updated.entity)?;
        self.run_hooks(Moment::AfterUpdate(before, &*updated.entity)).await?;
        Ok(updated)
    }

    /// Runs the hooks for a point in an operation one after another, and checks the entity after each hook.
    pub(in crate::endpoints) async fn run_hooks(&mut self, mut moment: Moment<'_, '_>) -> Result<(), Failure> {
        let (Some(head), Some(transaction)) = (&self.call.head, &mut self.transaction) else { return Ok(()) };
        let mode = moment.mode();
        for hooks in self.entities.hooks.iter().filter(|hooks| hooks.run_in(mode)) {
            let before = moment.changeable().map(|entity| self.entities.hooked(entity, mode));
            let mut context = HookContext { store: &*self.store, transaction, call: self.call, head };
            let limit = self.entities.hook_timeout;
            let ran = tokio::time::timeout(limit, hooks.run(&mut context, moment.reborrow())?).await;
            ran.map_err(|_elapsed| too_slow(hooks.name()))??;
            if let (Some(before), Some(entity)) = (before, moment.changeable()) {
                self.entities.check_hooked(&before, &self.entities.hooked(entity, mode), hooks.name())?;
            }
        }
        Ok(())
    }

    /// Runs an action on an entity. Checks the changed entity as after a hook.
    pub(super) async fn act(
        &mut self,
        entity: &mut (dyn AnyEntity + 'static),
        name: &str,
        action: &dyn Act,
    ) -> Result<(), Failure> {
        let (Some(head), Some(transaction)) = (&self.call.head, &mut self.transaction) else {
            return Err(Problem::internal("an action ran without a caller or a transaction").into());
        };
        let before = self.entities.hooked(entity, Mode::Update);
        let mut context = HookContext { store: &*self.store, transaction, call: self.call, head };
        let acted = tokio::time::timeout(self.entities.hook_timeout, action.act(entity, &mut context)?).await;
        acted.map_err(|_elapsed| too_slow(name))??;
        Ok(self.entities.check_hooked(&before, &self.entities.hooked(entity, Mode::Update), name)?)
    }

    /// Applies the presenters to a copy of an entity, if the client sent read-only members. These members are compared with the values that
    /// the client can see, so a client cannot guess a hidden value.
    pub(super) async fn shown(
        &mut self,
        entity: &dyn AnyEntity,
        sent: &Sent,
    ) -> Result<Option<Box<dyn AnyEntity>>, Failure> {
        if sent.unchanged.is_empty() {
            return Ok(None);
        }
        self.presented(entity).await.map(Some)
    }

    /// Returns a copy of an entity, changed by the presenters.
    pub(super) async fn presented(&mut self, entity: &dyn AnyEntity) -> Result<Box<dyn AnyEntity>, Failure> {
        let mut shown = vec![entity.cloned()];
        self.run_hooks(Moment::Present(&mut shown)).await?;
        only(shown)
    }

    /// Calls the function `changes` to collect the committed changes for the `after_commit` hooks. Returns an empty list if there are no
    /// hooks.
    pub(super) fn changes(&self, changes: impl FnOnce() -> Vec<ErasedChange>) -> Vec<ErasedChange> {
        if self.entities.hooks.is_empty() { Vec::new() } else { changes() }
    }

    /// Runs the presenters on the entities of the response, commits the transaction, and runs the hooks after the commit. The response waits for
    /// these hooks for at most the time limit of one hook. The commit and the hooks continue if the request ends.
    ///
    /// The middleware of an idempotency key commits the transaction of the key, together with the response.
    pub(in crate::endpoints) async fn commit(
        mut self,
        changes: Vec<ErasedChange>,
        shown: &mut Vec<Box<dyn AnyEntity>>,
    ) -> Result<(), Failure> {
        self.run_hooks(Moment::Present(shown)).await?;
        let Some(transaction) = self.transaction.filter(|transaction| !self.store.is_committed(transaction)) else {
            return Ok(());
        };
        // The hooks run in the span of the request instead of the span of the task that commits.
        let span = if changes.is_empty() { Span::none() } else { Span::current() };
        let following = follow_within(self.entities.hook_timeout, Arc::clone(&self.entities.hooks), changes, span);
        if self.is_of_claim {
            self.call.claim.finish(transaction, Box::pin(following));
            return Ok(());
        }
        Ok(commit(&*self.store, transaction, Box::pin(following)).await?)
    }

    /// Commits a transaction like [`commit`](Self::commit), with one entity in the response.
    pub(super) async fn commit_one(
        self,
        changes: Vec<ErasedChange>,
        shown: Box<dyn AnyEntity>,
    ) -> Result<Box<dyn AnyEntity>, Failure> {
        let mut shown = vec![shown];
        self.commit(changes, &mut shown).await?;
        only(shown)
    }
}

/// Returns the only entity of a response.
fn only(mut shown: Vec<Box<dyn AnyEntity>>) -> Result<Box<dyn AnyEntity>, Failure> {
    shown
        .pop()
        .ok_or_else(|| Problem::internal("the response must contain one entity after its presenters have run").into())
}

/// Runs the `after_commit` hooks in a task, and waits until the task ends or the duration `limit` has passed. The limit is the time limit
/// of one hook.
async fn follow_within(limit: Duration, hooks: Arc<[Arc<dyn ErasedHooks>]>, changes: Vec<ErasedChange>, span: Span) {
    if changes.is_empty() {
        return;
    }
    let following = tokio::spawn(async move { follow(&hooks, changes).await }.instrument(span));
    if tokio::time::timeout(limit, following).await.is_err() {
        log(|| {
            tracing::warn!(
                "the hooks after a commit take longer than their time limit; the response does not wait for them"
            )
        });
    }
}

/// Runs the `after_commit` hooks one after another. If a hook panics, the other hooks still run, and nothing is undone.
async fn follow(hooks: &[Arc<dyn ErasedHooks>], changes: Vec<ErasedChange>) {
    for change in changes.into_iter().map(Arc::new) {
        for hooks in hooks.iter().filter(|hooks| hooks.run_in(change.mode())) {
            let (following, change, name) = (Arc::clone(hooks), Arc::clone(&change), hooks.name());
            let following = async move {
                following.after_commit(&change)?.await;
                Ok::<_, Problem>(())
            };
            let followed = tokio::spawn(following.in_current_span());
            let error: Box<dyn Error> = match followed.await {
                Ok(Ok(())) => continue,
                Ok(Err(error)) => error.into(),
                Err(error) => error.into(),
            };
            log(|| tracing::error!(%error, hook = name, "a hook failed after its commit"));
        }
    }
}
