//! A raw HTTP/1.1 client: it sends the bytes that a test writes down, and reads responses.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

/// The time that a test waits for the server. Right behavior needs far less, also on a loaded machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);
/// A time limit of the server that a test must not reach. It is longer than [`PATIENCE`].
pub(crate) const NEVER: Duration = Duration::from_secs(120);

/// One connection.
pub(crate) struct Client<S = TcpStream> {
    stream: S,
    received: Vec<u8>,
}

impl Client {
    pub(crate) fn connect(address: SocketAddr) -> Self {
        let stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.set_nodelay(true).unwrap();
        Self::over(stream)
    }

    /// Says that nothing more is sent.
    pub(crate) fn finish(&self) {
        self.stream.shutdown(std::net::Shutdown::Write).unwrap();
    }

    pub(crate) fn stream(&self) -> &TcpStream {
        &self.stream
    }
}

impl<S: Read + Write> Client<S> {
    pub(crate) fn over(stream: S) -> Self {
        Self { stream, received: Vec::new() }
    }

    pub(crate) fn send(&mut self, bytes: impl AsRef<[u8]>) -> &mut Self {
        self.stream.write_all(bytes.as_ref()).unwrap();
        self
    }

    /// Sends what may no longer be taken.
    pub(crate) fn try_send(&mut self, bytes: impl AsRef<[u8]>) -> bool {
        self.stream.write_all(bytes.as_ref()).is_ok()
    }

    /// Reads one response.
    pub(crate) fn response(&mut self) -> RawResponse {
        self.read_response(false)
    }

    /// Reads one response; `None` if the connection is closed.
    pub(crate) fn try_response(&mut self) -> Option<RawResponse> {
        (!self.received.is_empty() || self.receive()).then(|| self.response())
    }

    /// Reads one response to a `HEAD`.
    pub(crate) fn head_response(&mut self) -> RawResponse {
        self.read_response(true)
    }

    /// Everything until the connection closes.
    pub(crate) fn rest(&mut self) -> String {
        while self.receive() {}
        String::from_utf8_lossy(&std::mem::take(&mut self.received)).into_owned()
    }

    fn read_response(&mut self, head_only: bool) -> RawResponse {
        let end = self.find(b"\r\n\r\n");
        let head = String::from_utf8(self.received.drain(..end + 4).collect()).unwrap();
        let mut lines = head.trim_end().split("\r\n");
        let mut start = lines.next().unwrap().split(' ');
        let version = start.next().unwrap().to_owned();
        let status = start.next().unwrap().parse().unwrap();
        let headers = lines.map(|line| {
            let (name, value) = line.split_once(':').unwrap();
            (name.to_ascii_lowercase(), value.trim().to_owned())
        });
        let mut response = RawResponse { version, status, headers: headers.collect(), body: Vec::new() };
        if !head_only && status >= 200 && status != 204 && status != 304 {
            response.body = self.read_body(&response);
        }
        response
    }

    fn read_body(&mut self, response: &RawResponse) -> Vec<u8> {
        if let Some(length) = response.header("content-length") {
            let length: usize = length.parse().unwrap();
            while self.received.len() < length {
                assert!(self.receive(), "the connection closed within a body");
            }
            return self.received.drain(..length).collect();
        }
        if response.header("transfer-encoding") != Some("chunked") {
            while self.receive() {}
            return std::mem::take(&mut self.received);
        }
        let mut body = Vec::new();
        loop {
            let end = self.find(b"\r\n");
            let line: Vec<u8> = self.received.drain(..end + 2).collect();
            let size = usize::from_str_radix(std::str::from_utf8(&line).unwrap().trim(), 16).unwrap();
            while self.received.len() < size + 2 {
                assert!(self.receive(), "the connection closed within a chunk");
            }
            body.extend(self.received.drain(..size + 2).take(size));
            if size == 0 {
                return body;
            }
        }
    }

    fn find(&mut self, end: &[u8]) -> usize {
        loop {
            if let Some(place) = self.received.windows(end.len()).position(|window| window == end) {
                return place;
            }
            assert!(self.receive(), "the connection closed before {:?}", String::from_utf8_lossy(&self.received));
        }
    }

    fn receive(&mut self) -> bool {
        let mut buffer = [0; 16 * 1024];
        match self.stream.read(&mut buffer) {
            Ok(0) => false,
            Ok(count) => {
                self.received.extend_from_slice(&buffer[..count]);
                true
            }
            Err(error) if error.kind() == std::io::ErrorKind::ConnectionReset => false,
            Err(error) => panic!("nothing came: {error}; received {:?}", String::from_utf8_lossy(&self.received)),
        }
    }
}

/// A response.
#[derive(Debug)]
pub(crate) struct RawResponse {
    pub(crate) version: String,
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl RawResponse {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap()
    }

    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// Asserts that it is a problem with this status and code, and the request id of its header.
    pub(crate) fn assert_problem(&self, status: u16, code: &str) -> &Self {
        assert_eq!((self.status, self.header("content-type")), (status, Some("application/problem+json")), "{self:?}");
        let problem = self.json();
        assert_eq!(
            (problem["status"].as_u64(), problem["code"].as_str()),
            (Some(status.into()), Some(code)),
            "{self:?}"
        );
        assert_eq!(problem["request_id"].as_str(), self.header("x-request-id"));
        self
    }
}
