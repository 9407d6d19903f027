//! Contains [`RouteDeclaration`], [`RouteInfo`] and [`Template`], which describe routes, and settings of routes.

pub use crate::declared_route::RouteDeclaration;
pub use crate::route_info::RouteInfo;
pub use crate::same_for_all_callers::SameForAllCallers;
pub use crate::template::{Segment, Template};
