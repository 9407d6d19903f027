//! Bodies that are read or sent piece by piece.

use std::error::Error;
use std::fmt;

use bytes::Bytes;
use futures_core::Stream;

use super::raw::{OCTETS, describe_bytes, write_octets};
use super::{ReadBody, WriteBody};
use crate::build_context::BuildContext;
use crate::build_errors::BuildErrors;
use crate::http::{BodyStream, HttpResponse, IncomingBody, Payload, PayloadStream};
use crate::operation::{MediaTypeObject, Operation, ResponseObject};
use crate::part::RequestHead;
use crate::problem::{RequestViolations, Result};

/// A request body that the controller reads piece by piece, within the route's limit.
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

/// A response body that is sent piece by piece: `application/octet-stream` unless the response sets `Content-Type`.
///
/// An error in the stream closes the connection, so that the client can tell that the body is incomplete.
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
pub struct StreamingBody(PayloadStream);

impl StreamingBody {
    /// Creates a body from its pieces.
    #[must_use]
    pub fn new(pieces: impl Stream<Item = Result<Bytes, Box<dyn Error>>> + 'static) -> Self {
        Self(Box::pin(pieces))
    }
}

impl WriteBody for StreamingBody {
    type Plan = ();

    fn plan(_: &mut BuildContext<'_>) -> Result<(), BuildErrors> {
        Ok(())
    }

    fn describe((): &(), response: &mut ResponseObject) {
        response.content.push(MediaTypeObject::new(OCTETS));
    }

    fn write(self, (): &(), response: &mut HttpResponse) -> Result<()> {
        write_octets(response, Payload::Stream(self.0));
        Ok(())
    }
}

impl fmt::Debug for StreamingBody {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("StreamingBody")
    }
}
