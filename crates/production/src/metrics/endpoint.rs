//! Defines the endpoint `GET /metrics`, on a separate listener or in the Api.

use std::sync::{Arc, OnceLock};

use http::header::{ACCEPT, CACHE_CONTROL, VARY};
use http::{HeaderValue, StatusCode};
use restwright_runtime::core::http::{HttpRequest, HttpResponse};
use restwright_runtime::core::operation::{HeaderObject, MediaTypeObject, Operation, SchemaUse};
use restwright_runtime::core::problem::RequestViolations;
use restwright_runtime::core::runtime::accepts;
use restwright_runtime::core::schema::SchemaObject;
use restwright_runtime::core::{
    BuildContext, BuildErrors, Controller, Part, Problem, Reader, Request, RequestHead, Response, Result, Route,
};
use restwright_runtime::{Api, Readiness};

use super::exposition::{Service, Snapshot};
use super::recorder::Recorder;
use crate::no_store::{NO_STORE, not_stored};

const OPEN_METRICS: &str = "application/openmetrics-text";
const PLAIN: &str = "text/plain";

/// A handle that reads and formats the current metrics.
#[derive(Debug, Clone)]
pub(super) struct Scrape {
    recorder: Arc<Recorder>,
    built: Arc<OnceLock<FinishedApi>>,
}

/// The values of the finished Api.
#[derive(Debug)]
struct FinishedApi {
    readiness: Readiness,
    service: Service,
}

/// A text format of the metrics.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MetricsFormat {
    OpenMetrics,
    Prometheus,
}

/// The formatted metrics.
pub(super) struct MetricsText {
    pub(super) format: MetricsFormat,
    pub(super) text: String,
}

impl Scrape {
    pub(super) fn new(recorder: Arc<Recorder>) -> Self {
        Self { recorder, built: Arc::default() }
    }

    /// Stores the readiness handle, the name and the version of the finished Api.
    pub(super) fn begin(&self, api: &Api) {
        // An Api is built only once.
        let _ = self.built.set(FinishedApi { readiness: api.readiness(), service: Service::new(api.configuration()) });
    }

    /// Reads the values of all metrics and formats them.
    pub(super) async fn read(&self, format: MetricsFormat) -> Result<MetricsText> {
        let FinishedApi { readiness, service } =
            self.built.get().ok_or_else(|| Problem::internal("the Api is not built yet"))?;
        let states = readiness.states().await;
        let (recorder, service) = (self.recorder.clone(), service.clone());
        let snapshot = Snapshot { recorder, states, report: readiness.report(), service };
        let text = match format {
            MetricsFormat::OpenMetrics => snapshot.into_open_metrics(),
            MetricsFormat::Prometheus => snapshot.into_prometheus(),
        };
        Ok(MetricsText { format, text: text.map_err(Problem::internal)? })
    }
}

impl MetricsFormat {
    /// Selects the metrics format that the `Accept` headers request. Only clients that name OpenMetrics receive
    /// OpenMetrics.
    pub(super) fn accepted<'a>(mut accept: impl Iterator<Item = &'a [u8]>) -> Self {
        let names_it = |value: &[u8]| {
            let Ok(value) = str::from_utf8(value) else { return false };
            value.to_ascii_lowercase().contains(OPEN_METRICS) && accepts(value, OPEN_METRICS)
        };
        if accept.any(names_it) { Self::OpenMetrics } else { Self::Prometheus }
    }

    pub(super) fn content_type(self) -> &'static str {
        match self {
            Self::OpenMetrics => "application/openmetrics-text; version=1.0.0; charset=utf-8",
            Self::Prometheus => "text/plain; version=0.0.4; charset=utf-8",
        }
    }
}

/// A request part of `GET /metrics` that contains the metrics format selected by `Accept`.
pub(super) struct Accepts(MetricsFormat);

impl Part for Accepts {
    type Plan = ();

    fn plan(_: &mut BuildContext<'_>) -> Result<(), BuildErrors> {
        Ok(())
    }

    fn describe((): &(), _: &mut Operation) {}

    fn read((): &(), head: &RequestHead<'_>, _: &mut RequestViolations) -> Option<Self> {
        let values = head.request().header_values(&ACCEPT);
        Some(Self(MetricsFormat::accepted(values.iter().map(Vec::as_slice))))
    }
}

impl Request for Accepts {
    type Plan = ();

    fn plan(context: &mut BuildContext<'_>) -> Result<(), BuildErrors> {
        <Self as Part>::plan(context)
    }

    fn describe(plan: &(), operation: &mut Operation) {
        <Self as Part>::describe(plan, operation);
    }

    async fn read(plan: &(), reader: &mut Reader<'_>) -> Result<Option<Self>> {
        Ok(reader.part(plan))
    }
}

/// The route `/metrics` in the Api.
pub(super) struct MetricsEndpoint {
    pub(super) route: Route,
    pub(super) scrape: Scrape,
}

impl Controller for MetricsEndpoint {
    type Request = Accepts;
    type Response = MetricsText;

    fn route(&self) -> Route {
        self.route.clone()
    }

    async fn handle(&self, Accepts(format): Accepts) -> Result<MetricsText> {
        self.scrape.read(format).await
    }
}

impl Response for MetricsText {
    type Plan = ();

    fn plan(_: &mut BuildContext<'_>) -> Result<(), BuildErrors> {
        Ok(())
    }

    fn describe((): &(), operation: &mut Operation) {
        let response = operation.response(StatusCode::OK);
        let vary = HeaderObject::new("Vary", SchemaUse::output(SchemaObject::string()));
        response.add_header(vary.description("The request headers that the response depends on."));
        response.add_header(not_stored());
        for name in [OPEN_METRICS, PLAIN] {
            response.content.push(MediaTypeObject::new(name));
        }
    }

    fn respond(self, (): &(), _: &HttpRequest) -> Result<HttpResponse> {
        let content_type = HeaderValue::from_static(self.format.content_type());
        let response = HttpResponse::with_bytes(StatusCode::OK, content_type, self.text);
        Ok(response.header(VARY, HeaderValue::from_static("Accept")).header(CACHE_CONTROL, NO_STORE))
    }
}
