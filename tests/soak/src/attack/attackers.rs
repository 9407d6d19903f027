//! What strangers do at the same time, each kind bounded in its number of connections.

use std::future::Future;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use super::ISSUER;
use super::tokens::forged;
use crate::http::Client;

/// The connections of all attackers together, for a comparison with the cap.
pub const HELD: usize = 300 + 100 + 40 + 50 + 50;
pub const IDLE: usize = 900;

const HEALTH: &[u8] = b"GET /health HTTP/1.1\r\nHost: soak\r\n\r\n";

/// Starts them all; they end with the set.
pub fn start(port: u16, issuer: Arc<AtomicU64>) -> JoinSet<()> {
    let mut all = JoinSet::new();
    let post = "POST /pets HTTP/1.1\r\nHost: soak\r\nContent-Type: application/json\r\n";
    let hold = |bytes: String| move || hold(port, bytes.clone().into_bytes());
    spawn(&mut all, 200, hold(format!("{post}Content-Length: 9\r\n\r\n")));
    spawn(&mut all, 100, hold(format!("{post}Expect: 100-continue\r\nContent-Length: 9\r\n\r\n{{")));
    spawn(&mut all, 100, move || trickle(port, b"GET /health HTTP/1.1\r\nX: ".to_vec(), b"x".to_vec(), 1_000));
    let begun = format!("{post}Content-Length: 1000000\r\n\r\n\"{}", "x".repeat(60_000)).into_bytes();
    spawn(&mut all, 40, move || trickle(port, begun.clone(), vec![b'x'; 2_000], 50));
    spawn(&mut all, 50, move || read_slowly(port));
    spawn(&mut all, 50, hold("GET /events HTTP/1.1\r\nHost: soak\r\n\r\n".to_owned()));
    spawn(&mut all, IDLE, move || idle(port));
    let chunked = format!("{post}Transfer-Encoding: chunked\r\n\r\n").into_bytes();
    let extension = format!("1;{}\r\n \r\n", "e".repeat(4_000)).into_bytes();
    spawn(&mut all, 8, move || trickle(port, chunked.clone(), extension.clone(), 5));
    let upload = b"PUT /photo HTTP/1.1\r\nHost: soak\r\nTransfer-Encoding: chunked\r\n\r\n".to_vec();
    spawn(&mut all, 8, move || trickle(port, upload.clone(), b"1\r\nx\r\n".to_vec(), 20));
    let mixed = b"GET /health HTTP/1.1\r\nHost: soak\r\n\r\nHEAD /health HTTP/1.1\r\nHost: soak\r\n\r\n".repeat(10);
    spawn(&mut all, 8, move || repeat(port, mixed.clone(), 50));
    let malformed: [&[u8]; 5] = [
        b"\0\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"GET /health HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
        b"{}\r\n\r\n",
        b"\r\n",
    ];
    for bytes in malformed {
        spawn(&mut all, 1, move || repeat(port, bytes.to_vec(), 5));
    }
    for body in hostile_bodies() {
        let request = format!("{post}Content-Length: {}\r\n\r\n{body}", body.len()).into_bytes();
        spawn(&mut all, 1, move || repeat(port, request.clone(), 1_000));
    }
    spawn(&mut all, 4, move || hang_up(port));
    spawn(&mut all, 2, move || guess_tokens(port, issuer.clone()));
    spawn(&mut all, 2, move || spend_limits(port));
    all
}

fn spawn<F: Future<Output = ()> + Send + 'static>(all: &mut JoinSet<()>, count: usize, attack: impl Fn() -> F) {
    for _ in 0..count {
        all.spawn(attack());
    }
}

async fn connect(port: u16) -> TcpStream {
    loop {
        if let Ok(stream) = TcpStream::connect(("127.0.0.1", port)).await {
            return stream;
        }
        sleep(Duration::from_millis(50)).await;
    }
}

/// Reads until the server closes the connection.
async fn drain(stream: &mut TcpStream) {
    let mut buffer = [0; 4096];
    while matches!(stream.read(&mut buffer).await, Ok(1..)) {}
}

