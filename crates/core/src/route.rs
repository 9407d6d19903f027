//! Contains [`RouteDeclaration`], [`RouteInfo`] and [`Template`], which describe routes.

pub use crate::declared_route::RouteDeclaration;
pub use crate::route_info::RouteInfo;
pub use crate::template::{Segment, Template};
