//! Contains the types for error responses as problem details (RFC 9457). A problem contains the response for the client
//! and the cause for the log.

#[doc(inline)]
pub use restwright_core::problem::{ErrorForm, ProblemKind, ProblemView, catalogue};
