//! Defines [`InputContext`], and the steps that run on the body of a request before the transaction of the operation begins.

use std::any::Any;
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use restwright_core::auth::{Access, Identity};
use restwright_core::body::ReadBody;
use restwright_core::http::{HeaderMap, Method};
use restwright_core::schema::{Mode, Violations};
use restwright_core::{Problem, Result};

use super::action::Action;
use super::any_entity::{AnyBody, AnyEntity, typed_mut};
use super::body::Sent;
use super::call::{Call, Head};
use super::entities::Entities;
use super::hook_context::HookContext;
use super::hooks::LocalBoxFuture;
use super::problem::too_slow;
use super::{Endpoints, Resource};
use crate::store::Scope;

impl<R: Resource> Endpoints<R> {
    /// Adds a step that runs on the body of a create or a replacement, before the transaction begins. Use it for slow work, such as hashing a
    /// password: no other request waits for it.
    ///
    /// `POST`, `PUT` and `POST /batch` run the step once per new entity, after the body was validated. The step may change the body. It may reject the
    /// request with a [`Problem`] or with [`Violations`]. It does not run again if the transaction is
    /// [repeated](crate::Hooks). Steps run in the order in which they were added.
    ///
    /// A step sees the body and the [caller](InputContext), and nothing of the store: a replaced entity may not exist, or may change before it is
    /// replaced. A replacement keeps the values that the caller may not write.
    ///
    /// The framework checks the new entity again. If the step left it invalid, the response is a 500 and the log names the step. Each step has the
    /// time limit of [a hook](Self::hook_timeout).
    ///
    #[cfg_attr(not(doctest), doc = include_str!("../doc_examples/endpoints_prepare_new.md"))]
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

    /// Adds an [action](Self::action) with a step before its transaction. `prepare` receives the body and returns the input of `run`.
    ///
    /// `prepare` runs once per request, within the time limit of [a hook](Self::hook_timeout). `run` runs in the transaction, with a clone of the input
    /// in each attempt.
    ///
    #[cfg_attr(not(doctest), doc = include_str!("../doc_examples/endpoints_prepared_action.md"))]
    pub fn prepared_action<B, I, P, F>(
        mut self,
        name: impl Into<String>,
        access: impl Into<Access>,
        prepare: P,
        run: F,
    ) -> Self
    where
        B: ReadBody + 'static,
        I: Clone + 'static,
        P: AsyncFn(B, &InputContext<'_>) -> Result<I> + Send + Sync + 'static,
        F: AsyncFn(&mut R, I, &mut HookContext<'_>) -> Result<()> + Send + Sync + 'static,
    {
        self.declared.actions.push(Action::new::<R, B, I, P, F>(name.into(), access.into(), prepare, run));
        self
    }
}

/// The context of a step that runs before the transaction of an operation. It contains the caller and the head of the request.
///
/// See [`Endpoints::prepare_new`].
pub struct InputContext<'c> {
    call: &'c Call,
    head: &'c Head,
}

impl<'c> InputContext<'c> {
    pub(super) fn new(call: &'c Call) -> Result<Self> {
        let head =
            call.head.as_deref().ok_or_else(|| Problem::internal("a step ran without the head of its request"))?;
        Ok(Self { call, head })
    }

    /// Returns the caller of the operation.
    #[must_use]
    pub fn identity(&self) -> &Identity {
        &self.call.identity
    }

    /// Returns the method of the request.
    #[must_use]
    pub fn method(&self) -> &Method {
        &self.head.method
    }

    /// Returns the percent-encoded path of the request.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.head.path
    }

    /// Returns the percent-encoded query of the request.
    #[must_use]
    pub fn query(&self) -> Option<&str> {
        self.head.query.as_deref()
    }

    /// Returns the headers of the request.
    #[must_use]
    pub fn headers(&self) -> &HeaderMap {
        &self.head.headers
    }

    /// Returns the scope to which the operation is restricted.
    pub fn scope(&self) -> &Scope {
        &self.call.scope
    }

    /// Returns the timestamp of the operation, from the clock of the Api.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        self.call.now
    }
}

impl fmt::Debug for InputContext<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("InputContext").field("path", &self.head.path).finish_non_exhaustive()
    }
}

/// The steps of a resource.
#[derive(Clone, Default)]
pub(super) struct Steps {
    pub(super) of_new: Vec<Step>,
    pub(super) of_update: Vec<Step>,
}

/// A step that runs on the body of a request before the transaction.
#[derive(Clone)]
pub(super) struct Step {
    name: &'static str,
    prepare: Arc<dyn Prepare>,
}

impl Steps {
    /// Returns `true` if a step runs in the operation. A replacement has the body of a create.
    pub(super) fn run_in(&self, mode: Mode, is_put: bool) -> bool {
        match mode {
            Mode::Create => !self.of_new.is_empty(),
            Mode::Update if is_put => !self.of_new.is_empty(),
            Mode::Update => !self.of_update.is_empty(),
            _ => false,
        }
    }
}

impl Step {
    fn new<B, F>(name: &'static str, step: F) -> Self
    where
        B: 'static,
        F: AsyncFn(&mut B, &InputContext<'_>) -> Result<()> + Send + Sync + 'static,
    {
        Self { name, prepare: Arc::new(Prepares::<B, F>(step, PhantomData)) }
    }
}

/// The function of a step, as a trait object.
trait Prepare: Send + Sync {
    /// Runs the function on a body.
    ///
    /// # Errors
    /// Fails if the body has another type.
    fn prepare<'a>(
        &'a self,
        body: &'a mut (dyn Any + 'static),
        context: &'a InputContext<'_>,
    ) -> Result<LocalBoxFuture<'a, Result<()>>>;
}

/// A step on bodies of the type `B`.
struct Prepares<B, F>(F, PhantomData<fn() -> B>);

impl<B, F> Prepare for Prepares<B, F>
where
    B: 'static,
    F: AsyncFn(&mut B, &InputContext<'_>) -> Result<()> + Send + Sync,
{
    fn prepare<'a>(
        &'a self,
        body: &'a mut (dyn Any + 'static),
        context: &'a InputContext<'_>,
    ) -> Result<LocalBoxFuture<'a, Result<()>>> {
        Ok(Box::pin(self.0(typed_mut(body)?, context)))
    }
}

/// Runs work before the transaction of an operation, within the time limit of a hook.
pub(super) async fn within<T>(limit: Duration, name: &str, work: impl Future<Output = Result<T>>) -> Result<T> {
    tokio::time::timeout(limit, work).await.map_err(|_elapsed| too_slow(name))?
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
