//! Declares the steps that run on the body of a request before the transaction of the operation begins, and runs them.

use restwright_core::Result;
use restwright_core::schema::{Mode, Violations};

use super::entities::Entities;
use super::steps::{InputContext, Step, within};
use crate::endpoints::caller::call::Call;
use crate::endpoints::erased::any_entity::{AnyBody, AnyEntity};
use crate::endpoints::read::body::Sent;
use crate::endpoints::{Endpoints, Resource};

impl<R: Resource> Endpoints<R> {
    /// Adds a step that runs on the body of a create or a replacement, before the transaction begins. Use it for slow work, such as hashing a
    /// password: no other request waits for it.
    ///
    /// `POST`, `PUT` and `POST /batch` run the step once per new entity, after the body was validated. The step may change the body. It may reject the
    /// request with a [`Problem`](restwright_core::Problem) or with [`Violations`]. It does not run again if the transaction is
    /// [repeated](crate::Hooks). Steps run in the order in which they were added.
    ///
    /// A step sees the body and the [caller](InputContext), and nothing of the store: a replaced entity may not exist, or may change before it is
    /// replaced. A replacement keeps the values that the caller may not write.
    ///
    /// The framework checks the new entity again. If the step left it invalid, the response is a 500 and the log names the step. Each step has the
    /// time limit of [a hook](Self::hook_timeout).
    ///
    #[cfg_attr(not(doctest), doc = include_str!("../../doc_examples/endpoints_prepare_new.md"))]
    pub fn prepare_new<F>(mut self, step: F) -> Self
    where
        F: AsyncFn(&mut R::New, &InputContext<'_>) -> Result<()> + Send + Sync + 'static,
    {
        self.declared.steps.of_new.push(Step::new::<R::New, F>("prepare_new", step));
        self
    }

    /// Adds a step that runs on the changes of an update, before the transaction begins. Otherwise it equals [`prepare_new`](Self::prepare_new).
    ///
    /// `PATCH` and `PATCH /batch` run the step once per entity, with the properties that the client sent. The step also runs if the entity is missing
    /// or a precondition fails, because these are found in the transaction.
    ///
    /// Building the Api fails with [`json_patch`](Self::json_patch), because the changes of a JSON Patch depend on the stored entity. An
    /// [action](Self::action) has a separate body: see [`prepared_action`](Self::prepared_action).
    ///
    /// ```
    /// use restwright_core::auth::Access;
    /// use restwright_resource::{Endpoints, InputContext, MemoryStore, Resource};
    ///
    /// fn endpoints<R: Resource>(store: MemoryStore) -> Endpoints<R> {
    ///     Endpoints::new(store, Access::public()).prepare_update(async |_changes: &mut R::Update, context: &InputContext<'_>| {
    ///         let _caller = context.identity();
    ///         Ok(())
    ///     })
    /// }
    /// ```
    pub fn prepare_update<F>(mut self, step: F) -> Self
    where
        F: AsyncFn(&mut R::Update, &InputContext<'_>) -> Result<()> + Send + Sync + 'static,
    {
        self.declared.steps.of_update.push(Step::new::<R::Update, F>("prepare_update", step));
        self
    }
}

impl Entities {
    /// Runs the steps on the body of a create. Returns the entity that is created from the changed body. `plain` is the entity without the steps.
    pub(super) async fn prepared_entity(
        &self,
        call: &Call,
        mut new: Box<dyn AnyBody>,
        plain: &dyn AnyEntity,
    ) -> Result<Box<dyn AnyEntity>> {
        new = self.run_steps(call, &self.steps.of_new, new).await?;
        let (entity, found) = self.stamped(call, new)?;
        self.check_prepared(Mode::Create, &self.steps.of_new, plain, (&*entity, found))?;
        Ok(entity)
    }

    /// Runs the steps on the body of a replacement.
    pub(super) async fn prepare_replacement(&self, call: &Call, new: &mut Sent) -> Result<()> {
        self.prepare(call, &self.steps.of_new, new).await
    }

    /// Runs the steps on the body of an update.
    pub(super) async fn prepare_changes(&self, call: &Call, changes: &mut Sent) -> Result<()> {
        self.prepare(call, &self.steps.of_update, changes).await
    }

    async fn prepare(&self, call: &Call, steps: &[Step], sent: &mut Sent) -> Result<()> {
        if !steps.is_empty() {
            sent.prepared = Some(self.run_steps(call, steps, sent.value.clone()).await?);
        }
        Ok(())
    }

    async fn run_steps(&self, call: &Call, steps: &[Step], mut body: Box<dyn AnyBody>) -> Result<Box<dyn AnyBody>> {
        let running = async {
            let context = InputContext::new(call)?;
            for Step { name, prepare } in steps {
                within(self.hook_timeout, name, prepare.prepare(&mut *body, &context)?).await?;
            }
            Ok(body)
        };
        call.claim.once(running).await
    }

    /// Checks an entity after steps have changed the body. `plain` is the entity with the body that the client sent. Violations that both have
    /// are ignored.
    pub(super) fn check_prepared(
        &self,
        mode: Mode,
        steps: &[Step],
        plain: &dyn AnyEntity,
        (prepared, found): (&dyn AnyEntity, Violations),
    ) -> Result<()> {
        let name = steps.first().map(|step| step.name).unwrap_or_default();
        let mut after = self.hooked(prepared, mode);
        after.add(found);
        self.check_hooked(&self.hooked(plain, mode), &after, name)
    }
}
