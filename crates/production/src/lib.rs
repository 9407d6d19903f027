//! Parts for an Api in production, each behind a feature of its own: middlewares and modules, which describe themselves in the
//! document like any other.

#[cfg(feature = "security-headers")]
mod security_headers;

#[cfg(feature = "security-headers")]
pub use security_headers::SecurityHeaders;
