//! A collector of spans in the process that measures, so that only what the server does is counted.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::OnceLock;
use std::thread::spawn;

use restwright::production::Otlp;

/// The address of the collector, in the serving process.
static ADDRESS: OnceLock<String> = OnceLock::new();

pub(crate) fn set_address(address: &str) {
    ADDRESS.get_or_init(|| address.to_owned());
}

pub(crate) fn otlp() -> Otlp {
    Otlp::new(format!("http://{}", ADDRESS.get().expect("the serving process has an address")))
}

/// Starts a collector that accepts all spans, and returns its address.
pub(crate) fn start() -> String {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
    let address = listener.local_addr().expect("a bound socket has an address").to_string();
    spawn(move || listener.incoming().flatten().for_each(|stream| drop(spawn(|| serve(stream)))));
    address
}

/// Responds to each request, whose end is its length.
fn serve(mut stream: TcpStream) -> Option<()> {
    let mut bytes = Vec::new();
    loop {
        let text = String::from_utf8_lossy(&bytes).to_ascii_lowercase();
        let length = text.split_once("\r\n\r\n").and_then(|(head, _)| {
            let length = head.split_once("content-length: ")?.1.lines().next()?;
            Some(head.len() + 4 + length.parse::<usize>().ok()?)
        });
        if let Some(length) = length.filter(|length| bytes.len() >= *length) {
            bytes.drain(..length);
            stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n").ok()?;
        }
        let mut piece = [0; 65536];
        let read = stream.read(&mut piece).ok().filter(|read| *read > 0)?;
        bytes.extend_from_slice(&piece[..read]);
    }
}
