//! Contains entity tags, preconditions and 304 responses for conditional requests (RFC 9110, section 13).

#[doc(inline)]
pub use restwright_core::conditional::{EntityTag, PreconditionRequired, Preconditions, Tagged};
