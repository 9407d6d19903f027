//! Serves one request per connection of the metrics listener.

use std::io;
use std::time::Duration;

use http::StatusCode;
use restwright_runtime::core::runtime::log;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::endpoint::{MetricsFormat, Scrape};

/// The maximum size of a request head in bytes.
const MAX_HEAD: usize = 8 * 1024;

/// The maximum number of header fields in a request.
const MAX_FIELDS: usize = 64;

/// The maximum time for the client to send its request.
const HEAD_TIME: Duration = Duration::from_secs(5);

/// The maximum time for the client to read the response.
const RESPONSE_TIME: Duration = Duration::from_secs(10);

/// The maximum time that the server waits for the client to close the connection. The server discards all bytes that
/// arrive in this time.
const LINGER: Duration = Duration::from_secs(1);

/// Reads a request, sends the response, and closes the connection. A client that is too slow is disconnected.
pub(super) async fn respond(mut stream: TcpStream, scrape: Scrape) {
    // Otherwise the client has disconnected or is too slow.
    let Ok(Ok(head)) = timeout(HEAD_TIME, read_head(&mut stream)).await else { return };
    let response = match head {
        Ok(head) => respond_to(&head, &scrape).await,
        Err(status) => refusal(status),
    };
    // A client that does not read its response gets no further response.
    let _ = timeout(RESPONSE_TIME, send(&mut stream, &response)).await;
    let _ = timeout(LINGER, discard(&mut stream)).await;
}

/// Reads a request head. Returns an error status if the head is too large.
async fn read_head(stream: &mut TcpStream) -> io::Result<Result<Vec<u8>, StatusCode>> {
    let mut head = Vec::with_capacity(1024);
    loop {
        let known = head.len();
        // The read may return bytes after the head.
        if stream.read_buf(&mut head).await? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let from = known.saturating_sub(3);
        if head.get(from..).unwrap_or_default().windows(4).any(|four| four == b"\r\n\r\n") {
            return Ok(Ok(head));
        }
        if head.len() > MAX_HEAD {
            return Ok(Err(StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE));
        }
    }
}

async fn send(stream: &mut TcpStream, response: &str) -> io::Result<()> {
    stream.write_all(response.as_bytes()).await?;
    stream.shutdown().await
}

/// Discards all bytes after the request. Closing a socket with unread bytes resets the connection, and the client may
/// lose the response (RFC 9112, section 9.6).
async fn discard(stream: &mut TcpStream) -> io::Result<()> {
    let mut scratch = [0; 2048];
    while stream.read(&mut scratch).await? > 0 {}
    Ok(())
}

/// Responds to a request head. The response to `HEAD` has no body.
async fn respond_to(head: &[u8], scrape: &Scrape) -> String {
    let (is_head, format) = parse(head);
    let mut response = match format {
        Ok(format) => metrics(format, scrape).await,
        Err(status) => refusal(status),
    };
    if is_head {
        let end = response.find("\r\n\r\n").map_or(response.len(), |end| end + 4);
        response.truncate(end);
    }
    response
}

/// Parses a request head. The boolean is `true` if the method is `HEAD`. The result is the format of the response, or
/// an error status.
fn parse(head: &[u8]) -> (bool, Result<MetricsFormat, StatusCode>) {
    let mut fields = [httparse::EMPTY_HEADER; MAX_FIELDS];
    let mut request = httparse::Request::new(&mut fields);
    let format = match request.parse(head) {
        Ok(httparse::Status::Complete(_)) => accepted_format(&request),
        Err(httparse::Error::TooManyHeaders) => Err(StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE),
        Ok(httparse::Status::Partial) | Err(_) => Err(StatusCode::BAD_REQUEST),
    };
    (request.method == Some("HEAD"), format)
}

/// Returns the accepted format of a `/metrics` request, or an error status for any other request.
fn accepted_format(request: &httparse::Request<'_, '_>) -> Result<MetricsFormat, StatusCode> {
    let path = request.path.unwrap_or_default().split('?').next();
    if path != Some("/metrics") {
        return Err(StatusCode::NOT_FOUND);
    }
    if !matches!(request.method, Some("GET" | "HEAD")) {
        return Err(StatusCode::METHOD_NOT_ALLOWED);
    }
    let accept = request.headers.iter().filter(|field| field.name.eq_ignore_ascii_case("accept"));
    Ok(MetricsFormat::accepted(accept.map(|field| field.value)))
}

async fn metrics(format: MetricsFormat, scrape: &Scrape) -> String {
    match scrape.read(format).await {
        Ok(metrics) => {
            let (length, kind) = (metrics.text.len(), metrics.format.content_type());
            format!(
                "HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\nVary: Accept\r\nCache-Control: no-store\r\nConnection: close\r\n\r\n{}",
                metrics.text
            )
        }
        Err(problem) => {
            log(|| tracing::error!(cause = ?problem, "the metrics cannot be written"));
            refusal(StatusCode::INTERNAL_SERVER_ERROR)
        }
    }
}

fn refusal(status: StatusCode) -> String {
    let allow = if status == StatusCode::METHOD_NOT_ALLOWED { "Allow: GET, HEAD\r\n" } else { "" };
    let body = if status == StatusCode::NOT_FOUND { "The metrics are at /metrics.\n" } else { "" };
    let length = body.len();
    format!(
        "HTTP/1.1 {status}\r\n{allow}Content-Type: text/plain\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}"
    )
}
