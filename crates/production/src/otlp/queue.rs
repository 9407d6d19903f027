//! Queues spans for the collector.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use opentelemetry::{Context, KeyValue, Value};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::error::OTelSdkResult;
use opentelemetry_sdk::trace::{BatchSpanProcessor, Span, SpanData, SpanProcessor};

use super::exporter::SpanCounts;

/// The maximum number of spans in the queue. A request's span has about 1 KiB.
pub(super) const MAX_WAITING: usize = 2048;

/// The maximum number of characters of an attribute or event name. An attribute may be as long as a request body,
/// because spans can record function arguments.
const MAX_CHARACTERS: usize = 1024;

/// A span processor that limits the number of queued spans of a batch processor. It counts the dropped spans, because
/// the batch processor does not report them.
#[derive(Debug)]
pub(super) struct Queue {
    pub(super) batches: BatchSpanProcessor,
    pub(super) counts: Arc<SpanCounts>,
}

impl SpanProcessor for Queue {
    fn on_start(&self, _: &mut Span, _: &Context) {}

    /// Queues a span without waiting. The span is lost if the queue is full.
    fn on_end(&self, mut span: SpanData) {
        let room = |waiting| (waiting < MAX_WAITING).then_some(waiting + 1);
        if self.counts.waiting.fetch_update(Ordering::Relaxed, Ordering::Relaxed, room).is_ok() {
            shorten(&mut span);
            self.batches.on_end(span);
        } else {
            self.counts.lost.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn force_flush(&self) -> OTelSdkResult {
        self.batches.force_flush()
    }

    fn shutdown_with_timeout(&self, timeout: Duration) -> OTelSdkResult {
        self.batches.shutdown_with_timeout(timeout)
    }

    fn set_resource(&mut self, resource: &Resource) {
        self.batches.set_resource(resource);
    }
}

/// Shortens attributes and event names, because they may contain long strings from a client.
fn shorten(span: &mut SpanData) {
    span.attributes.iter_mut().for_each(shorten_attribute);
    for event in &mut span.events.events {
        if event.name.len() > MAX_CHARACTERS {
            event.name = event.name.chars().take(MAX_CHARACTERS).collect();
        }
        event.attributes.iter_mut().for_each(shorten_attribute);
    }
}

fn shorten_attribute(attribute: &mut KeyValue) {
    if let Value::String(text) = &attribute.value
        && text.as_str().len() > MAX_CHARACTERS
    {
        let short: String = text.as_str().chars().take(MAX_CHARACTERS).collect();
        attribute.value = short.into();
    }
}
