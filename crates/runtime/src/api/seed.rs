//! Runs seeds, which are functions that fill the stores before the first request.

use std::future::Future;

use restwright_core::ComponentError;
use restwright_core::runtime::BoxFuture;

/// The component name in the error of a failed seed.
pub(super) const SEED: &str = "seed";

/// A function that fills the stores when the Api starts.
pub(super) type Seed = Box<dyn Fn() -> BoxFuture<'static, Result<(), ComponentError>> + Send + Sync>;

/// The seeds of an Api, with the number of components that start before the seeds run.
pub(super) struct Seeds {
    pub(super) position: usize,
    pub(super) seeds: Vec<Seed>,
}

/// Converts a seed to the boxed type [`Seed`], and its error to a [`ComponentError`].
pub(super) fn erased<F, E>(run: impl Fn() -> F + Send + Sync + 'static) -> Seed
where
    F: Future<Output = Result<(), E>> + Send + 'static,
    E: Into<ComponentError>,
{
    Box::new(move || {
        let running = run();
        Box::pin(async { running.await.map_err(Into::into) })
    })
}
