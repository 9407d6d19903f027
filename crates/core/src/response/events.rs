//! Defines [`EventStream`], a response body of server-sent events.

use std::error::Error;
use std::fmt::{self, Display};
use std::future::Future;
use std::marker::PhantomData;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::{BufMut, Bytes, BytesMut};
use futures_core::Stream;
use http::header::CACHE_CONTROL;
use http::{HeaderName, HeaderValue, StatusCode};
use restwright_schema::{Schema, SchemaObject, typed_schema};
use serde::Serialize;
use tokio::time::{Sleep, sleep};

use super::{Response, describe_by_route};
use crate::body::{StreamingBody, WriteBody, json_bytes};
use crate::build_context::BuildContext;
use crate::build_errors::BuildErrors;
use crate::http::{HttpRequest, HttpResponse, PayloadStream};
use crate::operation::{HeaderObject, MediaTypeObject, Operation, ResponseObject, SchemaUse};
use crate::problem::Result;
use crate::stop_signal::StopSignal;

/// The media type of server-sent events.
const EVENT_STREAM: &str = "text/event-stream";

/// The time without an event after which a comment is sent, unless the stream sets another time.
const HEARTBEAT: Duration = Duration::from_secs(15);

/// A comment, which clients ignore. It has one line end, because some clients return an empty event for an empty line
/// after a comment.
const COMMENT: &[u8] = b":\n";

/// One server-sent event (HTML Living Standard, section 9.2). Its data is JSON.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event<T> {
    data: T,
    id: Option<String>,
    name: Option<String>,
    retry: Option<Duration>,
}

impl<T> Event<T> {
    /// Creates an event with only its data.
    #[must_use]
    pub fn new(data: T) -> Self {
        Self { data, id: None, name: None, retry: None }
    }

    /// Sets the id. A client that connects again sends the last id in the header `Last-Event-ID`.
    ///
    /// It must not contain line breaks or NUL. Such an id ends the stream with an error in the log.
    #[must_use]
    pub fn id(mut self, id: impl Display) -> Self {
        self.id = Some(id.to_string());
        self
    }

    /// Sets the name. Browsers pass the event to the listeners of this name, and by default to the listeners of `message`.
    /// It must not contain line breaks.
    #[must_use]
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Sets the time after which clients connect again when the connection ends, in milliseconds on the wire.
    #[must_use]
    pub fn retry(mut self, retry: Duration) -> Self {
        self.retry = Some(retry);
        self
    }
}

impl<T: Serialize> Event<T> {
    fn to_bytes(&self) -> Result<Bytes, Box<dyn Error>> {
        let data = json_bytes(&self.data)?;
        write_event(self.id.as_deref(), self.name.as_deref(), self.retry, &data)
    }
}

/// Writes an event. JSON contains no line breaks, so the data is one line.
fn write_event(
    id: Option<&str>,
    name: Option<&str>,
    retry: Option<Duration>,
    data: &[u8],
) -> Result<Bytes, Box<dyn Error>> {
    let mut event = BytesMut::with_capacity(data.len() + 32);
    for (field, value) in [("id", id), ("event", name)] {
        let Some(value) = value else { continue };
        if value.contains(['\r', '\n', '\0']) {
            return Err(
                format!("the `{field}` of a server-sent event must not contain line breaks or NUL: {value:?}").into()
            );
        }
        event.extend_from_slice(format!("{field}: {value}\n").as_bytes());
    }
    if let Some(retry) = retry {
        event.extend_from_slice(format!("retry: {}\n", retry.as_millis()).as_bytes());
    }
    event.extend_from_slice(b"data: ");
    event.extend_from_slice(data);
    event.put_slice(b"\n\n");
    Ok(event.freeze())
}

/// A response body of server-sent events with data of the type `T`, such as an enum of several types.
///
/// An event is taken from the stream only when the client has read the events before it, so a slow client uses a bounded
/// memory. After 15 seconds without an event a comment is sent, so proxies keep the connection open and a lost client is
/// detected. The stream ends when the server begins to stop, when the [credentials of the
/// caller](crate::auth::Identity::expires_at) expire, or at [`max_stream_age`](crate::Configuration::max_stream_age).
/// Clients then connect again. An error in the stream closes
/// the connection.
///
/// The response has `Cache-Control: no-store`, and `X-Accel-Buffering: no` for nginx. As the `#[body]` of a derived
/// response, the stream is only the body. A request reads the last id with `#[header("Last-Event-ID")]`.
///
/// ```
/// use std::error::Error;
/// use std::pin::Pin;
/// use std::task::{Context, Poll};
///
/// use restwright_core::body::Stream;
/// use restwright_core::{Event, EventStream, Route};
///
/// /// One event per number.
/// struct Countdown(u32);
///
/// impl Stream for Countdown {
///     type Item = Result<Event<u32>, Box<dyn Error>>;
///
///     fn poll_next(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Self::Item>> {
///         let Some(next) = self.0.checked_sub(1) else { return Poll::Ready(None) };
///         self.0 = next;
///         Poll::Ready(Some(Ok(Event::new(next).id(next))))
///     }
/// }
///
/// let countdown = Route::get("/countdown").id("countdown").public();
/// let countdown = countdown.handler(async |_: ()| Ok(EventStream::new(Countdown(3))));
/// ```
pub struct EventStream<T> {
    pieces: PayloadStream,
    heartbeat: Duration,
    data: PhantomData<fn() -> T>,
}

