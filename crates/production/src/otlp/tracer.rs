//! The tracer of the exporting layer, which is one for all Apis of a process.

use std::cell::Cell;

use opentelemetry::trace::{SpanBuilder, SpanId, Tracer, TracerProvider};
use opentelemetry::{Context, TraceId};
use opentelemetry_sdk::trace::{IdGenerator, RandomIdGenerator, SdkTracer, SdkTracerProvider, Span};

/// Starts each span with the tracer in the context of its parent: the span belongs to the exporter of its request.
///
/// A span outside of a recorded request has no such context, and is not recorded.
pub(crate) struct RequestTracer {
    /// Its provider is shut down, so its spans are empty.
    stopped: SdkTracer,
}

impl RequestTracer {
    pub(crate) fn new() -> Self {
        let provider = SdkTracerProvider::builder().build();
        // It has no processor that could fail.
        let _ = provider.shutdown();
        Self { stopped: provider.tracer("") }
    }
}

impl Tracer for RequestTracer {
    type Span = Span;

    fn build_with_context(&self, builder: SpanBuilder, parent: &Context) -> Span {
        parent.get::<SdkTracer>().unwrap_or(&self.stopped).build_with_context(builder, parent)
    }
}

thread_local!(static NEXT: Cell<Option<(TraceId, SpanId)>> = const { Cell::new(None) });

/// Starts a span with these identifiers, which its trace context already has.
pub(super) fn start_as<T>(trace_id: TraceId, span_id: SpanId, start: impl FnOnce() -> T) -> T {
    NEXT.set(Some((trace_id, span_id)));
    let started = start();
    NEXT.set(None);
    started
}

/// Makes identifiers at random, unless [`start_as`] has set them.
#[derive(Debug, Default)]
pub(super) struct Identifiers(RandomIdGenerator);

impl IdGenerator for Identifiers {
    fn new_trace_id(&self) -> TraceId {
        NEXT.get().map_or_else(|| self.0.new_trace_id(), |(trace_id, _)| trace_id)
    }

    fn new_span_id(&self) -> SpanId {
        NEXT.get().map_or_else(|| self.0.new_span_id(), |(_, span_id)| span_id)
    }
}
