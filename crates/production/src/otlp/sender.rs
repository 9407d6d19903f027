//! Sends batches of spans to the collector.

use std::error::Error;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use http::{Request, Response};
use opentelemetry_http::{Bytes, HttpClient, HttpError};
use opentelemetry_otlp::{Protocol, SpanExporter as OtlpExporter, WithExportConfig, WithHttpConfig};
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceResponse;
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::error::{OTelSdkError, OTelSdkResult};
use opentelemetry_sdk::trace::{SpanData, SpanExporter};
use prost::Message;
use restwright_runtime::core::OutageLog;
use restwright_runtime::core::runtime::log;

use super::Otlp;
use super::exporter::SpanCounts;

/// The timeout of a request to the collector. A batch with all its retries has the same timeout.
const TIMEOUT: Duration = Duration::from_secs(5);

/// A span exporter that sends batches on the thread of the batch processor, and logs lost spans.
#[derive(Debug)]
pub(super) struct Sender {
    exporter: OtlpExporter,
    collector: String,
    counts: Arc<SpanCounts>,
    /// `true` after the component has stopped without waiting for the remaining batches.
    is_over: Arc<AtomicBool>,
    outcome: SharedOutcome,
    start: Instant,
    log: Mutex<LossLog>,
}

/// The maximum number of characters of the collector's error message in the log.
const MAX_MESSAGE: usize = 200;

/// The outcome of the last request to the collector. It contains details that the exporter does not return.
#[derive(Debug, Default)]
struct ExportOutcome {
    /// The reason why the connection failed, or why the collector rejected spans.
    cause: Option<String>,
    /// The number of spans that the collector rejected although it accepted the rest of the batch.
    rejected: u64,
}

type SharedOutcome = Arc<Mutex<ExportOutcome>>;

#[derive(Debug, Default)]
struct LossLog {
    outage: OutageLog,
    /// The total number of lost spans after the last batch. `lost_before` is the total when the outage began.
    lost: u64,
    lost_before: u64,
}

impl Sender {
    pub(super) fn new(otlp: &Otlp, counts: Arc<SpanCounts>, is_over: Arc<AtomicBool>) -> Result<Self, String> {
        let client = reqwest::blocking::Client::builder().timeout(TIMEOUT).redirect(reqwest::redirect::Policy::none());
        let outcome = SharedOutcome::default();
        let client =
            CollectorClient { client: client.build().map_err(|error| root(&error))?, outcome: outcome.clone() };
        let exporter = OtlpExporter::builder()
            .with_http()
            .with_http_client(client)
            .with_protocol(Protocol::HttpBinary)
            .with_endpoint(format!("{}/v1/traces", otlp.endpoint.trim_end_matches('/')))
            .with_timeout(TIMEOUT)
            .with_headers(otlp.headers.iter().cloned().collect())
            .build()
            .map_err(|error| error.to_string())?;
        let log = LossLog { lost: counts.lost.load(Ordering::Relaxed), ..LossLog::default() };
        Ok(Self {
            exporter,
            collector: otlp.endpoint.clone(),
            counts,
            is_over,
            outcome,
            start: Instant::now(),
            log: Mutex::new(log),
        })
    }

    /// Logs the number of spans that were lost because a batch failed or the queue was full.
    fn log(&self, result: &OTelSdkResult, cause: Option<String>) {
        let (lost, now) = (self.counts.lost.load(Ordering::Relaxed), self.start.elapsed());
        let mut losses = lock(&self.log);
        let before = std::mem::replace(&mut losses.lost, lost);
        let error = match result {
            Err(error) => cause.unwrap_or_else(|| error.to_string()),
            Ok(()) if lost > before => cause.unwrap_or_else(|| "the collector is slower than the requests".to_owned()),
            Ok(()) => {
                if let Some(summary) = losses.outage.ended(now) {
                    let (failures, seconds, lost) = (summary.failures, summary.seconds, lost - losses.lost_before);
                    log(|| {
                        tracing::info!(collector = self.collector, failures, seconds, lost, "spans are exported again")
                    });
                }
                return;
            }
        };
        if !losses.outage.is_ongoing() {
            losses.lost_before = before;
        }
        if let Some(summary) = losses.outage.failed(now) {
            let (failures, seconds, lost) = (summary.failures, summary.seconds, lost - losses.lost_before);
            log(
                || tracing::error!(collector = self.collector, %error, failures, seconds, lost, "spans cannot be exported"),
            );
        }
    }
}

impl SpanExporter for Sender {
    async fn export(&self, batch: Vec<SpanData>) -> OTelSdkResult {
        if self.is_over.load(Ordering::Relaxed) {
            // These spans count as lost.
            return Err(OTelSdkError::AlreadyShutdown);
        }
        self.counts.waiting.fetch_sub(batch.len(), Ordering::Relaxed);
        let spans = batch.len() as u64;
        let result = self.exporter.export(batch).await;
        let ExportOutcome { cause, rejected } = std::mem::take(&mut *lock(&self.outcome));
        let lost = if result.is_ok() { rejected.min(spans) } else { spans };
        self.counts.lost.fetch_add(lost, Ordering::Relaxed);
        self.counts.exported.fetch_add(spans - lost, Ordering::Relaxed);
        self.log(&result, cause);
        result
    }

    fn shutdown_with_timeout(&self, timeout: Duration) -> OTelSdkResult {
        self.exporter.shutdown_with_timeout(timeout)
    }

    fn set_resource(&mut self, resource: &Resource) {
        self.exporter.set_resource(resource);
    }
}

/// The HTTP client of the exporter. It stores the outcome of its last request.
#[derive(Debug)]
struct CollectorClient {
    client: reqwest::blocking::Client,
    outcome: SharedOutcome,
}

impl HttpClient for CollectorClient {
    fn send_bytes<'client, 'future>(
        &'client self,
        request: Request<Bytes>,
    ) -> Pin<Box<dyn Future<Output = Result<Response<Bytes>, HttpError>> + Send + 'future>>
    where
        'client: 'future,
        Self: 'future,
    {
        Box::pin(async move {
            let result = self.client.send_bytes(request).await;
            *lock(&self.outcome) = match &result {
                Ok(response) if response.status().is_success() => ExportOutcome::of_success(response.body()),
                Ok(_) => ExportOutcome::default(),
                Err(error) => ExportOutcome { cause: Some(root(&**error)), rejected: 0 },
            };
            result
        })
    }
}

impl ExportOutcome {
    /// Parses the body of a 2xx response, which may report rejected spans (OTLP specification, "Partial Success").
    fn of_success(body: &[u8]) -> Self {
        let partial = ExportTraceServiceResponse::decode(body).ok().and_then(|response| response.partial_success);
        let Some(partial) = partial.filter(|partial| partial.rejected_spans > 0) else { return Self::default() };
        let message: String = partial.error_message.chars().take(MAX_MESSAGE).collect();
        Self {
            cause: Some(format!("the collector rejected {} spans: {message:?}", partial.rejected_spans)),
            rejected: partial.rejected_spans.unsigned_abs(),
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the message of the innermost cause of an error. The outer errors contain the URL.
fn root(error: &(dyn Error + 'static)) -> String {
    let mut error = error;
    while let Some(source) = error.source() {
        error = source;
    }
    error.to_string()
}
