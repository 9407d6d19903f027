//! Defines bodies that are read or sent in pieces.

use std::error::Error;
use std::fmt;

use bytes::Bytes;
use futures_core::Stream;

use super::raw::{OCTETS, describe_bytes, write_octets};
use super::{ReadBody, WriteBody};
use crate::build_context::BuildContext;
use crate::build_errors::BuildErrors;
use crate::http::{BodyStream, HttpResponse, IncomingBody, Payload, PayloadStream, Until};
use crate::operation::{MediaTypeObject, Operation, ResponseObject};
use crate::part::RequestHead;
use crate::problem::{RequestViolations, Result};
use crate::stop_signal::StopSignal;

/// A request body that the controller reads in pieces, up to the body limit of the route.
///
/// A body can be read only once. A second attempt of a transaction that reads it receives
/// [`BodyError::ReadAgain`](crate::http::BodyError::ReadAgain), so read it before the transaction.
#[derive(Debug)]
pub struct StreamedBody(pub BodyStream);

impl ReadBody for StreamedBody {
    type Plan = ();

    fn plan(_: &mut BuildContext<'_>) -> Result<(), BuildErrors> {
        Ok(())
    }

    fn describe((): &(), operation: &mut Operation) {
        describe_bytes(operation);
    }

    async fn read(
        (): &(),
        _: &RequestHead<'_>,
        body: &mut IncomingBody,
        _: &mut RequestViolations,
    ) -> Result<Option<Self>> {
        Ok(Some(Self(body.take())))
    }
}

/// A response body that is sent in pieces. Its media type is `application/octet-stream` unless the response sets
/// `Content-Type`.
///
/// An error in the stream closes the connection. The client can then detect that the body is incomplete.
///
/// ```
/// use std::error::Error;
/// use std::pin::Pin;
/// use std::task::{Context, Poll};
///
/// use restwright_core::body::{Bytes, Stream, StreamingBody};
///
/// /// One piece per line.
/// struct Lines(std::vec::IntoIter<&'static str>);
///
/// impl Stream for Lines {
///     type Item = Result<Bytes, Box<dyn Error>>;
///
///     fn poll_next(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Self::Item>> {
///         Poll::Ready(self.0.next().map(|line| Ok(Bytes::from(line))))
///     }
/// }
///
/// let body = StreamingBody::new(Lines(vec!["a\n", "b\n"].into_iter()));
/// ```
pub struct StreamingBody {
    pieces: PayloadStream,
    until_stop: bool,
}

impl StreamingBody {
    /// Creates a body from a stream of pieces.
    #[must_use]
    pub fn new(pieces: impl Stream<Item = Result<Bytes, Box<dyn Error>>> + 'static) -> Self {
        Self { pieces: Box::pin(pieces), until_stop: false }
    }

    /// Ends the body when the server begins to stop, even if the stream has not ended. The client receives a complete
    /// response.
    ///
    /// The body also ends when the [credentials of the caller](crate::auth::Identity::expires_at) expire, or at
    /// [`max_stream_age`](crate::Configuration::max_stream_age).
    ///
    /// Use this method for endless streams such as server-sent events, whose clients reconnect and continue. Other
    /// streams, such as downloads, are sent completely. They delay the stop by at most the grace period.
    #[must_use]
    pub fn until_stop(mut self) -> Self {
        self.until_stop = true;
        self
    }
}

impl WriteBody for StreamingBody {
    type Plan = StopSignal;

    fn plan(context: &mut BuildContext<'_>) -> Result<StopSignal, BuildErrors> {
        Ok(context.stop_signal())
    }

    fn describe(_: &StopSignal, response: &mut ResponseObject) {
        response.content.push(MediaTypeObject::new(OCTETS));
    }

    fn write(self, stop: &StopSignal, response: &mut HttpResponse) -> Result<()> {
        let pieces = if self.until_stop {
            response.set_long_lived();
            let stop = stop.clone();
            let stopping = Box::pin(async move { stop.stopping().await });
            Box::pin(Until { pieces: self.pieces, end: stopping })
        } else {
            self.pieces
        };
        write_octets(response, Payload::Stream(pieces));
        Ok(())
    }
}

impl fmt::Debug for StreamingBody {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("StreamingBody")
    }
}
