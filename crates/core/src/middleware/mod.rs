//! Defines the trait for middlewares, which wrap endpoints.

mod catch_panic;
mod next;
mod route;

pub use catch_panic::{CatchPanic, panic_message, panics};
pub use next::{Next, Pipeline};

use std::future::Future;
use std::sync::Arc;

use crate::build_context::BuildContext;
use crate::build_errors::BuildErrors;
use crate::future::LocalBoxFuture;
use crate::http::{HttpRequest, HttpResponse};
use crate::operation::Operation;
use crate::problem::Result;
use crate::stage::Stage;

/// A layer that wraps endpoints. It handles requests before the endpoint, and responses after the endpoint.
///
/// It can change the headers and extensions of the request, buffer its body, respond itself, and change the response.
/// It describes its additions to each operation that it covers.
///
/// Middlewares run in order of registration. A middleware of the Api also handles 404 and 405 responses. A middleware
/// of a group or a route handles only the requests to these routes.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a middleware",
    label = "not a middleware",
    note = "a module, such as `Preset`, `Health` or `Documentation`, is registered with `.module(&..)`",
    note = "for your own type, implement `Middleware` with `async fn handle`, which continues with `next.run(request).await`"
)]
pub trait Middleware: Send + Sync + 'static {
    /// Returns the name of the middleware, which `Api::explain` prints.
    fn name(&self) -> String {
        let name = std::any::type_name::<Self>();
        let name = name.split('<').next().unwrap_or(name);
        name.rsplit("::").next().unwrap_or(name).to_owned()
    }

    /// Returns the stage at which the middleware runs.
    ///
    /// A middleware that wraps another must return the stage of the inner middleware. Building the Api fails if a limit
    /// by identity runs before authentication.
    fn stage(&self) -> Stage {
        Stage::BeforeAuthentication
    }

    /// Prepares the middleware for one operation when the Api is built.
    ///
    /// Use it to read settings, to register [components](BuildContext::component), and to [keep](BuildContext::kept)
    /// values for requests.
    ///
    /// A middleware that wraps another must call `plan` of the inner middleware.
    ///
    /// # Errors
    /// The reason why the middleware cannot cover this operation. Building the Api then fails.
    fn plan(&self, context: &mut BuildContext<'_>) -> Result<(), BuildErrors> {
        let _ = context;
        Ok(())
    }

    /// Adds the headers, problems and parameters of this middleware to an OpenAPI operation.
    fn describe(&self, operation: &mut Operation) {
        let _ = operation;
    }

    /// Handles a request. Call [`Next::run`] to run the rest of the pipeline.
    ///
    /// # Errors
    /// A problem, which becomes the response.
    fn handle(&self, request: &mut HttpRequest, next: Next<'_>) -> impl Future<Output = Result<HttpResponse>>;
}

/// Makes a middleware run after authentication and authorisation.
#[derive(Debug, Clone, Copy)]
pub struct AfterAuthentication<M>(pub M);

impl<M: Middleware> Middleware for AfterAuthentication<M> {
    fn name(&self) -> String {
        self.0.name()
    }

    fn stage(&self) -> Stage {
        Stage::AfterAuthentication
    }

    fn plan(&self, context: &mut BuildContext<'_>) -> Result<(), BuildErrors> {
        self.0.plan(context)
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

    fn plan(&self, context: &mut BuildContext<'_>) -> Result<(), BuildErrors> {
        (**self).plan(context)
    }

    fn describe(&self, operation: &mut Operation) {
        (**self).describe(operation);
    }

    async fn handle(&self, request: &mut HttpRequest, next: Next<'_>) -> Result<HttpResponse> {
        (**self).handle(request, next).await
    }
}

#[doc(hidden)]
pub trait ErasedMiddleware: Send + Sync {
    fn name(&self) -> String;
    fn stage(&self) -> Stage;
    fn plan(&self, context: &mut BuildContext<'_>) -> Result<(), BuildErrors>;
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

    fn plan(&self, context: &mut BuildContext<'_>) -> Result<(), BuildErrors> {
        Middleware::plan(self, context)
    }

    fn describe(&self, operation: &mut Operation) {
        Middleware::describe(self, operation);
    }

    fn handle<'a>(&'a self, request: &'a mut HttpRequest, next: Next<'a>) -> LocalBoxFuture<'a, Result<HttpResponse>> {
        Box::pin(Middleware::handle(self, request, next))
    }
}

/// A shared, type-erased [`Middleware`].
pub type SharedMiddleware = Arc<dyn ErasedMiddleware>;