impl<T: Serialize + 'static> EventStream<T> {
    /// Creates a body from a stream of events.
    #[must_use]
    pub fn new(events: impl Stream<Item = Result<Event<T>, Box<dyn Error>>> + 'static) -> Self {
        Self { pieces: Box::pin(Events(Box::pin(events))), heartbeat: HEARTBEAT, data: PhantomData }
    }

    /// Sets the time without an event after which a comment is sent. The default is 15 seconds. Zero sends no comments.
    #[must_use]
    pub fn heartbeat(mut self, period: Duration) -> Self {
        self.heartbeat = period;
        self
    }
}

/// A stream of events as bytes.
struct Events<S>(Pin<Box<S>>);

impl<T: Serialize, S: Stream<Item = Result<Event<T>, Box<dyn Error>>>> Stream for Events<S> {
    type Item = Result<Bytes, Box<dyn Error>>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let event = self.0.as_mut().poll_next(context);
        event.map(|event| event.map(|event| event.and_then(|event| event.to_bytes())))
    }
}

/// A stream that sends a comment after a time without an event.
struct Heartbeat {
    pieces: PayloadStream,
    period: Duration,
    next: Pin<Box<Sleep>>,
}

impl Stream for Heartbeat {
    type Item = Result<Bytes, Box<dyn Error>>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = &mut *self;
        let mut piece = this.pieces.as_mut().poll_next(context);
        if piece.is_pending() && this.next.as_mut().poll(context).is_ready() {
            piece = Poll::Ready(Some(Ok(Bytes::from_static(COMMENT))));
        }
        if piece.is_ready() {
            this.next.set(sleep(this.period));
        }
        piece
    }
}

/// The schema of the data of events, and the signal that ends them.
#[derive(Debug)]
pub struct EventsPlan {
    data: SchemaObject,
    stop: StopSignal,
}

impl<T: Schema + Serialize + 'static> WriteBody for EventStream<T> {
    type Plan = EventsPlan;

    fn plan(context: &mut BuildContext<'_>) -> Result<EventsPlan, BuildErrors> {
        Ok(EventsPlan { data: typed_schema::<T>(context.registry()).into(), stop: context.stop_signal() })
    }

    fn describe(plan: &EventsPlan, response: &mut ResponseObject) {
        response.content.push(MediaTypeObject::new(EVENT_STREAM).item_schema(SchemaUse::output(plan.data.clone())));
        for (name, description) in [
            ("Cache-Control", "Caches must not store the events."),
            ("X-Accel-Buffering", "`no`, so nginx sends each event immediately."),
        ] {
            let header = HeaderObject::new(name, SchemaUse::output(SchemaObject::string()));
            response.add_header(header.description(description));
        }
    }

    fn write(self, plan: &EventsPlan, response: &mut HttpResponse) -> Result<()> {
        write_events(self.pieces, self.heartbeat, &plan.stop, response)
    }
}

fn write_events(pieces: PayloadStream, period: Duration, stop: &StopSignal, response: &mut HttpResponse) -> Result<()> {
    response.set_content_type(HeaderValue::from_static(EVENT_STREAM));
    response.insert_absent_header(&CACHE_CONTROL, &HeaderValue::from_static("no-store"));
    response.insert_header(HeaderName::from_static("x-accel-buffering"), HeaderValue::from_static("no"));
    let pieces =
        if period.is_zero() { pieces } else { Box::pin(Heartbeat { pieces, period, next: Box::pin(sleep(period)) }) };
    StreamingBody::new(pieces).until_stop().write(stop, response)
}

impl<T: Schema + Serialize + 'static> Response for EventStream<T> {
    type Plan = EventsPlan;

    fn plan(context: &mut BuildContext<'_>) -> Result<EventsPlan, BuildErrors> {
        <Self as WriteBody>::plan(context)
    }

    fn describe(plan: &EventsPlan, operation: &mut Operation) {
        <Self as WriteBody>::describe(plan, describe_by_route(operation, StatusCode::OK));
    }

    fn respond(self, plan: &EventsPlan, _: &HttpRequest) -> Result<HttpResponse> {
        let mut response = HttpResponse::new(StatusCode::OK);
        self.write(plan, &mut response)?;
        Ok(response)
    }
}

impl<T> fmt::Debug for EventStream<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("EventStream").field("heartbeat", &self.heartbeat).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_on_the_wire() {
        for (event, expected) in [
            (Event::new("a\nb"), "data: \"a\\nb\"\n\n"),
            (Event::new("a").id(7).name("created"), "id: 7\nevent: created\ndata: \"a\"\n\n"),
            (Event::new("").retry(Duration::from_millis(1_500)), "retry: 1500\ndata: \"\"\n\n"),
        ] {
            assert_eq!(event.to_bytes().unwrap(), expected);
        }
        for event in [Event::new(1).id("a\nb"), Event::new(1).id("\0"), Event::new(1).name("a\rb")] {
            assert!(event.to_bytes().unwrap_err().to_string().contains("must not contain line breaks"), "{event:?}");
        }
    }
}
