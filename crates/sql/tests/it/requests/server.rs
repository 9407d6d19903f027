//! Servers on free ports, and requests over sockets.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::thread;
use std::time::Duration;

use restwright::prelude::*;
use restwright::{Host, run};

/// Serves an Api with this number of workers while a test runs.
pub(crate) fn with_server(api: Api, workers: usize, test: impl FnOnce(SocketAddr)) {
    let bound = Host::new(api).workers(workers).bind("127.0.0.1:0").unwrap();
    let (address, stop) = (bound.addresses()[0], bound.stop_handle());
    let server = thread::spawn(|| run(bound.serve()).unwrap());
    test(address);
    stop.stop();
    server.join().unwrap();
}

/// Returns the status and the body of the response to a request such as `GET /orders`.
pub(crate) fn send(address: SocketAddr, request: &str, body: &str) -> (u16, String) {
    send_with(address, request, &[], body)
}

/// Returns the status and the body of the response to a request with additional headers.
pub(crate) fn send_with(address: SocketAddr, request: &str, headers: &[(&str, &str)], body: &str) -> (u16, String) {
    let response = exchange(address, request, headers, body);
    (response.status, response.body)
}

/// A response that was read to its end.
pub(crate) struct Received {
    pub(crate) status: u16,
    pub(crate) body: String,
    head: String,
}

impl Received {
    /// Returns the value of a header.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let mut headers = self.head.lines().filter_map(|line| line.split_once(": "));
        headers.find(|(header, _)| header.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }
}

/// Sends a request with additional headers, and returns its response.
pub(crate) fn exchange(address: SocketAddr, request: &str, headers: &[(&str, &str)], body: &str) -> Received {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    let length = body.len();
    let headers: String = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    let head = format!("{headers}Host: shop\r\nConnection: close\r\nContent-Type: application/json");
    write!(stream, "{request} HTTP/1.1\r\n{head}\r\nContent-Length: {length}\r\n\r\n{body}").unwrap();
    let mut response = String::new();
    stream.read_to_string(&mut response).unwrap();
    let status = response.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or_default();
    let (head, body) = response.split_once("\r\n\r\n").unwrap_or((&response, ""));
    Received { status, body: body.to_owned(), head: head.to_owned() }
}
