//! Copies the trace and span identifiers from the trace context of a request to the span of the request.

use std::cell::Cell;

use opentelemetry::TraceId;
use opentelemetry::trace::SpanId;
use opentelemetry_sdk::trace::{IdGenerator, RandomIdGenerator};

thread_local!(static NEXT: Cell<Option<(TraceId, SpanId)>> = const { Cell::new(None) });

/// Calls `start`, and assigns the given identifiers to the span that `start` creates.
pub(super) fn start_as<T>(trace_id: TraceId, span_id: SpanId, start: impl FnOnce() -> T) -> T {
    NEXT.set(Some((trace_id, span_id)));
    let started = start();
    NEXT.set(None);
    started
}

/// A generator of trace and span identifiers. It returns random identifiers, unless [`start_as`] has set them.
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
