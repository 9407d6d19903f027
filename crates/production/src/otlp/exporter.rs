//! Defines the component that exports spans.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock, PoisonError, RwLock};
use std::time::Duration;

use opentelemetry::trace::TracerProvider;
use opentelemetry::{Context, InstrumentationScope, Key, KeyValue, TraceId};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::trace::{BatchConfigBuilder, BatchSpanProcessor, Sampler, SdkTracerProvider};
use restwright_runtime::core::report::Report;
use restwright_runtime::core::runtime::log;
use restwright_runtime::core::{Component, ComponentError, Configuration};

use super::Otlp;
use super::identifiers::Identifiers;
use super::queue::{MAX_WAITING, Queue};
use super::sender::Sender;
use crate::telemetry;
use crate::trace_context::instance;

const INSTANCE: &str = "service.instance.id";

/// The maximum number of spans in a batch.
const MAX_BATCH: usize = 512;

/// The maximum time that a span waits before its batch is sent.
const DELAY: Duration = Duration::from_secs(1);

/// The maximum time for sending the last batches when the component stops. A host gives all components more time than
/// this.
const STOP: Duration = Duration::from_secs(3);

/// A component that queues spans for a thread, which sends them to the collector.
pub(crate) struct Exporter {
    otlp: Otlp,
    /// The name and version of the Api.
    service: OnceLock<[String; 2]>,
    counts: Arc<SpanCounts>,
    running: RwLock<Option<RunningExporter>>,
}

struct RunningExporter {
    provider: SdkTracerProvider,
    /// The parent context for request spans. It contains the tracer of the provider.
    context: Context,
    is_over: Arc<AtomicBool>,
}

/// The numbers of waiting, exported and lost spans.
#[derive(Debug, Default)]
pub(super) struct SpanCounts {
    /// The number of spans in the queue. The processor does not report dropped spans, so it receives only spans that
    /// fit into its queue.
    pub(super) waiting: AtomicUsize,
    pub(super) exported: AtomicU64,
    pub(super) lost: AtomicU64,
}

impl Exporter {
    pub(crate) fn new(otlp: Otlp) -> Self {
        Self { otlp, service: OnceLock::new(), counts: Arc::default(), running: RwLock::new(None) }
    }

    pub(crate) fn otlp(&self) -> &Otlp {
        &self.otlp
    }

    /// Sets the name and version of the service. Only the first call has an effect. It returns `true`.
    pub(crate) fn set_service(&self, configuration: &Configuration) -> bool {
        self.service.set([configuration.name().to_owned(), configuration.version().to_owned()]).is_ok()
    }

    /// Returns `true` if the sampling ratio selects a new trace with this identifier.
    pub(crate) fn samples(&self, trace_id: &str) -> bool {
        TraceId::from_hex(trace_id).is_ok_and(|trace_id| self.otlp.samples(trace_id))
    }

    /// Returns the parent context of request spans, or `None` if the component is not started.
    pub(crate) fn context(&self) -> Option<Context> {
        self.running.read().unwrap_or_else(PoisonError::into_inner).as_ref().map(|running| running.context.clone())
    }

    fn replace(&self, running: Option<RunningExporter>) -> Option<RunningExporter> {
        std::mem::replace(&mut *self.running.write().unwrap_or_else(PoisonError::into_inner), running)
    }

    fn resource(&self) -> Resource {
        let [name, version] = self.service.get().cloned().unwrap_or_default();
        let resource =
            || Resource::builder().with_service_name(name).with_attribute(KeyValue::new("service.version", version));
        let known = resource.clone()().build();
        // `OTEL_RESOURCE_ATTRIBUTES` may contain the instance.
        match known.get(&Key::from_static_str(INSTANCE)) {
            Some(_) => known,
            None => resource().with_attribute(KeyValue::new(INSTANCE, instance())).build(),
        }
    }
}

impl Component for Exporter {
    fn name(&self) -> &str {
        "otlp"
    }

    async fn start(&self) -> Result<(), ComponentError> {
        if !telemetry::is_installed() {
            return Err(telemetry::MISSING.into());
        }
        let (otlp, resource, counts) = (self.otlp.clone(), self.resource(), self.counts.clone());
        let is_over = Arc::new(AtomicBool::new(false));
        let over = is_over.clone();
        let start = move || -> Result<SdkTracerProvider, String> {
            let config = BatchConfigBuilder::default()
                .with_max_queue_size(MAX_WAITING)
                .with_max_export_batch_size(MAX_BATCH)
                .with_scheduled_delay(DELAY);
            let batches = BatchSpanProcessor::new(Sender::new(&otlp, counts.clone(), over)?, config.build());
            // Requests that are not sampled have no span.
            let provider = SdkTracerProvider::builder()
                .with_sampler(Sampler::AlwaysOn)
                .with_id_generator(Identifiers::default())
                .with_resource(resource)
                .with_span_processor(Queue { batches, counts });
            Ok(provider.build())
        };
        // A blocking client must not be created inside a runtime.
        let thread = std::thread::Builder::new().name("otlp-start".to_owned()).spawn(start)?;
        let provider = thread.join().unwrap_or_else(|_| Err("its thread panicked".to_owned()));
        let provider = provider.map_err(|error| format!("cannot export spans: {error}"))?;
        let scope = InstrumentationScope::builder("restwright").with_version(env!("CARGO_PKG_VERSION")).build();
        let context = Context::new().with_value(provider.tracer_with_scope(scope));
        self.counts.waiting.store(0, Ordering::Relaxed);
        self.replace(Some(RunningExporter { provider, context, is_over }));
        Ok(())
    }

    /// Stops the component after it has sent the remaining spans.
    async fn stop(&self) {
        let Some(RunningExporter { provider, is_over, .. }) = self.replace(None) else { return };
        let is_sent = tokio::task::spawn_blocking(move || provider.shutdown_with_timeout(STOP).is_ok()).await;
        is_over.store(true, Ordering::Relaxed);
        if !is_sent.unwrap_or_default() {
            let lost = self.counts.waiting.swap(0, Ordering::Relaxed);
            self.counts.lost.fetch_add(lost as u64, Ordering::Relaxed);
            log(|| {
                tracing::warn!(
                    collector = self.otlp.endpoint,
                    waiting = lost,
                    "spans are lost because the collector did not accept them before the stop"
                )
            });
        }
    }

    fn report(&self, report: &mut Report) {
        let count = |count: &AtomicU64| count.load(Ordering::Relaxed);
        report.counter("spans_exported", "Spans that the collector accepted.", count(&self.counts.exported));
        report.counter("spans_lost", "Spans that the collector did not accept.", count(&self.counts.lost));
    }
}
