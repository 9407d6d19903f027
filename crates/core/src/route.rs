//! The routes of an application: what is declared, and what is known of a planned one.

pub use crate::declared_route::RouteDeclaration;
pub use crate::route_info::RouteInfo;
pub use crate::template::{Segment, Template};
