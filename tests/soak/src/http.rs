//! A client on one connection. It detects whether a response is complete.

use std::io;
use std::time::Duration;

use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;

/// The maximum time of a response. After it, the response counts as lost.
const PATIENCE: Duration = Duration::from_secs(30);
/// The key that every server of this package accepts.
pub const API_KEY: &str = "soak.0123456789abcdef";
/// A key of a caller who may see no order.
pub const STRANGER_KEY: &str = "stranger.fedcba9876543210";

pub struct Client {
    port: u16,
    key: &'static str,
    connection: Option<BufReader<TcpStream>>,
}

#[derive(Clone, Debug)]
pub struct Response {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Response {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(other, _)| other.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }

    pub fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }

    /// Returns `true` for a 503 that states when the client can repeat its request.
    pub fn is_unavailable(&self) -> bool {
        self.status == 503 && self.header("retry-after").is_some()
    }

    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }

    /// Returns a member of `data`.
    pub fn data(&self, member: &str) -> Value {
        self.json()["data"][member].clone()
    }

    pub fn id(&self) -> String {
        self.data("id").as_str().unwrap_or_default().to_owned()
    }
}

impl Client {
    pub fn new(port: u16) -> Self {
        Self { port, key: API_KEY, connection: None }
    }

    /// Returns a client of a caller who may see no order.
    pub fn stranger(&self) -> Self {
        Self { port: self.port, key: STRANGER_KEY, connection: None }
    }

    pub fn port(&self) -> u16 {
        self.port
    }

    pub async fn get(&mut self, path: &str) -> io::Result<Response> {
        self.send("GET", path, &[], None).await
    }

    /// Sends a create with an idempotency key.
    pub async fn create(&mut self, path: &str, key: &str, body: &Value) -> io::Result<Response> {
        self.send("POST", path, &[("Idempotency-Key", key)], Some(body)).await
    }

    /// Sends a request and returns its response, or an error if the response is incomplete.
    pub async fn send(
        &mut self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: Option<&Value>,
    ) -> io::Result<Response> {
        let key = self.key;
        let mut request = format!("{method} {path} HTTP/1.1\r\nHost: localhost\r\nX-Api-Key: {key}\r\n");
        for (name, value) in headers {
            request.push_str(&format!("{name}: {value}\r\n"));
        }
        if let Some(body) = body {
            let body = body.to_string();
            request
                .push_str(&format!("Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}", body.len()));
        } else {
            request.push_str("\r\n");
        }
        self.send_raw(request.as_bytes()).await
    }

    pub async fn send_raw(&mut self, request: &[u8]) -> io::Result<Response> {
        let exchanged = tokio::time::timeout(PATIENCE, self.exchange(request)).await;
        let exchanged =
            exchanged.unwrap_or_else(|_| Err(io::Error::new(io::ErrorKind::TimedOut, "no response within 30 s")));
        if !matches!(&exchanged, Ok(response) if response.header("connection") != Some("close")) {
            self.connection = None;
        }
        exchanged
    }

    async fn exchange(&mut self, request: &[u8]) -> io::Result<Response> {
        let connection = match &mut self.connection {
            Some(connection) => connection,
            none => {
                let stream = TcpStream::connect(("127.0.0.1", self.port)).await?;
                stream.set_nodelay(true)?;
                none.insert(BufReader::new(stream))
            }
        };
        connection.write_all(request).await?;
        let mut line = String::new();
        read_line(connection, &mut line).await?;
        let status = line.split(' ').nth(1).and_then(|status| status.parse().ok()).ok_or(io::ErrorKind::InvalidData)?;
        let mut headers = Vec::new();
        loop {
            read_line(connection, &mut line).await?;
            match line.split_once(':') {
                Some((name, value)) => headers.push((name.to_owned(), value.trim().to_owned())),
                None => break,
            }
        }
        let mut response = Response { status, headers, body: Vec::new() };
        let is_chunked = response.header("transfer-encoding") == Some("chunked");
        let length = response.header("content-length").and_then(|length| length.parse().ok());
        if is_chunked {
            read_chunks(connection, &mut response.body).await?;
        } else {
            response.body.resize(length.unwrap_or(0), 0);
            connection.read_exact(&mut response.body).await?;
        }
        Ok(response)
    }
}

async fn read_line(connection: &mut BufReader<TcpStream>, line: &mut String) -> io::Result<()> {
    line.clear();
    connection.read_line(line).await?;
    if !line.ends_with("\r\n") {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    line.truncate(line.len() - 2);
    Ok(())
}

async fn read_chunks(connection: &mut BufReader<TcpStream>, body: &mut Vec<u8>) -> io::Result<()> {
    let mut line = String::new();
    loop {
        read_line(connection, &mut line).await?;
        let size = usize::from_str_radix(&line, 16).map_err(|_| io::ErrorKind::InvalidData)?;
        let start = body.len();
        body.resize(start + size + 2, 0);
        connection.read_exact(&mut body[start..]).await?;
        body.truncate(start + size);
        if size == 0 {
            return Ok(());
        }
    }
}
