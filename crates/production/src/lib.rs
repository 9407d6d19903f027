//! Parts for an Api in production, each behind a feature of its own: middlewares and modules, which describe themselves in the
//! document like any other.

#[cfg(feature = "caching")]
mod caching;
#[cfg(feature = "compression")]
mod compression;
#[cfg(feature = "cors")]
mod cors;
#[cfg(feature = "deprecation")]
mod deprecated;
#[cfg(feature = "health")]
mod health;
#[cfg(any(feature = "metrics", feature = "opentelemetry", feature = "request-log"))]
mod measured;
#[cfg(feature = "metrics")]
mod metrics;
#[cfg(any(feature = "health", feature = "metrics"))]
mod no_store;
#[cfg(feature = "opentelemetry")]
mod otlp;
#[cfg(feature = "preset")]
mod preset;
#[cfg(feature = "request-log")]
mod request_log;
#[cfg(feature = "security-headers")]
mod security_headers;
#[cfg(feature = "trace-context")]
mod trace_context;
#[cfg(any(feature = "health", feature = "metrics", feature = "opentelemetry", feature = "request-log"))]
mod unwatched;
#[cfg(any(feature = "compression", feature = "cors"))]
mod vary;

#[cfg(feature = "caching")]
pub use caching::Caching;
#[cfg(feature = "compression")]
pub use compression::{BodyAsSent, Compression, CompressionLevel, ContentCoding, Uncompressed};
#[cfg(feature = "cors")]
pub use cors::Cors;
#[cfg(feature = "deprecation")]
pub use deprecated::Deprecated;
#[cfg(feature = "health")]
pub use health::Health;
#[cfg(feature = "metrics")]
pub use metrics::Metrics;
#[cfg(feature = "opentelemetry")]
pub use otlp::Otlp;
#[cfg(feature = "preset")]
pub use preset::Preset;
#[cfg(feature = "request-log")]
pub use request_log::{LogOutput, RequestLog};
#[cfg(feature = "security-headers")]
pub use security_headers::SecurityHeaders;
#[cfg(feature = "trace-context")]
pub use trace_context::{TraceContext, TraceLink, Tracing};
