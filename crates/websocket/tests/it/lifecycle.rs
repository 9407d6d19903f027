//! What ends a connection: the server, a lost client, and a client that wastes memory or time.

use std::fs;
use std::io::Write;
use std::net::{Shutdown, SocketAddr};
use std::process;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use restwright::Host;
use restwright::testing::TestClient;

use crate::api::{Command, LEFT, api};
use crate::frames::{CLOSE, CONTINUATION, Frame, PING, PONG, Socket, TEXT, frame, part};
use crate::hosts::on_both_hosts;

/// The tests that count handlers or measure memory run one after the other.
static ALONE: Mutex<()> = Mutex::new(());

fn wait_until(what: &str, mut is_done: impl FnMut() -> bool) {
    let begin = Instant::now();
    while !is_done() {
        assert!(begin.elapsed() < Duration::from_mins(1), "{what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Returns the resident memory of this process in KiB.
fn resident() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

#[test]
fn a_stop_closes_connections_and_waits_for_their_handlers() {
    let _alone = ALONE.lock();
    let bound = Host::new(api()).workers(1).grace(Duration::from_mins(2)).bind("127.0.0.1:0").unwrap();
    let (address, stop) = (bound.addresses()[0], bound.stop_handle());
    let server = std::thread::spawn(move || restwright::run(bound.serve()));
    let before = LEFT.load(Ordering::SeqCst);
    let mut sockets: Vec<_> = (0..3).map(|_| Socket::open(address, "/rooms/counted")).collect();
    let begin = Instant::now();
    stop.stop();
    for socket in &mut sockets {
        let frames = socket.read_all();
        assert!(matches!(&frames[..], [close] if close.is_close(1001)), "{frames:?}");
    }
    server.join().unwrap().unwrap();
    assert!(begin.elapsed() < Duration::from_mins(1), "{:?}", begin.elapsed());
    assert_eq!(LEFT.load(Ordering::SeqCst), before + 3, "each handler ends by itself");
}

#[test]
fn a_handler_ends_when_its_client_is_gone() {
    let _alone = ALONE.lock();
    on_both_hosts(api, |address| {
        for sent in [&b""[..], &frame(TEXT, br#"{"type":"count"}"#), &part(TEXT, b"{")] {
            let before = LEFT.load(Ordering::SeqCst);
            let mut socket = Socket::open(address, "/rooms/counted");
            socket.write(sent);
            drop(socket);
            wait_until("the handler goes on without a client", || LEFT.load(Ordering::SeqCst) == before + 1);
        }
    });
}

/// Sends fragments until the server closes the connection, and returns how many times 10,000 were written until then.
fn written_until_close(address: SocketAddr, control: &[u8]) -> usize {
    let mut socket = Socket::open(address, "/echo");
    let pieces = [part(CONTINUATION, b"").repeat(10_000), control.to_vec()].concat();
    socket.write(&part(TEXT, b"x"));
    let mut writer = socket.0.try_clone().unwrap();
    let written = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&written);
    let write = move || {
        let writes = (0..1_000).take_while(|_| writer.write_all(&pieces).is_ok());
        writes.for_each(|_| {
            count.fetch_add(1, Ordering::SeqCst);
        });
    };
    let writer = std::thread::spawn(write);
    let first = std::iter::from_fn(|| socket.read()).find(|frame| frame.0 != PONG);
    // After the close, the server reads and discards for some time.
    let written = written.load(Ordering::SeqCst);
    assert!(first.as_ref().is_some_and(|frame| frame.is_close(1009)), "{first:?}");
    drop(socket.0.shutdown(Shutdown::Both));
    writer.join().unwrap();
    written
}

#[test]
fn endless_fragments_end() {
    on_both_hosts(api, |address| {
        // Fewer control frames than the rate limit allows.
        for control in [vec![], frame(PING, b"")] {
            // On a busy machine, the writer goes on while this thread waits for its turn.
            let is_early = (0..5).any(|_| written_until_close(address, &control) < 500);
            assert!(is_early, "the server read 500 times 10,000 fragments");
        }
    });
}

#[test]
#[ignore = "it takes longer than the others, and the gate runs it"]
fn messages_use_bounded_memory() {
    for scenario in
        ["memory_of_announced_lengths", "memory_of_incomplete_messages", "memory_of_incomplete_messages_with_pings"]
    {
        // A separate process, because other tests use memory too.
        let output = process::Command::new(std::env::current_exe().unwrap())
            .args(["--exact", &format!("lifecycle::{scenario}"), "--ignored"])
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && text.contains("1 passed"), "{text}");
    }
}

#[test]
#[ignore = "another test runs it in a separate process"]
fn memory_of_announced_lengths() {
    on_both_hosts(api, |address| {
        let mut socket = Socket::open(address, "/echo");
        socket.write(&[0x82, 0xff, 0, 0, 0, 0, 0x40, 0, 0, 0, 1, 2, 3, 4]);
        assert_eq!(socket.read(), Some(Frame(CLOSE, b"\x03\xf1the message is too long".to_vec())));
        let before = resident();
        let sockets: Vec<_> = (0..60)
            .map(|_| {
                let mut socket = Socket::open(address, "/echo");
                socket.write(&[0x82, 0xff, 0, 0, 0, 0, 0, 4, 0xb0, 0, 1, 2, 3, 4]);
                socket
            })
            .collect();
        // The server has read the heads when it responds to a later connection.
        check_served(address);
        let grown = resident().saturating_sub(before);
        assert!(grown < 8 * 1024, "{grown} KiB for {} announcements of 300 KiB", sockets.len());
    });
}

#[test]
#[ignore = "another test runs it in a separate process"]
fn memory_of_incomplete_messages() {
    check_incomplete_messages(&part(TEXT, &vec![b'x'; 250 * 1024]));
}

#[test]
#[ignore = "another test runs it in a separate process"]
fn memory_of_incomplete_messages_with_pings() {
    check_incomplete_messages(&[part(TEXT, &vec![b'x'; 250 * 1024]), frame(PING, b"")].concat());
}

fn check_incomplete_messages(sent: &[u8]) {
    let api = crate::api::api_with(|configuration| configuration.body_memory(4 * 1024 * 1024));
    let bound = Host::new(api).workers(1).bind("127.0.0.1:0").unwrap();
    let (address, stop) = (bound.addresses()[0], bound.stop_handle());
    let server = std::thread::spawn(move || restwright::run(bound.serve()));
    let before = resident();
    let sockets: Vec<_> = (0..120)
        .map(|_| {
            let mut socket = Socket::open(address, "/echo");
            socket.write(sent);
            socket
        })
        .collect();
    check_served(address);
    let grown = resident().saturating_sub(before);
    assert!(grown < 12 * 1024, "{grown} KiB for {} incomplete messages, with an account of 4 MiB", sockets.len());
    stop.stop();
    server.join().unwrap().unwrap();
}

fn check_served(address: SocketAddr) {
    let mut socket = Socket::open(address, "/echo");
    socket.write(&frame(TEXT, b"x"));
    assert_eq!(socket.read(), Some(Frame(TEXT, b"x".to_vec())));
}

#[test]
fn a_client_that_never_reads_is_disconnected() {
    let _alone = ALONE.lock();
    let bound = Host::new(api()).workers(1).body_timeout(Duration::from_millis(500)).bind("127.0.0.1:0").unwrap();
    let (address, stop) = (bound.addresses()[0], bound.stop_handle());
    let server = std::thread::spawn(move || restwright::run(bound.serve()));
    let mut socket = Socket::open(address, "/floods");
    std::thread::sleep(Duration::from_secs(2));
    // What the kernel has buffered ends without a close frame.
    let frames = socket.read_all();
    assert!(frames.len() < 2_000 && frames.iter().all(|frame| frame.0 == TEXT), "{}", frames.len());
    stop.stop();
    server.join().unwrap().unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_silent_client_is_lost_and_another_stays() {
    let client = TestClient::new(api());
    let mut silent = client.get("/rooms/blue").websocket().await.unwrap();
    let mut reads = client.get("/rooms/red").websocket().await.unwrap();
    // The client library replies to pings only while its connection is read.
    let waited = tokio::time::timeout(Duration::from_secs(200), reads.receive::<bool>()).await;
    assert!(waited.is_err(), "no message, and no end");
    assert_eq!(silent.receive::<bool>().await, None);
    reads.send(&Command::Count).await;
    assert!(reads.receive::<serde_json::Value>().await.is_some());
}
