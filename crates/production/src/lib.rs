//! Parts for an Api in production, each behind a feature of its own: middlewares and modules, which describe themselves in the
//! document like any other.

#[cfg(feature = "health")]
mod health;
#[cfg(feature = "security-headers")]
mod security_headers;

#[cfg(feature = "health")]
pub use health::Health;
#[cfg(feature = "security-headers")]
pub use security_headers::SecurityHeaders;
