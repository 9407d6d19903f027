//! Defines [`InputContext`], and the steps that run on the body of a request before the transaction of the operation begins.

use std::any::Any;
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use restwright_core::auth::Identity;
use restwright_core::http::{HeaderMap, Method};
use restwright_core::runtime::LocalBoxFuture;
use restwright_core::schema::Mode;
use restwright_core::{Problem, Result};

use crate::endpoints::caller::call::{Call, Head};
use crate::endpoints::caller::problem::too_slow;
use crate::endpoints::erased::any_entity::typed_mut;
use crate::store::Scope;

/// The context of a step that runs before the transaction of an operation. It contains the caller and the head of the request.
///
/// See [`Endpoints::prepare_new`](crate::Endpoints::prepare_new).
pub struct InputContext<'c> {
    call: &'c Call,
    head: &'c Head,
}

impl<'c> InputContext<'c> {
    pub(in crate::endpoints) fn new(call: &'c Call) -> Result<Self> {
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
pub(in crate::endpoints) struct Steps {
    pub(super) of_new: Vec<Step>,
    pub(super) of_update: Vec<Step>,
}

/// A step that runs on the body of a request before the transaction.
#[derive(Clone)]
pub(super) struct Step {
    pub(super) name: &'static str,
    pub(super) prepare: Arc<dyn Prepare>,
}

impl Steps {
    /// Returns `true` if a step runs in the operation. A replacement has the body of a create.
    pub(in crate::endpoints) fn run_in(&self, mode: Mode, is_put: bool) -> bool {
        match mode {
            Mode::Create => !self.of_new.is_empty(),
            Mode::Update if is_put => !self.of_new.is_empty(),
            Mode::Update => !self.of_update.is_empty(),
            _ => false,
        }
    }
}

impl Step {
    pub(super) fn new<B, F>(name: &'static str, step: F) -> Self
    where
        B: 'static,
        F: AsyncFn(&mut B, &InputContext<'_>) -> Result<()> + Send + Sync + 'static,
    {
        Self { name, prepare: Arc::new(Prepares::<B, F>(step, PhantomData)) }
    }
}

/// The function of a step, as a trait object.
pub(super) trait Prepare: Send + Sync {
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
pub(in crate::endpoints) async fn within<T>(
    limit: Duration,
    name: &str,
    work: impl Future<Output = Result<T>>,
) -> Result<T> {
    tokio::time::timeout(limit, work).await.map_err(|_elapsed| too_slow(name))?
}
