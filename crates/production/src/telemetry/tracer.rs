//! The tracer of the export layer, shared by all Apis of a process.

use opentelemetry::Context;
use opentelemetry::trace::{SpanBuilder, Tracer, TracerProvider};
use opentelemetry_sdk::trace::{SdkTracer, SdkTracerProvider, Span};

/// Starts each span with the tracer in its parent's context, so the span belongs to the exporter of its request.
///
/// A span outside a recorded request has no such context and is not recorded.
pub(super) struct RequestTracer {
    /// A tracer whose provider is shut down, so it records no spans.
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
