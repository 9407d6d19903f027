//! A WebSocket client that writes and reads single frames (RFC 6455, section 5.2).

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::time::Duration;

pub(crate) const CONTINUATION: u8 = 0;
pub(crate) const TEXT: u8 = 1;
pub(crate) const BINARY: u8 = 2;
pub(crate) const CLOSE: u8 = 8;
pub(crate) const PING: u8 = 9;
pub(crate) const PONG: u8 = 10;

/// A frame from the server.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Frame(pub(crate) u8, pub(crate) Vec<u8>);

impl Frame {
    /// A close frame with a code and any reason.
    pub(crate) fn is_close(&self, code: u16) -> bool {
        self.0 == CLOSE && self.1.starts_with(&code.to_be_bytes())
    }
}

/// Returns the bytes of a masked frame. `first` is the first byte: FIN, the reserved bits and the opcode.
pub(crate) fn raw_frame(first: u8, payload: &[u8]) -> Vec<u8> {
    let mut frame = vec![first];
    match payload.len() {
        length @ 0..=125 => frame.push(0x80 | u8::try_from(length).unwrap()),
        length @ 126..=65_535 => {
            frame.push(0x80 | 126);
            frame.extend(u16::try_from(length).unwrap().to_be_bytes());
        }
        length => {
            frame.push(0x80 | 127);
            frame.extend(u64::try_from(length).unwrap().to_be_bytes());
        }
    }
    let mask = [0x37, 0xfa, 0x21, 0x3d];
    frame.extend(mask);
    frame.extend(payload.iter().zip(mask.iter().cycle()).map(|(byte, mask)| byte ^ mask));
    frame
}

/// Returns the bytes of a complete frame.
pub(crate) fn frame(opcode: u8, payload: &[u8]) -> Vec<u8> {
    raw_frame(0x80 | opcode, payload)
}

/// Returns the bytes of a frame that is followed by others of its message.
pub(crate) fn part(opcode: u8, payload: &[u8]) -> Vec<u8> {
    raw_frame(opcode, payload)
}

/// Returns the payload of a close frame.
pub(crate) fn close(code: u16, reason: &str) -> Vec<u8> {
    [&code.to_be_bytes(), reason.as_bytes()].concat()
}

/// An open connection.
pub(crate) struct Socket(pub(crate) TcpStream);

impl Socket {
    /// Opens a connection, and panics if the server does not accept it.
    pub(crate) fn open(address: SocketAddr, path: &str) -> Self {
        let (head, socket) = Self::request(address, path, "");
        assert!(head.starts_with("HTTP/1.1 101 "), "{head}");
        socket
    }

    /// Sends a handshake with further headers, and returns the head of the response.
    pub(crate) fn request(address: SocketAddr, path: &str, headers: &str) -> (String, Self) {
        let mut stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        stream.set_nodelay(true).unwrap();
        let handshake = "Upgrade: websocket\r\nConnection: keep-alive, Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
        let request = format!("GET {path} HTTP/1.1\r\nHost: api.example.com\r\n{handshake}{headers}\r\n");
        stream.write_all(request.as_bytes()).unwrap();
        let mut head = Vec::new();
        let mut byte = [0];
        while !head.ends_with(b"\r\n\r\n") {
            stream.read_exact(&mut byte).unwrap();
            head.extend(byte);
        }
        (String::from_utf8(head).unwrap(), Self(stream))
    }

    /// Writes bytes. The server may have closed the connection.
    pub(crate) fn write(&mut self, bytes: &[u8]) {
        let _ = self.0.write_all(bytes);
    }

    /// Reads the next frame. Returns `None` at the end of the connection.
    pub(crate) fn read(&mut self) -> Option<Frame> {
        let mut head = [0; 2];
        self.0.read_exact(&mut head).ok()?;
        let mut rest = [0; 8];
        let length = match head[1] {
            126 => {
                self.0.read_exact(&mut rest[6..]).ok()?;
                u64::from_be_bytes(rest)
            }
            127 => {
                self.0.read_exact(&mut rest).ok()?;
                u64::from_be_bytes(rest)
            }
            length => u64::from(length),
        };
        let mut payload = vec![0; usize::try_from(length).unwrap()];
        self.0.read_exact(&mut payload).ok()?;
        assert_eq!(head[0] & 0xf0, 0x80, "the server sends whole messages without reserved bits");
        Some(Frame(head[0] & 0x0f, payload))
    }

    /// Reads all frames until the server ends the connection.
    pub(crate) fn read_all(&mut self) -> Vec<Frame> {
        let mut frames = Vec::new();
        while let Some(frame) = self.read() {
            if frame.0 == CLOSE {
                // A server inside an `App` otherwise waits for one second.
                let _ = self.0.shutdown(Shutdown::Write);
            }
            frames.push(frame);
        }
        frames
    }
}
