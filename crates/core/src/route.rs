//! Contains the fields of a declared route, its path template, and [`RouteInfo`], the route of a request.

pub use crate::declared_route::RouteDeclaration;
pub use crate::route_info::RouteInfo;
pub use crate::template::{Segment, Template};
