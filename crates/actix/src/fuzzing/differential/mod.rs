//! Sends the same bytes to this crate's connection loop and to hyper, and compares the results. [`ACCEPTED`] lists the
//! accepted differences.
//!
//! A fuzz target includes this file, so the file uses nothing from its crate.

use std::cell::RefCell;
use std::convert::Infallible;
use std::future::poll_fn;
use std::io;
use std::pin::{Pin, pin};
use std::rc::Rc;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};

use http::{Response, StatusCode};
use hyper::body::{Body, Incoming};
use hyper::rt::{Read, ReadBufCursor, Write};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use restwright_runtime::Api;
use restwright_runtime::core::http::{HttpRequest, HttpResponse};
use restwright_runtime::core::{Configuration, Middleware, Next, Result};

use accepted::{ACCEPTED, REJECTED};

mod accepted;

/// A differential test between this crate and hyper. Both servers record each request. They respond with 200, or with
/// 400 to an incomplete body.
#[derive(Debug)]
pub(crate) struct Differential {
    api: Api,
    seen: Arc<Mutex<Vec<ParsedRequest>>>,
    runtime: tokio::runtime::Runtime,
}

/// A request that one of the servers parsed.
#[derive(Debug, Clone, PartialEq, Eq)]
struct ParsedRequest {
    method: String,
    /// The request target, which consists of path and query.
    target: String,
    /// The header fields, sorted by name.
    fields: Vec<(String, Vec<u8>)>,
    /// The body, or `None` if the body is incomplete.
    body: Option<Vec<u8>>,
}

impl ParsedRequest {
    fn new(method: &str, path: &str, query: Option<&str>) -> Self {
        let query = query.map(|query| format!("?{query}")).unwrap_or_default();
        Self { method: method.to_owned(), target: format!("{path}{query}"), fields: Vec::new(), body: None }
    }

    /// Returns the values of a header field.
    fn values(&self, name: &str) -> impl Iterator<Item = &[u8]> {
        self.fields.iter().filter(move |(known, _)| known == name).map(|(_, value)| value.as_slice())
    }

    fn has(&self, name: &str) -> bool {
        self.values(name).next().is_some()
    }
}

/// The status of a response, and whether the connection closes after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Reply {
    status: u16,
    closes: bool,
}

/// The requests that one server read from a connection, and the responses that it sent.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ServerOutcome {
    requests: Vec<ParsedRequest>,
    replies: Vec<Reply>,
}

/// The first difference between the outcomes of the two servers. It contains the request at one position and its
/// response.
struct ServerDifference<'o> {
    part: &'static str,
    ours: (Option<&'o ParsedRequest>, Option<Reply>),
    hyper: (Option<&'o ParsedRequest>, Option<Reply>),
}

impl<'o> ServerDifference<'o> {
    /// Returns the request if hyper accepts it and this crate rejects it with 400.
    fn rejected(&self) -> Option<&'o ParsedRequest> {
        self.hyper.0.filter(|_| self.ours == (None, Some(REJECTED)))
    }

    /// Returns the request and both responses, if both servers read the same request and respond differently.
    fn responded(&self) -> Option<(&'o ParsedRequest, Reply, Reply)> {
        self.ours
            .0
            .filter(|_| self.part == "response")
            .zip(self.ours.1)
            .zip(self.hyper.1)
            .map(|((seen, ours), hyper)| (seen, ours, hyper))
    }
}

impl Differential {
    pub(crate) fn new() -> Self {
        let seen = Arc::default();
        let builder =
            Api::builder(Configuration::new("differential", "1.0.0")).middleware(RequestRecorder(Arc::clone(&seen)));
        let api = builder.build().expect("an Api");
        let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
        Self { api, seen, runtime }
    }

    /// Returns the Api that this crate's connection loop serves.
    pub(crate) fn api(&self) -> &Api {
        &self.api
    }

    /// Sends bytes to both servers and compares the outcomes. Returns the reason for an accepted difference. `serve`
    /// runs this crate's connection loop.
    ///
    /// # Panics
    /// Panics if the servers differ and the difference is not accepted.
    pub(crate) fn check(&self, bytes: &[u8], serve: impl FnOnce(&[u8]) -> Vec<u8>) -> Option<&'static str> {
        let ours = self.outcome(&serve(bytes));
        let (sent, requests) = self.runtime.block_on(hyper(bytes));
        let hyper = ServerOutcome { replies: replies(&sent, &requests), requests };
        let difference = first_difference(&ours, &hyper)?;
        let accepted =
            ACCEPTED.iter().find(|accepted| (accepted.applies)(bytes, &difference)).map(|accepted| accepted.reason);
        let text = String::from_utf8_lossy(bytes);
        assert!(accepted.is_some(), "{text:?}: the {} differs: \n{ours:?}\n{hyper:?}", difference.part);
        accepted
    }

    /// Builds the outcome of this crate's server from the recorded requests and the bytes that the server sent.
    pub(crate) fn outcome(&self, sent: &[u8]) -> ServerOutcome {
        let requests = std::mem::take(&mut *self.seen.lock().expect("no panic"));
        ServerOutcome { replies: replies(sent, &requests), requests }
    }

    /// Returns the reasons for all accepted differences.
    pub(crate) fn reasons() -> impl Iterator<Item = &'static str> {
        ACCEPTED.iter().map(|accepted| accepted.reason)
    }
}

/// A middleware that records each request and does not call a controller.
struct RequestRecorder(Arc<Mutex<Vec<ParsedRequest>>>);

