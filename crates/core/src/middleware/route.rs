//! Adds middlewares to a route.

use std::sync::Arc;

use super::{Middleware, SharedMiddleware};
use crate::declared_route::Route;

/// The middlewares of a route, in order of registration. They are stored as a setting, so the module `route` does not
/// depend on this module.
#[derive(Clone, Default)]
struct Middlewares(Vec<SharedMiddleware>);

impl Route {
    /// Adds a middleware to the route. It runs inside the middlewares that were added earlier.
    #[must_use]
    pub fn middleware(mut self, middleware: impl Middleware) -> Self {
        let mut middlewares = self.middlewares().to_vec();
        middlewares.push(Arc::new(middleware));
        self.set_middlewares(middlewares);
        self
    }
}

/// Contains methods that only the runtime calls.
#[doc(hidden)]
impl Route {
    #[must_use]
    pub fn middlewares(&self) -> &[SharedMiddleware] {
        self.setting::<Middlewares>().map(|middlewares| middlewares.0.as_slice()).unwrap_or_default()
    }

    pub fn set_middlewares(&mut self, middlewares: Vec<SharedMiddleware>) {
        self.declaration_mut().settings.insert(Middlewares(middlewares));
    }
}