/// Sends the beginning of something and waits for what the server does about it, again and again.
async fn hold(port: u16, bytes: Vec<u8>) {
    loop {
        let mut stream = connect(port).await;
        if stream.write_all(&bytes).await.is_ok() {
            drain(&mut stream).await;
        }
        sleep(Duration::from_millis(100)).await;
    }
}

/// Is idle after one request.
async fn idle(port: u16) {
    loop {
        let mut stream = connect(port).await;
        if stream.write_all(HEALTH).await.is_ok() {
            drain(&mut stream).await;
        }
        sleep(Duration::from_secs(5)).await;
    }
}

/// Sends a beginning, and then a piece from time to time.
async fn trickle(port: u16, begin: Vec<u8>, piece: Vec<u8>, every_ms: u64) {
    loop {
        let mut stream = connect(port).await;
        let mut sent = stream.write_all(&begin).await;
        let mut received = [0; 4096];
        while sent.is_ok() {
            match timeout(Duration::from_millis(every_ms), stream.read(&mut received)).await {
                Ok(Ok(1..)) | Err(_) => sent = stream.write_all(&piece).await,
                Ok(_) => break,
            }
        }
        sleep(Duration::from_millis(100)).await;
    }
}

/// Sends the same bytes on a separate connection each time, and reads what comes back.
async fn repeat(port: u16, bytes: Vec<u8>, every_ms: u64) {
    loop {
        let mut stream = connect(port).await;
        if stream.write_all(&bytes).await.is_ok() {
            let _ = timeout(Duration::from_millis(500), drain(&mut stream)).await;
        }
        sleep(Duration::from_millis(every_ms)).await;
    }
}

/// Asks for a megabyte and reads a kilobyte of it each second.
async fn read_slowly(port: u16) {
    loop {
        let mut stream = connect(port).await;
        let _ = stream.write_all(b"GET /large HTTP/1.1\r\nHost: soak\r\n\r\n").await;
        let mut buffer = [0; 1024];
        while matches!(stream.read(&mut buffer).await, Ok(1..)) {
            sleep(Duration::from_secs(1)).await;
        }
    }
}

/// Closes connections within a request, with and without a reset.
async fn hang_up(port: u16) {
    for number in 0_usize.. {
        let mut stream = connect(port).await;
        let _ = stream.write_all(&HEALTH[..number % HEALTH.len()]).await;
        if number % 2 == 0 {
            let _ = stream.set_zero_linger();
        }
        drop(stream);
        sleep(Duration::from_millis(5)).await;
    }
}

/// Sends tokens that name keys which nobody has, while the issuer fails in turn.
async fn guess_tokens(port: u16, issuer: Arc<AtomicU64>) {
    let mut client = Client::new(port);
    loop {
        let number = issuer.fetch_add(1, Ordering::Relaxed);
        let token = format!("Bearer {}", forged(ISSUER, number));
        let _ = client.send("GET", "/private", &[("Authorization", &token)], None).await;
        sleep(Duration::from_millis(5)).await;
    }
}

/// Comes from ever new addresses.
async fn spend_limits(port: u16) {
    for number in 0_u32.. {
        let [_, a, b, c] = number.to_be_bytes();
        let from = SocketAddr::from((Ipv4Addr::new(127, a, b, c.max(1)), 0));
        let Ok(socket) = TcpSocket::new_v4() else { continue };
        if socket.bind(from).is_ok()
            && let Ok(mut stream) = socket.connect(SocketAddr::from((Ipv4Addr::LOCALHOST, port))).await
        {
            let _ = stream.write_all(b"GET /limited HTTP/1.1\r\nHost: soak\r\nConnection: close\r\n\r\n").await;
            let _ = timeout(Duration::from_millis(500), drain(&mut stream)).await;
        }
        sleep(Duration::from_millis(5)).await;
    }
}

/// Bodies of nearly a MiB that are costly to refuse.
fn hostile_bodies() -> [String; 4] {
    let size = 1_000_000;
    let pet = |age: &str| format!("{{\"name\":\"Rex\",\"tags\":[],\"age\":{age}}}");
    [
        pet(&"9".repeat(size)),
        "[".repeat(size),
        format!("{{{}\"name\":1}}", "\"tags\":[1,2,3],".repeat(size / 15)),
        format!("{{\"name\":\"{}\"}}", "\\u0041".repeat(size / 6)),
    ]
}
