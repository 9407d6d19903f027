//! Contains the types for error responses as problem details (RFC 9457). A problem contains the response for the client
//! and the cause for the log.

pub mod catalogue;
pub(crate) mod details;
pub(crate) mod failure;
pub(crate) mod form;
mod kind;
pub(crate) mod set;
mod shape;
mod violations;

pub(crate) use details::DETAILS;
pub use failure::ProblemParts;
pub(crate) use failure::{Problem, Result};
pub(crate) use form::SharedErrorForm;
pub use form::{ErrorForm, ProblemView};
pub use kind::ProblemKind;
pub(crate) use set::ProblemSet;
pub use shape::{define as define_shape, define_kinds};
pub use violations::{RequestViolation, RequestViolations, ViolationLocation};