impl Middleware for RequestRecorder {
    async fn handle(&self, request: &mut HttpRequest, _: Next<'_>) -> Result<HttpResponse> {
        let mut seen = ParsedRequest::new(request.method().as_str(), request.path(), request.query());
        request.each_header(&mut |name, value| seen.fields.push((name.to_owned(), value.to_owned())));
        seen.fields.sort_by(|one, other| one.0.cmp(&other.0));
        let body = request.body().await;
        seen.body = body.as_ref().ok().map(|body| body.to_vec());
        self.0.lock().expect("no panic").push(seen);
        body.map(|_| HttpResponse::new(StatusCode::OK))
    }
}

/// Sends bytes to hyper. Returns the bytes that hyper sent and the requests that it read.
async fn hyper(bytes: &[u8]) -> (Vec<u8>, Vec<ParsedRequest>) {
    let (sent, requests) = (Rc::default(), RefCell::<Vec<ParsedRequest>>::default());
    let client = InMemoryClient { bytes: bytes.to_vec(), sent: Rc::clone(&sent) };
    let service = service_fn(async |request: http::Request<Incoming>| {
        let (head, body) = request.into_parts();
        let mut seen = ParsedRequest::new(head.method.as_str(), head.uri.path(), head.uri.query());
        let fields = head.headers.iter().map(|(name, value)| (name.to_string(), value.as_bytes().to_owned()));
        seen.fields = fields.collect();
        seen.fields.sort_by(|one, other| one.0.cmp(&other.0));
        seen.body = whole(body).await;
        let status = if seen.body.is_some() { StatusCode::OK } else { StatusCode::BAD_REQUEST };
        requests.borrow_mut().push(seen);
        let mut response = Response::new(String::new());
        *response.status_mut() = status;
        Ok::<_, Infallible>(response)
    });
    // The future returns an error if hyper rejects the head.
    let _ = http1::Builder::new().half_close(true).serve_connection(client, service).await;
    (sent.take(), requests.take())
}

/// Reads a whole request body. Returns `None` if the body is incomplete.
async fn whole(body: Incoming) -> Option<Vec<u8>> {
    let mut body = pin!(body);
    let mut bytes = Vec::new();
    while let Some(frame) = poll_fn(|context| body.as_mut().poll_frame(context)).await {
        // Trailers are dropped.
        if let Ok(data) = frame.ok()?.into_data() {
            bytes.extend_from_slice(&data);
        }
    }
    Some(bytes)
}

/// An in-memory client that sends all bytes in one piece and then closes its side of the connection.
struct InMemoryClient {
    bytes: Vec<u8>,
    sent: Rc<RefCell<Vec<u8>>>,
}

impl Read for InMemoryClient {
    fn poll_read(mut self: Pin<&mut Self>, _: &mut Context<'_>, mut into: ReadBufCursor<'_>) -> Poll<io::Result<()>> {
        let length = self.bytes.len().min(into.remaining());
        let rest = self.bytes.split_off(length);
        into.put_slice(&self.bytes);
        self.bytes = rest;
        Poll::Ready(Ok(()))
    }
}

impl Write for InMemoryClient {
    fn poll_write(self: Pin<&mut Self>, _: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.sent.borrow_mut().extend_from_slice(bytes);
        Poll::Ready(Ok(bytes.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}

/// Parses the responses that a server sent on a connection. The first responses belong to `requests`, in the same
/// order.
///
/// # Panics
/// Panics if the responses are not HTTP/1.
fn replies(mut sent: &[u8], requests: &[ParsedRequest]) -> Vec<Reply> {
    let mut replies = Vec::new();
    while !sent.is_empty() {
        let end = sent.windows(4).position(|window| window == b"\r\n\r\n").expect("a whole head");
        let head = std::str::from_utf8(&sent[..end]).expect("a head in ASCII").to_ascii_lowercase();
        sent = &sent[end + 4..];
        let (status_line, fields) = head.split_once("\r\n").unwrap_or((&head, ""));
        let status = status_line.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status");
        if status == 100 {
            continue;
        }
        let field = |name: &str| fields.split("\r\n").find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
        let keeps = if status_line.starts_with("http/1.1") {
            field("connection") != Some("close")
        } else {
            field("connection") == Some("keep-alive")
        };
        // A rejected head may contain `HEAD`. Its response then has no body.
        let is_head = requests.get(replies.len()).is_some_and(|request| request.method == "HEAD") || sent.is_empty();
        let length = field("content-length").map_or(0, |length| length.parse().expect("a length"));
        sent = if is_head { sent } else { sent.split_at_checked(length).expect("a whole body").1 };
        replies.push(Reply { status, closes: !keeps });
    }
    replies
}

fn first_difference<'o>(ours: &'o ServerOutcome, hyper: &'o ServerOutcome) -> Option<ServerDifference<'o>> {
    let at = |outcome: &'o ServerOutcome, place| (outcome.requests.get(place), outcome.replies.get(place).copied());
    let class = |reply: Option<Reply>| reply.map(|reply| (reply.status / 100, reply.closes));
    for place in 0.. {
        let (ours, hyper) = (at(ours, place), at(hyper, place));
        let part = match (ours.0, hyper.0) {
            (Some(one), Some(other)) if one.method != other.method => "method",
            (Some(one), Some(other)) if one.target != other.target => "target",
            (Some(one), Some(other)) if one.fields != other.fields => "fields",
            (Some(one), Some(other)) if one.body != other.body => "body",
            (Some(_), None) | (None, Some(_)) => "number of requests",
            _ if class(ours.1) != class(hyper.1) => "response",
            (Some(_), Some(_)) => continue,
            (None, None) => break,
        };
        return Some(ServerDifference { part, ours, hyper });
    }
    None
}
