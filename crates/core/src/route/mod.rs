//! Where an endpoint is, and what guards and documents it.

mod group;
mod route;
mod router;
mod template;

pub use group::Group;
pub use route::{Route, RouteInfo};
pub use template::{Segment, Template};

pub(crate) use group::Declared;
pub(crate) use router::{Matched, Router};
pub(crate) use template::normalise;
