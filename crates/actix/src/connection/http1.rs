//! Contains the HTTP/1 connection loop (RFC 9112).

use std::future::poll_fn;
use std::io;
use std::pin::pin;
use std::rc::Rc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use actix_http::ServiceConfig;
use bytes::Bytes;
use http::Method;
use http::header::TE;
use restwright_runtime::core::http::{BodyStream, HostRequest, HttpRequest, Payload, Trailer, Upgraded};
use restwright_runtime::core::runtime::{MemoryAccount, log};
use restwright_runtime::{HeadError, Worker};
use tokio::task::coop::consume_budget;
use tokio::time::timeout;

use super::HttpConnection;
use super::date::Date;
use super::request_body::RequestBody;
use super::request_head::{DecodedRequest, RefusedHead, next_head};
use super::response_head::{ResponseFraming, ResponseHead};
use super::response_stream::send_stream;
use super::switched::SwitchedConnection;
use super::watchdog::Watchdog;

/// The HTTP/1 connection loop, which all connections of a worker share.
pub(crate) struct Http1 {
    worker: Worker,
    codec: ServiceConfig,
    date: Date,
}

/// The maximum size in bytes of a response body that is copied into the output buffer. One write then sends both head
/// and body.
const COPIED_BYTES: usize = 16 * 1024;
/// The maximum time for a client to send the head of its first request while all places are taken.
const FIRST_HEAD: Duration = Duration::from_secs(1);
/// The size in bytes above which the output buffer is written before the next pipelined request is handled.
const BATCHED_BYTES: usize = 16 * 1024;

impl Http1 {
    pub(crate) fn new(worker: Worker, codec: ServiceConfig) -> Self {
        Self { worker, codec, date: Date::default() }
    }

    /// Returns the memory account, which counts the memory that connections hold while the server waits for clients.
    pub(crate) fn memory(&self) -> &Rc<MemoryAccount> {
        self.worker.memory()
    }

    /// Serves a connection until it closes.
    pub(crate) async fn serve(&self, connection: HttpConnection, watchdog: &Watchdog) {
        let connection = Rc::new(connection);
        if let Err(error) = self.requests(&connection, watchdog).await {
            log(|| tracing::debug!(%error, "a connection ended"));
        }
    }

    async fn requests(&self, connection: &Rc<HttpConnection>, watchdog: &Watchdog) -> io::Result<()> {
        let mut head = match Box::pin(self.admit(connection, watchdog)).await? {
            Admission::Place => next_head(connection, &self.codec).await?,
            Admission::First(head) => head,
        };
        let mut is_read = true;
        loop {
            match head {
                // Boxed, so an idle connection needs little memory.
                Some(Ok(head)) => match Box::pin(self.exchange(connection, head)).await? {
                    NextAction::NextRequest => {}
                    NextAction::Close => break,
                    NextAction::CloseUnread => {
                        is_read = false;
                        break;
                    }
                },
                Some(Err(refused)) => {
                    is_read = refused.is_read;
                    self.refuse(connection, refused);
                    break;
                }
                None => break,
            }
            head = next_head(connection, &self.codec).await?;
        }
        close(connection, is_read).await
    }

    /// Waits for a place within the connection limit. While all places are taken, the first request of the connection is
    /// read. A health check is then handled without a place. Every other request gets a 503 if no request completes for a
    /// long time.
    async fn admit(&self, connection: &HttpConnection, watchdog: &Watchdog) -> io::Result<Admission> {
        let mut place = pin!(watchdog.place());
        let head = tokio::select! {
            biased;
            place = &mut place => {
                connection.admit(place);
                return Ok(Admission::Place);
            }
            // A client that sends nothing would occupy the connection of a health check.
            head = timeout(FIRST_HEAD, next_head(connection, &self.codec)) => head.unwrap_or(Ok(None))?,
        };
        let Some(Ok(head)) = head else { return Ok(Admission::First(head)) };
        if self.worker.is_unwatched(&head.method(), head.path()) {
            connection.state.close();
            return Ok(Admission::First(Some(Ok(head))));
        }
        tokio::select! {
            biased;
            place = place => {
                connection.admit(place);
                Ok(Admission::First(Some(Ok(head))))
            }
            () = watchdog.blocked() => Ok(Admission::First(Some(Err(head.refuse(HeadError::Full))))),
        }
    }

