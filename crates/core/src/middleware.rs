//! What stands around endpoints.

use std::future::Future;
use std::sync::Arc;

use crate::configuration::Configuration;
use crate::future::LocalBoxFuture;
use crate::http::{HttpRequest, HttpResponse};
use crate::operation::Operation;
use crate::pipeline::Next;
use crate::problem::Result;
use crate::start::BuildErrors;

/// Sees requests on their way in and responses on their way out, in the order of registration.
///
/// It may change the headers and extensions of the request, buffer its body, answer itself, and change the response; what
/// it adds it describes, for each operation that it covers. Registered on the Api it also sees 404 and 405; on a group or a
/// route it sees what is routed there.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a middleware",
    label = "not a middleware",
    note = "implement `Middleware` for it: `async fn handle`, which passes the request on with `next.run(request).await`"
)]
pub trait Middleware: Send + Sync + 'static {
    /// Its name in [`Api::explain`](crate::Api::explain).
    fn name(&self) -> String {
        let name = std::any::type_name::<Self>();
        let name = name.split('<').next().unwrap_or(name);
        name.rsplit("::").next().unwrap_or(name).to_owned()
    }

    /// Where it stands among the steps of a route.
    ///
    /// A middleware around another hands this on, since the other may need it: a limit by identity that runs before anybody is
    /// known is an error when the Api is built.
    fn stage(&self) -> Stage {
        Stage::BeforeAuthentication
    }

    /// Prepares it for one operation that it covers, when the Api is built: reads the settings that it needs, adds those
    /// that it shares with others of its kind, with the [components](Configuration::component) that they need, and attaches
    /// to the operation what it needs when that is called. Among the attachments is the [`Stage`] at which it runs: that of the
    /// outermost, when others are around it.
    ///
    /// A middleware around another hands this on.
    ///
    /// # Errors
    /// Why it cannot cover this operation; the Api is not built then.
    fn plan(&self, operation: &mut Operation, configuration: &mut Configuration) -> Result<(), BuildErrors> {
        let _ = (operation, configuration);
        Ok(())
    }

    /// Adds to an operation what this adds to its answers: headers, problems, parameters.
    fn describe(&self, operation: &mut Operation) {
        let _ = operation;
    }

    /// Handles a request, usually by handing it on with [`Next::run`].
    ///
    /// # Errors
    /// A problem, which becomes the answer.
    fn handle(&self, request: &mut HttpRequest, next: Next<'_>) -> impl Future<Output = Result<HttpResponse>>;
}

/// The steps of a route around authentication, in their order. Middlewares of one stage keep their order of registration:
/// the Api's, the groups' from the outside in, the route's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
#[non_exhaustive]
pub enum Stage {
    /// The outermost; nothing is known about the caller.
    #[default]
    BeforeAuthentication,
    /// Limits by address: the last before credentials are read.
    AddressLimit,
    /// Limits by identity: the first after authorisation.
    IdentityLimit,
    /// The innermost; the caller is known and allowed.
    AfterAuthentication,
}

/// A middleware that runs when the caller is known and allowed.
#[derive(Debug, Clone, Copy)]
pub struct AfterAuthentication<M>(pub M);

impl<M: Middleware> Middleware for AfterAuthentication<M> {
    fn name(&self) -> String {
        self.0.name()
    }

    fn stage(&self) -> Stage {
        Stage::AfterAuthentication
    }

    fn plan(&self, operation: &mut Operation, configuration: &mut Configuration) -> Result<(), BuildErrors> {
        self.0.plan(operation, configuration)
    }

    fn describe(&self, operation: &mut Operation) {
        self.0.describe(operation);
    }

    async fn handle(&self, request: &mut HttpRequest, next: Next<'_>) -> Result<HttpResponse> {
        self.0.handle(request, next).await
    }
}

impl<M: Middleware> Middleware for Arc<M> {
    fn name(&self) -> String {
        (**self).name()
    }

    fn stage(&self) -> Stage {
        (**self).stage()
    }

    fn plan(&self, operation: &mut Operation, configuration: &mut Configuration) -> Result<(), BuildErrors> {
        (**self).plan(operation, configuration)
    }

    fn describe(&self, operation: &mut Operation) {
        (**self).describe(operation);
    }

    async fn handle(&self, request: &mut HttpRequest, next: Next<'_>) -> Result<HttpResponse> {
        (**self).handle(request, next).await
    }
}

pub(crate) trait ErasedMiddleware: Send + Sync {
    fn name(&self) -> String;
    fn stage(&self) -> Stage;
    fn plan(&self, operation: &mut Operation, configuration: &mut Configuration) -> Result<(), BuildErrors>;
    fn describe(&self, operation: &mut Operation);
    fn handle<'a>(&'a self, request: &'a mut HttpRequest, next: Next<'a>) -> LocalBoxFuture<'a, Result<HttpResponse>>;
}

impl<M: Middleware> ErasedMiddleware for M {
    fn name(&self) -> String {
        Middleware::name(self)
    }

    fn stage(&self) -> Stage {
        Middleware::stage(self)
    }

    fn plan(&self, operation: &mut Operation, configuration: &mut Configuration) -> Result<(), BuildErrors> {
        Middleware::plan(self, operation, configuration)
    }

    fn describe(&self, operation: &mut Operation) {
        Middleware::describe(self, operation);
    }

    fn handle<'a>(&'a self, request: &'a mut HttpRequest, next: Next<'a>) -> LocalBoxFuture<'a, Result<HttpResponse>> {
        Box::pin(Middleware::handle(self, request, next))
    }
}

pub(crate) type SharedMiddleware = Arc<dyn ErasedMiddleware>;
