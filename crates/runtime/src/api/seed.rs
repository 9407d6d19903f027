//! Runs seeds, which are functions that fill the stores before the first request.

use std::future::Future;

use restwright_core::ComponentError;
use restwright_core::runtime::BoxFuture;

/// The component name in the error of a failed seed.
pub(super) const SEED: &str = "seed";

/// A function that fills the stores when the Api starts.
pub(super) type Seed = Box<dyn SeedFunction>;

/// An async function without arguments that returns a `Result`, which [`ApiBuilder::seed`](super::ApiBuilder::seed) accepts.
/// Every such function and closure implements it.
#[diagnostic::on_unimplemented(
    message = "this is not a seed",
    label = "not an async function without arguments that returns a `Result`",
    note = "write `async fn fill() -> Result<()>`, or a closure that clones the store, such as `move || fill(store.clone())`; the future must be `Send`"
)]
pub trait SeedFunction: Send + Sync + 'static {
    #[doc(hidden)]
    fn run(&self) -> BoxFuture<'static, Result<(), ComponentError>>;
}

#[diagnostic::do_not_recommend]
impl<S, F, E> SeedFunction for S
where
    S: Fn() -> F + Send + Sync + 'static,
    F: Future<Output = Result<(), E>> + Send + 'static,
    E: Into<ComponentError>,
{
    fn run(&self) -> BoxFuture<'static, Result<(), ComponentError>> {
        let running = self();
        Box::pin(async { running.await.map_err(Into::into) })
    }
}

/// The seeds of an Api, with the number of components that start before the seeds run.
pub(super) struct Seeds {
    pub(super) position: usize,
    pub(super) seeds: Vec<Seed>,
}