    /// Handles one request and sends its response.
    async fn exchange(&self, connection: &Rc<HttpConnection>, head: DecodedRequest) -> io::Result<NextAction> {
        let memory = self.worker.memory();
        if memory.is_full() {
            memory.room().await;
        }
        connection.state.begin();
        let (version, method) = (head.version(), head.method());
        let head_only = method == Method::HEAD;
        let keeps_alive = head.keeps_alive;
        let body = head.body().map(|decoder| RequestBody::new(connection, decoder, head.expects_continue()));
        let stream = body.as_ref().map_or_else(BodyStream::empty, RequestBody::stream);
        let mut request = HttpRequest::new(method, head, stream);
        let mut response = {
            let mut handling = pin!(self.worker.handle(&mut request));
            let handling = poll_fn(|context| match handling.as_mut().poll(context) {
                Poll::Ready(response) => Poll::Ready(Ok(response)),
                Poll::Pending => poll_gone(connection, body.as_deref(), context).map(Err),
            });
            handling.await?
        };
        let trailer = response.take_trailer().filter(|_| accepts_trailers(&request));
        drop(request);
        let streams = matches!(response.payload(), Payload::Stream(_) | Payload::SizedStream(..));
        let mut is_read = true;
        let body = match body {
            // The application may read the body while the response streams.
            Some(body) if streams && body.has_reader() => Some(body),
            Some(body) => {
                if !body.is_complete() {
                    flush(connection).await?;
                    is_read = body.discard(connection, response.status()).await;
                }
                body.end(connection);
                None
            }
            None => None,
        };
        if let Some(body) = &body {
            body.release(connection);
        }
        let mut payload = response.take_payload();
        let framing = ResponseFraming::new(&mut payload, response.status(), version, head_only);
        // Only this value decides whether the connection closes, so the connection always matches the `Connection`
        // header.
        let closes = !keeps_alive
            || !is_read
            || framing == ResponseFraming::Close
            // The application may leave part of the body unread after the response head is sent.
            || body.as_ref().is_some_and(|body| !body.has_come(connection))
            || connection.state.is_closing()
            || connection.is_draining();
        let name = trailer.as_ref().map(Trailer::name);
        let head = ResponseHead { version, framing, closes, date: &self.date, trailer: name };
        head.write(&response, &mut connection.output.borrow_mut());
        let coder = response.take_coder_memory();
        drop(response);
        match payload {
            Payload::Bytes(bytes) if bytes.len() <= COPIED_BYTES => {
                connection.output.borrow_mut().extend_from_slice(&bytes);
            }
            Payload::Bytes(bytes) => {
                send_bytes(connection, bytes).await?;
                connection.release_memory();
            }
            Payload::Stream(pieces) | Payload::SizedStream(_, pieces) => {
                connection.begin_response(0, coder);
                send_stream(connection, body.as_deref(), pieces, framing, trailer).await?;
                connection.release_memory();
            }
            Payload::Upgrade(upgrade) => {
                flush(connection).await?;
                upgrade.run(Upgraded::new(SwitchedConnection(connection.clone()), memory.share())).await;
                // The client may send until it reads the end of the protocol (RFC 6455, section 7.1.1).
                return Ok(NextAction::CloseUnread);
            }
            _ => {}
        }
        // Responses to pipelined requests are written together.
        let is_followed = !closes && !connection.input.borrow().is_empty();
        if is_followed && connection.output.borrow().len() < BATCHED_BYTES {
            // Other connections get their turn, regardless of the number of pipelined requests.
            consume_budget().await;
        } else {
            flush(connection).await?;
        }
        is_read &= body.is_none_or(|body| body.end(connection));
        connection.state.end(!connection.input.borrow().is_empty());
        Ok(match (is_read, closes) {
            (false, _) => NextAction::CloseUnread,
            (true, true) => NextAction::Close,
            (true, false) => NextAction::NextRequest,
        })
    }

