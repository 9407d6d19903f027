//! The contract of an endpoint.

use std::future::Future;

use crate::declared_route::Route;
use crate::problem::Result;
use crate::request::Request;
use crate::response::Response;

/// An endpoint: its route, its request, its response, and the code that turns one into the other.
///
/// Its dependencies are its own fields. The future runs on one worker thread and need not be `Send`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a controller",
    label = "not a controller",
    note = "implement `Controller` for it: `type Request`, `type Response`, `fn route` and `async fn handle`"
)]
pub trait Controller: Send + Sync + 'static {
    /// The type of the request.
    type Request: Request;

    /// The type of the response.
    type Response: Response;

    /// Returns the declaration of the endpoint; called once, when the Api is built.
    fn route(&self) -> Route;

    /// Handles a request that is authenticated, authorised and valid.
    ///
    /// # Errors
    /// A [`Problem`](crate::Problem), or with `?` an error type that derives it.
    fn handle(&self, request: Self::Request) -> impl Future<Output = Result<Self::Response>>;
}
