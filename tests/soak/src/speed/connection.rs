//! A connection for load. Unlike [`crate::http::Client`], it reads only the status and the length of each response, which takes little processor time.

use std::io;
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::cases::Case;
use super::table::ID;

/// More than the largest response, so most responses take one read.
const BUFFER: usize = 64 * 1024;

/// The requests of one connection.
pub struct Requests {
    bytes: Vec<u8>,
    /// Where the digits of the row are in the request, if each request has another row.
    digits: Option<usize>,
    number: u64,
    rows: u64,
}

impl Requests {
    /// `connection` is the number of the connection. Connections start at different rows.
    pub fn new(case: &Case, kind: &str, has_many_rows: bool, rows: u32, connection: u32) -> Self {
        let bytes = case.request(kind);
        let place = bytes.windows(ID.len()).position(|part| part == ID.as_bytes());
        let digits = place.filter(|_| has_many_rows).map(|place| place + ID.len() - 12);
        Self { bytes, digits, number: u64::from(connection) * 31, rows: u64::from(rows) }
    }

    fn next(&mut self) -> &[u8] {
        if let Some(digits) = self.digits {
            // Steps of a prime number. Consecutive requests then read different pages of the database.
            let row = self.number * 7919 % self.rows + 1;
            self.bytes[digits..digits + 12].copy_from_slice(format!("{row:012x}").as_bytes());
            self.number += 1;
        }
        &self.bytes
    }
}

/// Sends one request after the other until a time. Returns the latency of each response, and panics if a status is another one.
pub async fn send_until(end: Instant, port: u16, mut requests: Requests, status: u16) -> Vec<Duration> {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).await.expect("the server accepts connections");
    stream.set_nodelay(true).expect("a socket");
    let (mut latencies, mut buffer) = (Vec::new(), Vec::with_capacity(BUFFER));
    let mut start = Instant::now();
    while start < end {
        stream.write_all(requests.next()).await.expect("the server reads");
        receive(&mut stream, &mut buffer).await.expect("a complete response");
        let is_expected = buffer.get(9..12) == Some(status.to_string().as_bytes());
        assert!(is_expected, "instead of {status}: {}", String::from_utf8_lossy(&buffer));
        let now = Instant::now();
        latencies.push(now - start);
        start = now;
    }
    latencies
}

async fn receive(stream: &mut TcpStream, buffer: &mut Vec<u8>) -> io::Result<()> {
    buffer.clear();
    loop {
        if stream.read_buf(buffer).await? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        if length(buffer)?.is_some_and(|length| buffer.len() >= length) {
            return Ok(());
        }
    }
}

/// Returns the length of a response with its head, or `None` if the head is incomplete.
fn length(response: &[u8]) -> io::Result<Option<usize>> {
    let Some(end) = response.windows(4).position(|part| part == b"\r\n\r\n") else { return Ok(None) };
    let head = str::from_utf8(&response[..end]).map_err(io::Error::other)?;
    let mut headers = head.lines().filter_map(|line| line.split_once(':'));
    let length = headers.find(|(name, _)| name.eq_ignore_ascii_case("content-length"));
    let length: Option<usize> = length.and_then(|(_, length)| length.trim().parse().ok());
    length.map(|length| Some(end + 4 + length)).ok_or_else(|| io::Error::other("no Content-Length"))
}
