//! The component that exports spans.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock, PoisonError, RwLock};
use std::time::Duration;

use opentelemetry::{InstrumentationScope, KeyValue, TraceId};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::trace::{BatchConfigBuilder, BatchSpanProcessor, SpanData, SpanProcessor};
use restwright_runtime::core::report::Report;
use restwright_runtime::core::runtime::log;
use restwright_runtime::core::{Component, ComponentError, Configuration};

use super::Otlp;
use super::sender::Sender;

/// The most spans that wait. One has some 1 KiB.
const MAX_WAITING: usize = 2048;

/// The most spans of a batch.
const MAX_BATCH: usize = 512;

/// The longest time that a span waits for others of its batch.
const DELAY: Duration = Duration::from_secs(1);

/// The longest time that a stop waits for the last batches; less than what hosts leave to all components.
const STOP: Duration = Duration::from_secs(3);

/// Hands spans to a thread that sends them, while it is started.
pub(crate) struct Exporter {
    otlp: Otlp,
    /// The name and version of the Api.
    service: OnceLock<[String; 2]>,
    pub(super) scope: InstrumentationScope,
    counts: Arc<Counts>,
    running: RwLock<Option<Running>>,
}

#[derive(Clone)]
struct Running {
    processor: Arc<BatchSpanProcessor>,
    is_over: Arc<AtomicBool>,
}

/// Spans by what has become of them.
#[derive(Debug, Default)]
pub(super) struct Counts {
    /// Those that wait: the processor counts what it drops nowhere, so that it never gets more than it takes.
    pub(super) waiting: AtomicUsize,
    pub(super) exported: AtomicU64,
    pub(super) lost: AtomicU64,
}

impl Exporter {
    pub(crate) fn new(otlp: Otlp) -> Self {
        Self {
            otlp,
            service: OnceLock::new(),
            scope: InstrumentationScope::builder("restwright").with_version(env!("CARGO_PKG_VERSION")).build(),
            counts: Arc::default(),
            running: RwLock::new(None),
        }
    }

    pub(crate) fn otlp(&self) -> &Otlp {
        &self.otlp
    }

    /// Sets the name and the version of the service; the first call holds, and returns true.
    pub(crate) fn set_service(&self, configuration: &Configuration) -> bool {
        self.service.set([configuration.name().to_owned(), configuration.version().to_owned()]).is_ok()
    }

    /// Decides whether a trace that begins here is recorded.
    pub(crate) fn samples(&self, trace_id: &str) -> bool {
        TraceId::from_hex(trace_id).is_ok_and(|trace_id| self.otlp.samples(trace_id))
    }

    /// Takes a span without waiting, and loses it if too many wait.
    pub(super) fn take(&self, span: SpanData) {
        let running = self.running.read().unwrap_or_else(PoisonError::into_inner);
        let Some(running) = &*running else { return };
        let room = |waiting| (waiting < MAX_WAITING).then_some(waiting + 1);
        if self.counts.waiting.fetch_update(Ordering::Relaxed, Ordering::Relaxed, room).is_ok() {
            running.processor.on_end(span);
        } else {
            self.counts.lost.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn replace(&self, running: Option<Running>) -> Option<Running> {
        std::mem::replace(&mut *self.running.write().unwrap_or_else(PoisonError::into_inner), running)
    }

    fn resource(&self) -> Resource {
        let [name, version] = self.service.get().cloned().unwrap_or_default();
        Resource::builder().with_service_name(name).with_attribute(KeyValue::new("service.version", version)).build()
    }
}

impl Component for Exporter {
    fn name(&self) -> &str {
        "otlp"
    }

    async fn start(&self) -> Result<(), ComponentError> {
        let (otlp, resource, counts) = (self.otlp.clone(), self.resource(), self.counts.clone());
        let is_over = Arc::new(AtomicBool::new(false));
        let over = is_over.clone();
        let start = move || -> Result<BatchSpanProcessor, String> {
            let sender = Sender::new(&otlp, &resource, counts, over)?;
            let config = BatchConfigBuilder::default()
                .with_max_queue_size(MAX_WAITING)
                .with_max_export_batch_size(MAX_BATCH)
                .with_scheduled_delay(DELAY);
            Ok(BatchSpanProcessor::new(sender, config.build()))
        };
        // A client that blocks is not made within a runtime.
        let thread = std::thread::Builder::new().name("otlp-start".to_owned()).spawn(start)?;
        let processor = thread.join().unwrap_or_else(|_| Err("the thread for it panicked".to_owned()));
        let processor = processor.map_err(|error| format!("cannot export spans: {error}"))?;
        self.counts.waiting.store(0, Ordering::Relaxed);
        self.replace(Some(Running { processor: Arc::new(processor), is_over }));
        Ok(())
    }

    /// Sends the spans that wait.
    async fn stop(&self) {
        let Some(Running { processor, is_over }) = self.replace(None) else { return };
        let is_sent = tokio::task::spawn_blocking(move || processor.shutdown_with_timeout(STOP).is_ok()).await;
        is_over.store(true, Ordering::Relaxed);
        if !is_sent.unwrap_or_default() {
            let lost = self.counts.waiting.swap(0, Ordering::Relaxed);
            self.counts.lost.fetch_add(lost as u64, Ordering::Relaxed);
            log(|| {
                tracing::warn!(
                    collector = self.otlp.endpoint,
                    waiting = lost,
                    "spans are lost, since the collector did not take them before the stop"
                )
            });
        }
    }

    fn report(&self, report: &mut Report) {
        let count = |count: &AtomicU64| count.load(Ordering::Relaxed);
        report.counter("spans_exported", "Spans that the collector took.", count(&self.counts.exported));
        report.counter("spans_lost", "Spans that the collector did not take.", count(&self.counts.lost));
    }
}
