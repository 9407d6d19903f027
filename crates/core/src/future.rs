//! Defines boxed futures for the object-safe versions of traits.

use std::future::Future;
use std::pin::Pin;

/// A boxed future that is not `Send`, so it stays on its worker thread.
pub type LocalBoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + 'a>>;

/// A boxed future that is `Send`, so it may move between threads.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;
