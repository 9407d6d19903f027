//! Writes the log line of one request.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Instant;

use http::{Method, StatusCode};
use restwright_runtime::core::http::RequestId;
use restwright_runtime::core::runtime::log;
use tracing::Level;

use crate::measured::Measure;

/// The trace identifier of a request, and the trace identifier of an untrusted caller.
#[derive(Default)]
pub(super) struct Traces {
    pub(super) own: Option<Box<str>>,
    pub(super) linked: Option<Box<str>>,
}

/// The log line of a request. It is written on drop, when the response ends or when the request is cancelled.
pub(crate) struct Line {
    start: Instant,
    method: Method,
    route: Option<Arc<str>>,
    client: Option<IpAddr>,
    request_id: RequestId,
    /// The trace identifiers of the request and of an untrusted caller.
    traces: Traces,
    status: Option<StatusCode>,
    level: Level,
    subject: Option<Box<str>>,
    bytes: u64,
    is_forgotten: bool,
}

impl Line {
    pub(super) fn new(method: Method, route: Option<Arc<str>>, client: Option<IpAddr>, request_id: RequestId) -> Self {
        Self {
            start: Instant::now(),
            method,
            route,
            client,
            request_id,
            traces: Traces::default(),
            status: None,
            level: Level::INFO,
            subject: None,
            bytes: 0,
            is_forgotten: false,
        }
    }

    pub(super) fn set_outcome(&mut self, status: StatusCode, level: Level) {
        self.status = Some(status);
        self.level = level;
    }

    /// Sets the trace identifiers, unless they are already set.
    pub(super) fn set_traces(&mut self, traces: impl FnOnce() -> Traces) {
        if self.traces.own.is_none() {
            self.traces = traces();
        }
    }

    pub(super) fn set_subject(&mut self, subject: Option<&str>) {
        self.subject = subject.map(Into::into);
    }

    /// Discards the log line, so it is not written on drop.
    pub(super) fn forget(&mut self) {
        self.is_forgotten = true;
    }
}

impl Measure for Line {
    fn add_bytes(&mut self, bytes: usize) {
        self.bytes = self.bytes.saturating_add(u64::try_from(bytes).unwrap_or(u64::MAX));
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        if self.is_forgotten {
            return;
        }
        // The level of an event is static. The event has no parent, because it repeats the fields of the request's
        // span.
        macro_rules! event {
            ($level:expr) => {
                log(|| tracing::event!(
                    target: "restwright::request",
                    parent: None,
                    $level,
                    method = self.method.as_str(),
                    route = self.route.as_deref(),
                    status = self.status.map(|status| status.as_u16()),
                    duration_ms = self.start.elapsed().as_micros() as f64 / 1e3,
                    bytes = self.bytes,
                    client = self.client.map(tracing::field::display),
                    subject = self.subject.as_deref(),
                    request_id = self.request_id.as_str(),
                    trace_id = self.traces.own.as_deref(),
                    linked_trace_id = self.traces.linked.as_deref(),
                ))
            };
        }
        match self.level {
            Level::ERROR => event!(Level::ERROR),
            Level::WARN => event!(Level::WARN),
            Level::INFO => event!(Level::INFO),
            Level::DEBUG => event!(Level::DEBUG),
            Level::TRACE => event!(Level::TRACE),
        }
    }
}
