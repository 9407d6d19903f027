//! Defines [`Preset`], a module that combines the middlewares and modules of this crate.

use std::sync::Arc;

use restwright_runtime::core::http::{HttpRequest, HttpResponse};
use restwright_runtime::core::rate_limit::RateLimitFields;
use restwright_runtime::core::runtime::ErasedMiddleware;
use restwright_runtime::core::{BuildContext, BuildErrors, Middleware, Next, Result};
use restwright_runtime::{ApiBuilder, Module};

use crate::compression::Compression;
use crate::cors::Cors;
use crate::health::Health;
use crate::metrics::{Counting, Metrics};
use crate::registered_late::warn_if_late;
use crate::request_log::RequestLog;
use crate::security_headers::SecurityHeaders;
use crate::tracing_middleware::{Tracing, within};

/// A module that registers the middlewares and modules for production together. From the outermost to the innermost,
/// these are [`Tracing`], [`RequestLog`], [`Metrics`], [`Cors`], [`Compression`], [`SecurityHeaders`] and [`Health`].
///
/// Each part has its defaults unless you set it here. Choose where to serve the [metrics](Self::metrics), or building
/// the Api fails. No other origin is allowed until you set [`cors`](Self::cors). Register the preset before all
/// middlewares of the Api, so it sees what clients see. Otherwise building the Api logs a warning. To change the order or leave a part out, register the parts
/// separately.
///
/// Responses of rate-limited routes have `RateLimit` and `RateLimit-Policy` next to the `X-RateLimit-*` headers. Set
/// other [`RateLimitFields`] in the configuration to change this.
///
/// ```
/// use restwright_production::{Cors, Metrics, Preset};
/// use restwright_runtime::Api;
/// use restwright_runtime::core::Configuration;
///
/// let production = Preset::production()
///     .cors(Cors::new().allow_origin("https://shop.example.com"))
///     .metrics(Metrics::new().listener());
/// let api = Api::builder(Configuration::new("shop", "1.0.0")).module(&production).build()?;
/// # Ok::<(), restwright_runtime::core::BuildErrors>(())
/// ```
#[derive(Debug)]
#[must_use = "it has no effect until it is registered with `.module(..)`"]
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
    /// Creates the module with default settings for each middleware and module.
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

    /// Sets the tracing middleware, for example a middleware with an exporter.
    pub fn tracing(mut self, tracing: Tracing) -> Self {
        self.tracing = Arc::new(tracing);
        self
    }

    /// Sets the request log middleware.
    pub fn request_log(mut self, request_log: RequestLog) -> Self {
        self.request_log = Arc::new(request_log);
        self
    }

    /// Sets the metrics module, which defines where the metrics are served.
    pub fn metrics(mut self, metrics: Metrics) -> Self {
        self.metrics = metrics;
        self
    }

    /// Sets the CORS middleware. Without it, pages of other origins cannot read responses.
    pub fn cors(mut self, cors: Cors) -> Self {
        self.cors = Some(cors);
        self
    }

    /// Sets the compression middleware.
    pub fn compression(mut self, compression: Compression) -> Self {
        self.compression = compression;
        self
    }

    /// Sets the security headers middleware.
    pub fn security_headers(mut self, security_headers: SecurityHeaders) -> Self {
        self.security_headers = security_headers;
        self
    }

    /// Sets the health check module, for example to show [`details`](Health::details) to some callers.
    pub fn health(mut self, health: Health) -> Self {
        self.health = health;
        self
    }
}

impl Module for Preset {
    fn register(&self, api: ApiBuilder) -> ApiBuilder {
        let (api, counting) = self.metrics.register_place(warn_if_late(api, "Preset", &[]));
        let parts = PresetMiddleware {
            tracing: self.tracing.clone(),
            request_log: self.request_log.clone(),
            counting,
            cors: self.cors.clone(),
            compression: self.compression.clone(),
            security_headers: self.security_headers.clone(),
        };
        api.default_setting(RateLimitFields::Both).middleware(parts).module(&self.health)
    }
}

/// A middleware that runs all middlewares of the preset. Separate middlewares would cost one future each per request.
struct PresetMiddleware {
    tracing: Arc<Tracing>,
    request_log: Arc<RequestLog>,
    counting: Counting,
    cors: Option<Cors>,
    compression: Compression,
    security_headers: SecurityHeaders,
}

impl Middleware for PresetMiddleware {
    fn name(&self) -> String {
        self.in_order().map(ErasedMiddleware::name).collect::<Vec<_>>().join(" > ")
    }

    /// Prepares each middleware in order while the Api is built. A middleware may read what the previous middleware has
    /// added to the operation.
    fn plan(&self, context: &mut BuildContext<'_>) -> Result<(), BuildErrors> {
        let mut errors = BuildErrors::new();
        for part in self.in_order() {
            errors.take(part.plan(context));
            part.describe(context.operation());
        }
        errors.finish(Some(()))
    }

    async fn handle(&self, request: &mut HttpRequest, next: Next<'_>) -> Result<HttpResponse> {
        let recording = self.tracing.begin(request);
        let line = self.request_log.begin(request);
        let counted = self.counting.begin(request);
        let mut response = match self.cors.as_ref().and_then(|cors| cors.preflight(request)) {
            Some(response) => response,
            None => within(recording.as_ref(), self.respond(request, next)).await,
        };
        self.counting.end(counted, request, &mut response);
        self.request_log.end(line, request, &mut response);
        if let Some(recording) = recording {
            recording.end(request, &mut response);
        }
        Ok(response)
    }
}

impl PresetMiddleware {
    /// Returns the middlewares of the preset, from the outermost to the innermost.
    fn in_order(&self) -> impl Iterator<Item = &dyn ErasedMiddleware> {
        let cors = self.cors.as_ref().map(|cors| cors as &dyn ErasedMiddleware);
        let outer: [&dyn ErasedMiddleware; 3] = [&self.tracing, &self.request_log, &self.counting];
        let inner: [&dyn ErasedMiddleware; 2] = [&self.compression, &self.security_headers];
        outer.into_iter().chain(cors).chain(inner)
    }

    /// Runs the inner middlewares and the controller, then compresses the response and adds the security and CORS
    /// headers.
    async fn respond(&self, request: &mut HttpRequest, next: Next<'_>) -> HttpResponse {
        let route = Compression::begin(request);
        let mut response = next.run(request).await;
        self.security_headers.end(&mut response);
        self.compression.end(route, request, &mut response);
        if let Some(cors) = &self.cors {
            cors.end(request, &mut response);
        }
        response
    }
}
