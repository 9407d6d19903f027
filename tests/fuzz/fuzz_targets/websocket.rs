#![no_main]
//! The frames of a WebSocket client, whose first byte is the number of bytes in each packet. The server echoes messages. Another reader of frames
//! (RFC 6455, section 5) predicts what it sends.

use libfuzzer_sys::{Corpus, fuzz_target};
use restwright::prelude::*;
use restwright::websocket::{MessageRate, WebSocketUpgrade};
use restwright_actix::fuzzing::Loopback;

/// The maximum size of a message in bytes.
const LIMIT: usize = 512;

const HANDSHAKE: &[u8] = b"GET /echo HTTP/1.1\r\nHost: t\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";

#[derive(Request)]
struct Echo {
    upgrade: WebSocketUpgrade<bool, bool>,
}

thread_local! {
    static SERVER: Loopback = {
        let echo = Route::get("/echo").id("echo").public().body_limit(LIMIT).with(MessageRate::per_second(1_000_000));
        let echo = echo.handler(async |echo: Echo| Ok(echo.upgrade.accept(async |mut socket| {
            while let Some(message) = socket.receive_message().await {
                socket.send_message(message).await?;
            }
            Ok(())
        })));
        let api = Api::builder(Configuration::new("echo", "1.0.0")).controller(echo).build().expect("an Api");
        Loopback::new(&api).expect("a server")
    };
}

fuzz_target!(|input: &[u8]| -> Corpus {
    let Some((size, frames)) = input.split_first() else { return Corpus::Reject };
    let packets = frames.chunks(usize::from(*size).max(1));
    let response = SERVER.with(|server| server.serve(std::iter::once(HANDSHAKE).chain(packets)));
    let end = response.windows(4).position(|bytes| bytes == b"\r\n\r\n").expect("a head") + 4;
    assert!(response.starts_with(b"HTTP/1.1 101 "));
    assert_eq!(read(&response[end..]), predict(frames));
    Corpus::Keep
});

/// A frame of the server: its opcode and its payload. The reason of a close frame of the server is not compared.
type Frame = (u8, Vec<u8>);

/// Reads the frames of the server, which are whole messages without a mask.
fn read(mut bytes: &[u8]) -> Vec<Frame> {
    let mut frames = Vec::new();
    while let [first, length, rest @ ..] = bytes {
        assert_eq!(first & 0xf0, 0x80);
        let (length, rest) = match length {
            126 => (usize::from(u16::from_be_bytes([rest[0], rest[1]])), &rest[2..]),
            length => (usize::from(*length), rest),
        };
        let opcode = first & 0x0f;
        let shown = if opcode == 8 { length.min(2) } else { length };
        frames.push((opcode, rest[..shown].to_vec()));
        bytes = &rest[length..];
    }
    assert!(bytes.is_empty());
    frames
}

fn close(code: u16) -> Frame {
    (8, code.to_be_bytes().to_vec())
}

/// Returns the frames that an echo server sends.
fn predict(bytes: &[u8]) -> Vec<Frame> {
    let mut sent = Vec::new();
    if let Some(code) = echo(bytes, &mut sent) {
        sent.push(code);
    }
    sent
}

/// Adds the echoes and pongs of the client's frames. Returns the close frame if the connection closes.
fn echo(mut bytes: &[u8], sent: &mut Vec<Frame>) -> Option<Frame> {
    let mut message: Option<Frame> = None;
    loop {
        let (first, second, rest) = match bytes {
            [first, second, rest @ ..] => (*first, *second, rest),
            _ => return None,
        };
        let (length, rest) = match second & 0x7f {
            126 => (u64::from(u16::from_be_bytes(rest.get(..2)?.try_into().ok()?)), &rest[2..]),
            127 => (u64::from_be_bytes(rest.get(..8)?.try_into().ok()?), &rest[8..]),
            length => (u64::from(length), rest),
        };
        let is_masked = second & 0x80 != 0;
        let (mask, rest) = if is_masked { (rest.get(..4)?, &rest[4..]) } else { (&[0; 4][..], rest) };
        if matches!(first & 0x0f, 3..=7 | 11..=15) {
            return Some(close(1002));
        }
        if length > LIMIT as u64 {
            return Some(close(1009));
        }
        let length = length as usize;
        let payload: Vec<u8> =
            rest.get(..length)?.iter().zip(mask.iter().cycle()).map(|(byte, mask)| byte ^ mask).collect();
        bytes = &rest[length..];
        let (is_final, opcode) = (first & 0x80 != 0, first & 0x0f);
        if !is_masked || first & 0x70 != 0 || (opcode >= 8 && (!is_final || length > 125)) {
            return Some(close(1002));
        }
        match (opcode, &mut message) {
            (8, _) => return Some(reply_to_close(&payload)),
            (9, _) => sent.push((10, payload)),
            (10, _) => {}
            (1 | 2, None) => message = Some((opcode, payload)),
            (0, Some((_, before))) => before.extend(payload),
            _ => return Some(close(1002)),
        }
        if opcode >= 8 {
            continue;
        }
        let Some((kind, content)) = &message else { continue };
        if content.len() > LIMIT {
            return Some(close(1009));
        }
        if let (1, Err(error)) = (kind, std::str::from_utf8(content))
            && (is_final || error.error_len().is_some())
        {
            return Some(close(1007));
        }
        if is_final {
            sent.extend(message.take());
        }
    }
}

/// Returns the reply to a close frame, or the close frame with which the server fails the connection.
fn reply_to_close(payload: &[u8]) -> Frame {
    match payload {
        [] => (8, Vec::new()),
        [_] => close(1002),
        [high, low, reason @ ..] => match u16::from_be_bytes([*high, *low]) {
            _ if std::str::from_utf8(reason).is_err() => close(1007),
            code @ (1000..=1003 | 1007..=1013 | 3000..=4999) => close(code),
            _ => close(1002),
        },
    }
}
