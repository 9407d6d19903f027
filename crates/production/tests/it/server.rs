//! A server for a test, on a separate port.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::thread::JoinHandle;

use restwright::{Api, Host, ServeError, StopHandle, run};

pub(crate) struct Server {
    address: SocketAddr,
    stop: StopHandle,
    thread: Option<JoinHandle<Result<(), ServeError>>>,
}

impl Server {
    /// Serves an Api with one worker.
    pub(crate) fn start(api: Api) -> Self {
        Self::with(Host::new(api).workers(1))
    }

    pub(crate) fn with(host: Host) -> Self {
        let bound = host.bind("127.0.0.1:0").unwrap();
        let (address, stop) = (bound.addresses()[0], bound.stop_handle());
        let thread = std::thread::spawn(move || run(bound.serve()));
        Self { address, stop, thread: Some(thread) }
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Begins to stop it, which ends when this is dropped.
    pub(crate) fn begin_stop(&self) {
        self.stop.stop();
    }

    /// Sends a request without a body on a separate connection; `headers` are lines.
    pub(crate) fn send(&self, method: &str, path: &str, headers: &[&str]) -> Reply {
        let mut head = format!("{method} {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n", self.address);
        headers.iter().for_each(|line| head.extend([line, "\r\n"]));
        self.exchange((head + "\r\n").as_bytes())
    }

    /// Sends bytes on a separate connection, until the server closes it.
    pub(crate) fn exchange(&self, request: &[u8]) -> Reply {
        let mut stream = TcpStream::connect(self.address).unwrap();
        stream.write_all(request).unwrap();
        let mut reply = String::new();
        stream.read_to_string(&mut reply).unwrap();
        Reply(reply)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop.stop();
        if let Some(thread) = self.thread.take() {
            thread.join().unwrap().unwrap();
        }
    }
}

/// A response as it came.
pub(crate) struct Reply(String);

impl From<String> for Reply {
    fn from(reply: String) -> Self {
        Self(reply)
    }
}

impl Reply {
    pub(crate) fn status(&self) -> u16 {
        self.0.split(' ').nth(1).unwrap().parse().unwrap()
    }

    pub(crate) fn text(&self) -> &str {
        &self.0
    }

    pub(crate) fn body(&self) -> &str {
        self.0.split_once("\r\n\r\n").unwrap().1
    }

    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(self.body()).unwrap()
    }

    /// The values of a header, joined by commas; `None` if there is none.
    pub(crate) fn header(&self, name: &str) -> Option<String> {
        let head = self.0.split("\r\n\r\n").next().unwrap();
        let lines = head.lines().skip(1).map(|line| line.split_once(": ").unwrap());
        let values: Vec<_> =
            lines.filter(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value).collect();
        (!values.is_empty()).then(|| values.join(", "))
    }
}
