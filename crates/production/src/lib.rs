//! Middlewares and modules for an Api in production. They add their headers and responses to the OpenAPI document.
//!
//! Compression, metrics, OpenTelemetry and the log have a feature each, because of what they build. The other parts need no feature.

mod caching;
#[cfg(feature = "compression")]
mod compression;
mod cors;
mod deprecated;
mod health;
mod log_output;
mod measured;
#[cfg(feature = "metrics")]
mod metrics;
mod no_store;
#[cfg(feature = "opentelemetry")]
mod otlp;
mod panics;
#[cfg(all(feature = "compression", feature = "metrics"))]
mod preset;
#[cfg(feature = "metrics")]
mod registered_late;
mod request_log;
mod security_headers;
#[cfg(feature = "telemetry")]
pub mod telemetry;
mod trace_context;
mod tracing_middleware;
mod vary;

pub use caching::Caching;
#[cfg(feature = "compression")]
pub use compression::{BodyAsSent, Compression, CompressionLevel, ContentCoding, Uncompressed};
pub use cors::Cors;
pub use deprecated::Deprecated;
pub use health::Health;
pub use log_output::LogOutput;
#[cfg(feature = "metrics")]
pub use metrics::Metrics;
#[cfg(feature = "opentelemetry")]
pub use otlp::Otlp;
pub use panics::log_panics;
#[cfg(all(feature = "compression", feature = "metrics"))]
pub use preset::Preset;
pub use request_log::RequestLog;
pub use security_headers::SecurityHeaders;
pub use trace_context::{TraceContext, TraceLink};
pub use tracing_middleware::Tracing;
