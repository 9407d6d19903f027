//! The export of spans by the OpenTelemetry Protocol, over HTTP with protobuf.

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

/// A collector of OpenTelemetry, to which [`Tracing`](crate::Tracing) sends one span for each request that is sampled.
///
/// The server does not start without the layer that exports spans: call [`telemetry::init`](crate::telemetry::init) first in `main`. A span that
/// your code begins within a request, for example with `#[tracing::instrument]`, is sent as a child of the request's span. Attributes of more than 1,024 characters are shortened.
///
/// Spans go out in OTLP/HTTP with protobuf, in batches of at most 512, a second after their requests at the latest. A thread of their own sends them: no request
/// waits for the collector. At most 2048 spans wait, and further ones are lost. So are those of a batch that the collector does not take: it has 5 seconds, in
/// which a batch is repeated up to three times if its status or the connection admits it; and those that it rejects out of a batch that it takes. Losses are logged as an outage, when it begins, once a minute and
/// when it ends, and counted in `spans_lost` of the component `otlp`, beside `spans_exported`. When the server stops, what waits is sent for at most 3 seconds.
///
/// The span of a request has the kind server, the name `GET /pets/{id}`, and by OpenTelemetry's semantic conventions `http.request.method`, `http.route`,
/// `http.response.status_code`, `client.address`, and for statuses from 500 on `error.type` and the status Error. It ends with the last piece of its response;
/// one without a status code belongs to a request that was given up before. `url.path`, `url.query` and `user_agent.original` are left out, since paths and
/// queries have identifiers and sometimes secrets, and clients write all of them. Requests for [health checks](crate::Health) and
/// [metrics](crate::Metrics) have no span.
///
/// The resource has `service.name` and `service.version` of the Api. `OTEL_RESOURCE_ATTRIBUTES` adds to it, and `OTEL_EXPORTER_OTLP_HEADERS` to the headers;
/// `HTTP_PROXY` and its like name a proxy. Redirects are not followed.
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
#[must_use = "it does nothing until it is given to `Tracing::export`"]
pub struct Otlp {
    endpoint: String,
    headers: Vec<(String, String)>,
    ratio: f64,
}

impl Otlp {
    /// Names a collector by its URL without a path of a signal, such as `http://127.0.0.1:4318`; the spans go to `/v1/traces` below it.
    ///
    /// `https://` needs the feature `tls`. The certificate of the collector must be valid for the host, and issued by an
    /// authority that the system trusts, or by one in the file that the environment variable `SSL_CERT_FILE` names instead. Building
    /// the Api fails if the URL is none.
    pub fn new(endpoint: impl Into<String>) -> Self {
        Self { endpoint: endpoint.into(), headers: Vec::new(), ratio: 1.0 }
    }

    /// Adds a header to the requests to the collector, such as one with an API key, which `Debug` does not show.
    ///
    /// Building the Api fails if it is no header.
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// Sets the share of the traces that begin here and are recorded, from 0 to 1, which is the default. Trace ids decide, as in other services.
    ///
    /// A trace that is continued from a [trusted proxy](restwright_runtime::core::client_address::TrustedProxies) is recorded if its sampled flag says so. That
    /// of anybody else decides nothing. Building the Api fails if it is another number.
    pub fn ratio(mut self, ratio: f64) -> Self {
        self.ratio = ratio;
        self
    }

    /// Returns what is wrong with the declaration.
    pub(crate) fn mistakes(&self) -> Vec<String> {
        let mut mistakes: Vec<_> = self.mistake_of_endpoint(cfg!(feature = "tls")).into_iter().collect();
        if !(0.0..=1.0).contains(&self.ratio) {
            mistakes
                .push(format!("`Otlp::ratio` is {}; give it a number from 0, for no trace, to 1, for all", self.ratio));
        }
        for (name, value) in &self.headers {
            if HeaderName::from_bytes(name.as_bytes()).is_err() {
                mistakes
                    .push(format!("{name:?} is no name of a header for `Otlp::header`; give it one such as `api-key`"));
            } else if HeaderValue::from_str(value).is_err() {
                mistakes.push(format!(
                    "the value of the header `{name}` for `Otlp::header` has bytes that no header may have, perhaps a line end; trim it"
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
                "{:?} is no URL for {place}; give it one such as `http://127.0.0.1:4318`",
                self.endpoint
            ));
        };
        if uri.authority().is_some_and(|authority| authority.as_str().contains('@')) {
            return Some(format!("the URL of {place} has credentials; give them in a header, with `Otlp::header`"));
        }
        if uri.query().is_some() || uri.path().trim_end_matches('/').ends_with("/v1/traces") {
            return Some(format!(
                "{:?} is too long for {place}; leave out `/v1/traces`, which is added, and a query",
                self.endpoint
            ));
        }
        let needs_tls = uri.scheme_str() == Some("https") && !has_tls;
        needs_tls.then(|| format!("{:?} of {place} needs TLS; turn on the feature `tls` of restwright", self.endpoint))
    }

    /// Decides whether a trace that begins here is recorded.
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
        assert!(without.contains("turn on the feature `tls`"), "{without}");
        assert_eq!(otlp.mistake_of_endpoint(true), None);
    }
}
