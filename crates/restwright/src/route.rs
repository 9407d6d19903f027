//! Contains the description of a route that middlewares and policies receive, and settings of routes.

#[doc(inline)]
pub use restwright_core::route::{RouteInfo, SameForAllCallers};
