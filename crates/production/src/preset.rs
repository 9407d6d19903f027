//! All parts together.

use std::sync::Arc;

use restwright_runtime::{ApiBuilder, Module};

use crate::{Compression, Cors, Health, Metrics, RequestLog, SecurityHeaders, Tracing};

/// The module of what an Api has in production: [`Tracing`], [`RequestLog`], [`Metrics`], [`Cors`], [`Compression`], [`SecurityHeaders`] and
/// [`Health`], in this order from the outside.
///
/// Each is as its `new` makes it, unless it is given here otherwise. Say where the metrics are read; building the Api fails without it.
/// No origin is allowed until [`cors`](Self::cors) has some. Register it before all middlewares of the Api, so that it
/// sees what the client sees. An application that wants another order, or to leave a part out, registers the parts themselves.
///
/// ```
/// use restwright_production::{Cors, Metrics, Preset};
/// use restwright_runtime::Api;
/// use restwright_runtime::core::Configuration;
///
/// let production = Preset::production()
///     .cors(Cors::new().origin("https://shop.example.com"))
///     .metrics(Metrics::new().listener());
/// let api = Api::builder(Configuration::new("shop", "1.0.0")).module(&production).build()?;
/// # Ok::<(), restwright_runtime::core::BuildErrors>(())
/// ```
#[derive(Debug)]
#[must_use = "it does nothing until it is registered with `.module(..)`"]
pub struct Preset {
    tracing: Arc<Tracing>,
    request_log: Arc<RequestLog>,
    metrics: Metrics,
    cors: Option<Cors>,
    compression: Compression,
    security_headers: SecurityHeaders,
    health: Health,
}

impl Preset {
    /// Creates the module with all parts.
    pub fn production() -> Self {
        Self {
            tracing: Arc::default(),
            request_log: Arc::default(),
            metrics: Metrics::new(),
            cors: None,
            compression: Compression::new(),
            security_headers: SecurityHeaders::new(),
            health: Health::new(),
        }
    }

    /// Sets the trace context, such as with an exporter.
    pub fn tracing(mut self, tracing: Tracing) -> Self {
        self.tracing = Arc::new(tracing);
        self
    }

    /// Sets the request log.
    pub fn request_log(mut self, request_log: RequestLog) -> Self {
        self.request_log = Arc::new(request_log);
        self
    }

    /// Sets the metrics, which say where they are read.
    pub fn metrics(mut self, metrics: Metrics) -> Self {
        self.metrics = metrics;
        self
    }

    /// Sets the pages of other origins that may read responses.
    pub fn cors(mut self, cors: Cors) -> Self {
        self.cors = Some(cors);
        self
    }

    /// Sets the compression.
    pub fn compression(mut self, compression: Compression) -> Self {
        self.compression = compression;
        self
    }

    /// Sets the headers for browsers and caches.
    pub fn security_headers(mut self, security_headers: SecurityHeaders) -> Self {
        self.security_headers = security_headers;
        self
    }

    /// Sets the health checks, such as with details for some callers.
    pub fn health(mut self, health: Health) -> Self {
        self.health = health;
        self
    }
}

impl Module for Preset {
    fn register(&self, api: ApiBuilder) -> ApiBuilder {
        let mut api = api.middleware(self.tracing.clone()).middleware(self.request_log.clone()).module(&self.metrics);
        if let Some(cors) = &self.cors {
            api = api.middleware(cors.clone());
        }
        api.middleware(self.compression.clone()).middleware(self.security_headers.clone()).module(&self.health)
    }
}
