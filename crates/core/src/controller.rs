//! Defines [`Controller`], the trait for endpoints.

use std::future::Future;

use crate::declared_route::Route;
use crate::problem::Result;
use crate::request::Request;
use crate::response::Response;

/// An endpoint with a route, a request type, a response type, and a method that handles requests.
///
/// Its dependencies are fields of the implementing type. The future runs on one worker thread and need not be `Send`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a controller",
    label = "not a controller",
    note = "`.handler(..)` on a route creates a controller from an async function: `.controller(Route::get(\"/pets\").id(\"listPets\").public().handler(list_pets))`",
    note = "for your own type, implement `Controller` with `type Request`, `type Response`, `fn route` and `async fn handle`"
)]
pub trait Controller: Send + Sync + 'static {
    /// The request type of the endpoint.
    type Request: Request;

    /// The response type of the endpoint.
    type Response: Response;

    /// Returns the route of the endpoint. This method is called once, when the Api is built.
    fn route(&self) -> Route;

    /// Handles a request that is authenticated, authorised and valid.
    ///
    /// # Errors
    /// A [`Problem`](crate::Problem). With `?`, a handler can return any error type that derives `Problem`.
    fn handle(&self, request: Self::Request) -> impl Future<Output = Result<Self::Response>>;
}
