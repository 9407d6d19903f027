//! Boxed futures of the object-safe twins.

use std::future::Future;
use std::pin::Pin;

/// A future that stays on its worker.
pub type LocalBoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + 'a>>;

/// A future that may move between threads.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;
