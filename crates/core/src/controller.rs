//! The contract of an endpoint.

use std::future::Future;

use crate::problem::Result;
use crate::request::Request;
use crate::response::Response;
use crate::route::Route;

/// An endpoint: where it is, what it takes, what it answers and what it does.
///
/// Its dependencies are its own fields. The future runs on one worker thread and need not be `Send`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a controller",
    label = "not a controller",
    note = "implement `Controller` for it: `type Request`, `type Response`, `fn route` and `async fn handle`"
)]
pub trait Controller: Send + Sync + 'static {
    /// The shape of the input.
    type Request: Request;

    /// The shape of the output.
    type Response: Response;

    /// Method, path and everything that documents and guards the endpoint; called once, when the Api is built.
    fn route(&self) -> Route;

    /// Answers a request that is authenticated, authorised and valid.
    ///
    /// # Errors
    /// A [`Problem`](crate::Problem), or with `?` an error type that derives it.
    fn handle(&self, request: Self::Request) -> impl Future<Output = Result<Self::Response>>;
}
