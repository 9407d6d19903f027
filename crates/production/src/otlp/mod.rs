//! Exports spans to an OpenTelemetry collector with OTLP, over HTTP with protobuf.

mod exporter;
mod identifiers;
mod queue;
mod sender;
mod span;

use std::fmt;

use http::{HeaderName, HeaderValue, Uri};
use opentelemetry::TraceId;
use opentelemetry::trace::SpanKind;
use opentelemetry_sdk::trace::{Sampler, SamplingDecision, ShouldSample};

pub(crate) use exporter::Exporter;
pub(crate) use span::Recording;

/// An OpenTelemetry collector. [`Tracing`](crate::Tracing) sends one span per sampled request to the collector.
///
/// The server does not start without the layer that exports spans, so call [`telemetry::init`](crate::telemetry::init)
/// first in `main`. A span that your code creates during a request, for example with `#[tracing::instrument]`, is sent
/// as a child of the request's span. Attributes of more than 1,024 characters are shortened.
///
/// Spans are sent by OTLP/HTTP with protobuf, in batches of at most 512. A span waits at most one second for its batch.
/// A separate thread sends the batches, so no request waits for the collector.
///
/// At most 2,048 spans wait; further spans are lost. The collector has 5 seconds to accept a batch. During this time
/// the batch is retried up to three times if the status or the connection error allows it. After that its spans are
/// lost, and so are spans that the collector rejects individually. Losses are logged when they begin, once a minute,
/// and when they end. The component `otlp` counts them in `spans_lost`, next to `spans_exported`. When the server
/// stops, it sends the remaining spans for at most 3 seconds.
///
/// The span of a request has the kind `server` and a name such as `GET /pets/{id}`. By OpenTelemetry's semantic
/// conventions it has `http.request.method`, `http.route`, `http.response.status_code` and `client.address`. For
/// statuses from 500 it also has `error.type` and the status Error. It ends with the last piece of the response. A span
/// without a status code belongs to a request that was cancelled before its response. `url.path`, `url.query` and
/// `user_agent.original` are left out: clients choose them, and paths and queries contain identifiers and sometimes
/// secrets. Requests for [health checks](crate::Health) and [metrics](crate::Metrics) have no span.
///
/// The resource has `service.name` and `service.version` of the Api, and a random `service.instance.id`, which is the same in
/// the metrics. `OTEL_RESOURCE_ATTRIBUTES` adds attributes to it, and `OTEL_EXPORTER_OTLP_HEADERS` adds headers. `HTTP_PROXY` and related variables set a proxy. Redirects are not
/// followed.
///
/// ```
/// use restwright_production::{Otlp, Tracing};
/// use restwright_runtime::Api;
/// use restwright_runtime::core::Configuration;
///
/// let collector = Otlp::new("http://127.0.0.1:4318").ratio(0.1);
/// let api = Api::builder(Configuration::new("shop", "1.0.0")).middleware(Tracing::new().export(collector)).build()?;
/// # Ok::<(), restwright_runtime::core::BuildErrors>(())
/// ```
#[derive(Clone, PartialEq)]
#[must_use = "it has no effect until it is passed to `Tracing::export`"]
pub struct Otlp {
    endpoint: String,
    headers: Vec<(String, String)>,
    ratio: f64,
}

impl Otlp {
    /// Creates a collector from its base URL, such as `http://127.0.0.1:4318`. Spans are sent to `/v1/traces` below
    /// this URL.
    ///
    /// `https://` requires the feature `tls`. The collector's certificate must be valid for the host. Its issuer must
    /// be an authority that the system trusts, or an authority in the file that `SSL_CERT_FILE` names. Building the Api
    /// fails if the URL is invalid.
    pub fn new(endpoint: impl Into<String>) -> Self {
        Self { endpoint: endpoint.into(), headers: Vec::new(), ratio: 1.0 }
    }

    /// Adds a header, such as an API key, to the requests to the collector. `Debug` does not print its value.
    ///
    /// Building the Api fails if the name or value is invalid.
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// Sets the fraction of new traces that are recorded, from 0 to 1. The default is 1.
    ///
    /// Sampling depends on the trace id, so services with the same ratio record the same traces.
    ///
    /// A trace that continues from a [trusted proxy](restwright_runtime::core::client_address::TrustedProxies) is
    /// recorded if its sampled flag is set. The flag of any other caller is ignored. Building the Api fails if the
    /// ratio is outside 0 to 1.
    pub fn ratio(mut self, ratio: f64) -> Self {
        self.ratio = ratio;
        self
    }

    /// Returns an error message for each invalid setting.
    pub(crate) fn mistakes(&self) -> Vec<String> {
        let mut mistakes: Vec<_> = self.mistake_of_endpoint(cfg!(feature = "tls")).into_iter().collect();
        if !(0.0..=1.0).contains(&self.ratio) {
            mistakes.push(format!("`Otlp::ratio` is {}; it must be from 0 (no traces) to 1 (all traces)", self.ratio));
        }
        for (name, value) in &self.headers {
            if HeaderName::from_bytes(name.as_bytes()).is_err() {
                mistakes
                    .push(format!("{name:?} is not a header name for `Otlp::header`; write a name such as `api-key`"));
            } else if HeaderValue::from_str(value).is_err() {
                mistakes.push(format!(
                    "the value of the header `{name}` for `Otlp::header` contains invalid bytes, perhaps a line break; trim it"
                ));
            }
        }
        mistakes
    }

    fn mistake_of_endpoint(&self, has_tls: bool) -> Option<String> {
        let place = "the collector of `Otlp::new`";
        let uri = self.endpoint.parse::<Uri>().ok();
        let uri = uri.filter(|uri| uri.authority().is_some() && matches!(uri.scheme_str(), Some("http" | "https")));
        let Some(uri) = uri else {
            return Some(format!(
                "{:?} is not a URL for {place}; write one such as `http://127.0.0.1:4318`",
                self.endpoint
            ));
        };
        if uri.authority().is_some_and(|authority| authority.as_str().contains('@')) {
            return Some(format!(
                "the URL of {place} contains credentials; send them in a header, with `Otlp::header`"
            ));
        }
        if uri.query().is_some() || uri.path().trim_end_matches('/').ends_with("/v1/traces") {
            return Some(format!(
                "{:?} is too long for {place}; remove the query and `/v1/traces`, which is added automatically",
                self.endpoint
            ));
        }
        let needs_tls = uri.scheme_str() == Some("https") && !has_tls;
        needs_tls
            .then(|| format!("{:?} of {place} requires TLS; enable the feature `tls` of restwright", self.endpoint))
    }

    /// Returns `true` if the sampling ratio selects a new trace with this identifier. The decision depends on the trace
    /// id and the ratio.
    fn samples(&self, trace_id: TraceId) -> bool {
        let sampler = Sampler::TraceIdRatioBased(self.ratio);
        let result = sampler.should_sample(None, trace_id, "", &SpanKind::Server, &[], &[]);
        matches!(result.decision, SamplingDecision::RecordAndSample)
    }
}

impl fmt::Debug for Otlp {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let headers: Vec<_> = self.headers.iter().map(|(name, _)| name).collect();
        formatter
            .debug_struct("Otlp")
            .field("endpoint", &self.endpoint)
            .field("headers", &headers)
            .field("ratio", &self.ratio)
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_collector_over_tls_needs_the_feature() {
        let otlp = Otlp::new("https://collector.example");
        let without = otlp.mistake_of_endpoint(false).unwrap();
        assert!(without.contains("enable the feature `tls`"), "{without}");
        assert_eq!(otlp.mistake_of_endpoint(true), None);
    }
}
