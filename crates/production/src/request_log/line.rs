//! Writes the log line of one request.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Instant;

use http::{Method, StatusCode};
use restwright_runtime::core::StopSignal;
use restwright_runtime::core::http::{HttpResponse, RequestId};
use restwright_runtime::core::runtime::log;
use tracing::Level;

use crate::measured::{End, Measure};

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
    /// The path of a request without a route.
    path: Option<Box<str>>,
    client: Option<IpAddr>,
    request_id: RequestId,
    /// The trace identifiers of the request and of an untrusted caller.
    traces: Traces,
    status: Option<StatusCode>,
    /// The code of the problem in the response.
    code: Option<Box<str>>,
    /// The reason of a 401 or 403.
    reason: Option<Box<str>>,
    level: Level,
    subject: Option<Box<str>>,
    credential_id: Option<Box<str>>,
    bytes: u64,
    end: Option<End>,
    stop: Option<StopSignal>,
    is_forgotten: bool,
}

/// The maximum number of bytes of a path or a reason in the log.
const LONGEST: usize = 256;

impl Line {
    pub(super) fn new(
        method: Method,
        route: Option<Arc<str>>,
        client: Option<IpAddr>,
        request_id: RequestId,
        stop: Option<StopSignal>,
    ) -> Self {
        Self {
            start: Instant::now(),
            method,
            route,
            path: None,
            client,
            request_id,
            traces: Traces::default(),
            status: None,
            code: None,
            reason: None,
            level: Level::INFO,
            subject: None,
            credential_id: None,
            bytes: 0,
            end: None,
            stop,
            is_forgotten: false,
        }
    }

    pub(super) fn set_path(&mut self, path: &str) {
        self.path = Some(beginning(path));
    }

    pub(super) fn set_outcome(&mut self, response: &HttpResponse, level: Level) {
        let status = response.status();
        self.status = Some(status);
        self.level = level;
        self.code = response.code().map(Into::into);
        if !status.is_server_error() {
            self.reason = response.cause().map(beginning);
        }
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

    pub(super) fn set_credential_id(&mut self, id: Option<&str>) {
        self.credential_id = id.map(beginning);
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

    fn set_end(&mut self, end: End) {
        self.end = Some(end);
    }
}

/// Returns the first [`LONGEST`] bytes of a text, up to the end of a character.
fn beginning(text: &str) -> Box<str> {
    let end = (0..=LONGEST.min(text.len())).rev().find(|&end| text.is_char_boundary(end));
    text.get(..end.unwrap_or(0)).unwrap_or_default().into()
}

/// Runs `write` outside of the current spans. The log line repeats their fields, and most formats would add them again.
fn outside_spans(write: impl FnOnce()) {
    let subscriber = tracing::dispatcher::get_default(Clone::clone);
    let mut left = Vec::new();
    while let Some((span, _)) = subscriber.current_span().into_inner()
        && left.len() < MOST_SPANS
    {
        log(|| subscriber.exit(&span));
        left.push(span);
    }
    write();
    left.iter().rev().for_each(|span| log(|| subscriber.enter(span)));
}

/// The maximum number of nested spans around a request.
const MOST_SPANS: usize = 16;

impl Drop for Line {
    fn drop(&mut self) {
        if self.is_forgotten {
            return;
        }
        let (status, code) = match self.end {
            Some(End::Complete) => (self.status, self.code.as_deref()),
            Some(End::Failed) => (self.status, Some("response_failed")),
            None if self.stop.as_ref().is_some_and(StopSignal::is_stopping) => (None, Some("server_stopped")),
            None => (None, Some("client_closed")),
        };
        // The level of an event is static.
        macro_rules! event {
            ($level:expr) => {
                outside_spans(|| log(|| tracing::event!(
                    target: "restwright::request",
                    parent: None,
                    $level,
                    method = self.method.as_str(),
                    route = self.route.as_deref(),
                    path = self.path.as_deref(),
                    status = status.map(|status| status.as_u16()),
                    code,
                    reason = self.reason.as_deref(),
                    duration_ms = self.start.elapsed().as_micros() as f64 / 1e3,
                    bytes = self.bytes,
                    client = self.client.map(tracing::field::display),
                    subject = self.subject.as_deref(),
                    credential_id = self.credential_id.as_deref(),
                    request_id = self.request_id.as_str(),
                    trace_id = self.traces.own.as_deref(),
                    linked_trace_id = self.traces.linked.as_deref(),
                )))
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
