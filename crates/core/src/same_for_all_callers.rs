//! Defines [`SameForAllCallers`], a route setting for shared caches.

/// A route setting which states that the route returns the same response to every caller that it admits, so shared caches
/// may give the response to all clients, also to clients without credentials.
///
/// By default, responses of a route that is not public have `Cache-Control: private, no-cache` if they have an `ETag`, else
/// `no-store`, and `Vary` with the header of the credentials. With this setting they have neither, and `Caching` accepts
/// `public` on the route. Routes that are public do not need it.
///
/// ```
/// use restwright_core::route::SameForAllCallers;
/// use restwright_core::{Data, Route};
///
/// let rates = Route::get("/rates")
///     .id("rates")
///     .authorize("key", ["rates:read"])
///     .with(SameForAllCallers)
///     .handler(async |()| Ok(Data(1.08)));
/// ```
#[derive(Debug, Clone, Copy)]
pub struct SameForAllCallers;
