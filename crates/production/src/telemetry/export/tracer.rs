//! Defines [`RequestTracer`], the tracer of the layer that exports spans. All Apis of a process share it.

use opentelemetry::Context;
use opentelemetry::trace::{SpanBuilder, Tracer, TracerProvider};
use opentelemetry_sdk::trace::{SdkTracer, SdkTracerProvider, Span};

/// A tracer that delegates each new span to the tracer in the parent context of the span. The span then belongs to the
/// exporter of its request.
///
/// A span outside a recorded request has no such context and is not recorded.
pub(super) struct RequestTracer {
    /// A tracer that records no spans, because its provider is shut down.
    stopped: SdkTracer,
}

impl RequestTracer {
    pub(super) fn new() -> Self {
        let provider = SdkTracerProvider::builder().build();
        // The provider has no processor that could fail.
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
