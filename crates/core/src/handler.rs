//! Defines [`Handler`], a controller that is created from a function.

use std::fmt;
use std::marker::PhantomData;

use crate::controller::Controller;
use crate::declared_route::Route;
use crate::problem::Result;
use crate::request::Request;
use crate::response::Response;

/// A controller that consists of a route and an async function. [`Route::handler`] creates it.
pub struct Handler<F, I, O> {
    route: Route,
    function: F,
    shapes: PhantomData<fn(I) -> O>,
}

/// An async function from one request to `Result<response>`, which [`Route::handler`] accepts. Every such function and
/// closure implements it.
#[diagnostic::on_unimplemented(
    message = "this is not a handler",
    label = "not an async function from one request to `Result<response>`",
    note = "write `async fn add(request: AddPet) -> Result<Created<Pet>>`, or a closure such as `async |request: ViewPet| Ok(Data(pet))`",
    note = "a request derives `Request`, and `()` is a request without input; a response derives `Response`, or is `Data`, `Created` or `NoContent`"
)]
pub trait HandlerFunction<I, O>: AsyncFn(I) -> Result<O> + Send + Sync + 'static {}

#[diagnostic::do_not_recommend]
impl<F: AsyncFn(I) -> Result<O> + Send + Sync + 'static, I, O> HandlerFunction<I, O> for F {}

impl Route {
    /// Creates a controller that handles requests of this route with an async function or closure. Building the Api
    /// fails if the route has no [id](Self::id), because a closure has no name from which an id could be derived.
    ///
    /// The closure captures its dependencies. Its future runs on one worker thread and need not be `Send`.
    ///
    /// ```
    /// use restwright_core::{Data, Route};
    ///
    /// let greeting = String::from("Hello");
    /// let greet = Route::get("/greeting")
    ///     .id("greet")
    ///     .public()
    ///     .handler(async move |_: ()| Ok(Data(greeting.clone())));
    /// ```
    #[must_use]
    pub fn handler<F, I, O>(mut self, function: F) -> Handler<F, I, O>
    where
        F: HandlerFunction<I, O>,
        I: Request,
        O: Response,
    {
        self.declaration_mut().needs_id = true;
        Handler { route: self, function, shapes: PhantomData }
    }
}

impl<F, I, O> Controller for Handler<F, I, O>
where
    F: HandlerFunction<I, O>,
    I: Request,
    O: Response,
{
    type Request = I;
    type Response = O;

    fn route(&self) -> Route {
        self.route.clone()
    }

    async fn handle(&self, request: I) -> Result<O> {
        (self.function)(request).await
    }
}

impl<F, I, O> fmt::Debug for Handler<F, I, O> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Handler").field("route", &self.route).finish_non_exhaustive()
    }
}
