//! Contains the types of routes, which are the declaration, the path template, and the route that serves a request.

pub use crate::declared_route::RouteDeclaration;
pub use crate::route_info::RouteInfo;
pub use crate::template::{Segment, Template};
