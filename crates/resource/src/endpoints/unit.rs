//! [`Unit`]: one attempt of an operation, in a transaction if it needs one.

use std::sync::Arc;

use restwright_core::problem::{Problem, Result, catalogue};
use restwright_core::schema::Violations;
use restwright_list::FieldValue;
use serde_json::Value as Json;

use super::call::Call;
use super::changed::own_violations;
use super::entities::Entities;
use super::hook_context::HookContext;
use super::hooks::{CommittedChange, ErasedHooks, Moment};
use super::problem::Failure;
use crate::entity::{Version, Versioned};
use crate::resource::Resource;
use crate::store::{Repository, Statement, Store, StoreError};

/// One attempt of an operation: its statements and hooks, in one transaction if there are hooks.
pub(super) struct Unit<'u, R: Resource, S: Store> {
    entities: &'u Entities<R, S>,
    call: &'u Call,
    transaction: Option<S::Transaction>,
}

impl<'u, R: Resource, S: Repository<R>> Unit<'u, R, S> {
    /// Begins an attempt, in a transaction if hooks run in the operation.
    pub(super) async fn begin(entities: &'u Entities<R, S>, call: &'u Call) -> Result<Self, Failure> {
        match call.caller {
            Some(_) => Self::begin_transaction(entities, call).await,
            None => Ok(Self { entities, call, transaction: None }),
        }
    }

    pub(super) async fn begin_transaction(entities: &'u Entities<R, S>, call: &'u Call) -> Result<Self, Failure> {
        let transaction = entities.store.begin().await?;
        Ok(Self { entities, call, transaction: Some(transaction) })
    }

    /// The only place where statements get their scope.
    pub(super) fn statement(&mut self) -> Statement<'_, S> {
        let statement = Statement::new(&self.entities.info.definition).scoped(&self.call.scope);
        match &mut self.transaction {
            Some(transaction) => statement.within(transaction),
            None => statement,
        }
    }

    pub(super) fn store(&self) -> &'u S {
        &self.entities.store
    }

    pub(super) async fn find(&mut self, id: &R::Id) -> Result<Option<Versioned<R>>, Failure> {
        let identifier = self.entities.info.identifier(id.to_value());
        Ok(self.store().find(self.statement(), &identifier).await?)
    }

    pub(super) async fn get(&mut self, id: &R::Id) -> Result<Versioned<R>, Failure> {
        Ok(self.find(id).await?.ok_or(StoreError::NotFound)?)
    }

    /// Inserts an entity, between its hooks.
    pub(super) async fn insert(&mut self, mut entity: R) -> Result<Versioned<R>, Failure> {
        self.run_hooks(Moment::BeforeCreate(&mut entity)).await?;
        let created = self.store().insert(self.statement(), entity).await?;
        self.run_hooks(Moment::AfterCreate(&created.entity)).await?;
        Ok(created)
    }

    /// Replaces an entity of a version, between its hooks.
    pub(super) async fn update(
        &mut self,
        before: &R,
        mut entity: R,
        version: Version,
    ) -> Result<Versioned<R>, Failure> {
        self.run_hooks(Moment::BeforeUpdate(before, &mut entity)).await?;
        let updated = self.store().update(self.statement(), entity, Some(version)).await?;
        self.run_hooks(Moment::AfterUpdate(before, &updated.entity)).await?;
        Ok(updated)
    }

    /// Runs the hooks of a moment, one after another, and checks what each has changed.
    pub(super) async fn run_hooks(&mut self, mut moment: Moment<'_, '_, R>) -> Result<(), Failure> {
        let (Some(caller), Some(transaction)) = (&self.call.caller, &mut self.transaction) else { return Ok(()) };
        let mode = moment.mode();
        for hooks in self.entities.hooks.iter().filter(|hooks| hooks.run_in(mode)) {
            let before = moment.changeable().map(|entity| (json(entity), own_violations(entity)));
            let store = &self.entities.store;
            let mut context = HookContext { store, transaction, call: self.call, caller };
            let limit = self.entities.hook_timeout;
            let ran = tokio::time::timeout(limit, hooks.run(&mut context, moment.reborrow())).await;
            ran.map_err(|_elapsed| too_slow(hooks.name()))??;
            if let (Some((json, violations)), Some(entity)) = (before, moment.changeable()) {
                self.entities.check_hooked(entity, &json, &violations, hooks.name())?;
            }
        }
        Ok(())
    }

    /// Commits what was done, and runs what follows a commit. Once begun, it goes on when the request has ended.
    pub(super) async fn commit(self, changes: impl FnOnce() -> Vec<CommittedChange<R>>) -> Result<(), Failure> {
        let Some(transaction) = self.transaction else { return Ok(()) };
        let store = self.entities.store.clone();
        let hooks = self.entities.hooks.clone();
        let changes = if hooks.is_empty() { Vec::new() } else { changes() };
        let committing = tokio::spawn(async move {
            store.commit(transaction).await?;
            if !changes.is_empty() {
                follow(hooks, changes).await;
            }
            Ok::<_, StoreError>(())
        });
        committing.await.map_err(Problem::internal)?.map_err(Failure::from)
    }
}

/// Runs the hooks after a commit, of which one that panics takes nothing back.
async fn follow<R: Resource, S: Repository<R>>(
    hooks: Arc<[Arc<dyn ErasedHooks<R, S>>]>,
    changes: Vec<CommittedChange<R>>,
) {
    let following = tokio::spawn(async move {
        for change in &changes {
            for hooks in hooks.iter() {
                hooks.after_commit(change).await;
            }
        }
    });
    if let Err(error) = following.await {
        tracing::error!(%error, "a hook failed after its commit");
    }
}

impl<R: Resource, S: Repository<R>> Entities<R, S> {
    /// Checks that a hook left a valid entity, if it has changed it. What was wrong before is not its doing.
    fn check_hooked(&self, entity: &R, before: &Json, had: &Violations, hook: &str) -> Result<()> {
        let after = json(entity);
        if after == *before {
            return Ok(());
        }
        let mut found = own_violations(entity);
        let mut known = had.clone();
        if let Some(schema) = self.schema.get() {
            let violations = |json: &Json| schema.check_value(json, found.limit()).err().unwrap_or_default();
            let (of_before, of_after) = (violations(before), violations(&after));
            known.append("", of_before);
            found.append("", of_after);
        }
        let new: Vec<_> = found.iter().filter(|one| !known.iter().any(|known| known == *one)).collect();
        if new.is_empty() {
            return Ok(());
        }
        let name = &self.info.names.singular;
        Err(Problem::internal(format!("the hook `{hook}` left an invalid {name}: {new:?}")))
    }
}

fn json<R: Resource>(entity: &R) -> Json {
    serde_json::to_value(entity).unwrap_or_default()
}

fn too_slow(hook: &str) -> Problem {
    Problem::new(catalogue::DEADLINE_EXCEEDED)
        .detail("The operation took too long, and nothing was changed.")
        .source(format!("the hook `{hook}` took longer than its time limit"))
        .retry_after(1)
}