    /// Writes the error response to a malformed request head. The connection then closes.
    fn refuse(&self, connection: &HttpConnection, refused: RefusedHead) {
        let RefusedHead { error, method, is_tls, .. } = refused;
        if is_tls {
            connection.log_tls();
        }
        let version = http::Version::HTTP_11;
        let mut response = self.worker.refuse_head(error, method);
        log(|| tracing::debug!(status = %response.status(), "a request was rejected without handling it"));
        let mut payload = response.take_payload();
        // A problem is never empty, and `HEAD` differs only for an empty payload.
        let framing = ResponseFraming::new(&mut payload, response.status(), version, false);
        let head = ResponseHead { version, framing, closes: true, date: &self.date, trailer: None };
        head.write(&response, &mut connection.output.borrow_mut());
        if let Payload::Bytes(bytes) = payload {
            connection.output.borrow_mut().extend_from_slice(&bytes);
        }
    }
}

/// Returns `true` if the client accepts trailers (RFC 9110, section 10.1.4).
fn accepts_trailers(request: &HttpRequest) -> bool {
    let codings = request.header(&TE).unwrap_or_default().split(',');
    codings
        .map(|coding| coding.split(';').next().unwrap_or_default().trim())
        .any(|coding| coding.eq_ignore_ascii_case("trailers"))
}

/// How a connection begins.
enum Admission {
    /// The connection has a place, and its first request is not read yet.
    Place,
    /// The first request of a connection that had to wait, or `None` if the connection closes.
    First(Option<Result<DecodedRequest, RefusedHead>>),
}

/// The next action of a connection after a response.
enum NextAction {
    NextRequest,
    Close,
    /// The connection closes, although the client may still be sending the request body.
    CloseUnread,
}

/// Waits until the client resets the connection. Also sends the rest of a `100 Continue`.
pub(super) fn poll_gone(
    connection: &HttpConnection,
    body: Option<&RequestBody>,
    context: &mut Context<'_>,
) -> Poll<io::Error> {
    if let Poll::Ready(Err(error)) = connection.poll_flush(context) {
        return Poll::Ready(error);
    }
    // While the body is incomplete, the application reads the socket.
    if body.is_none_or(RequestBody::is_complete) { connection.poll_reset(context) } else { Poll::Pending }
}

async fn flush(connection: &HttpConnection) -> io::Result<()> {
    poll_fn(|context| connection.poll_flush(context)).await
}

async fn send_bytes(connection: &HttpConnection, mut bytes: Bytes) -> io::Result<()> {
    // Bytes that are shared with others do not count as memory of this client.
    connection.begin_response(if bytes.is_unique() { bytes.len() } else { 0 }, None);
    poll_fn(|context| {
        ready!(connection.poll_flush(context))?;
        connection.poll_write(&mut bytes, 0, context)
    })
    .await
}

/// Closes a connection. If the client may still be sending, discards the remaining input first.
///
/// Closing a socket with unread bytes resets the connection, and the client may lose the response. If the client is
/// still sending, only the server's side is closed. The remaining input is read and discarded for a short time (RFC
/// 9112, section 9.6).
async fn close(connection: &HttpConnection, is_read: bool) -> io::Result<()> {
    let mut lingers = connection.drop_input() || !is_read;
    flush(connection).await?;
    poll_fn(|context| connection.poll_shutdown(context)).await?;
    connection.state.linger();
    poll_fn(|context| {
        loop {
            connection.input.borrow_mut().clear();
            match connection.poll_read(context) {
                Poll::Ready(Ok(1..)) => lingers = true,
                Poll::Pending if lingers => return Poll::Pending,
                Poll::Pending | Poll::Ready(_) => return Poll::Ready(Ok(())),
            }
        }
    })
    .await
}
