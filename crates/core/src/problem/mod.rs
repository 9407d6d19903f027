//! Errors as RFC 9457 problems: what goes outward, and what goes to the log.

pub mod catalogue;
mod problem;
mod set;
mod shape;
mod violations;

pub use catalogue::ProblemKind;
pub use problem::Problem;
pub use set::ProblemSet;
pub use shape::define as define_shape;
pub use violations::{Location, RequestViolation, RequestViolations};

/// What controllers, middlewares and responses return.
pub type Result<T, E = Problem> = std::result::Result<T, E>;
