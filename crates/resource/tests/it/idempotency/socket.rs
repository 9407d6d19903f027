//! Keys over a socket, on several workers.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use restwright::prelude::*;
use restwright::{Host, StopHandle, run};
use restwright_resource::idempotency::{Idempotency, MemoryIdempotencyStore};

use super::script::Script;
use super::{configuration, payments};

/// The Api on two workers.
struct Server {
    address: SocketAddr,
    effects: Arc<AtomicUsize>,
    stop: StopHandle,
    thread: JoinHandle<()>,
}

impl Server {
    fn start() -> Self {
        let (script, idempotency) = (Script::default(), Idempotency::new(MemoryIdempotencyStore::new()));
        let effects = script.effects();
        let api = Api::builder(configuration()).group(payments(idempotency, &script)).build().unwrap();
        let bound = Host::new(api).workers(2).bind("127.0.0.1:0").unwrap();
        let (address, stop) = (bound.addresses()[0], bound.stop_handle());
        Self { address, effects, stop, thread: thread::spawn(|| run(bound.serve()).unwrap()) }
    }

    fn stop(self) -> usize {
        self.stop.stop();
        self.thread.join().unwrap();
        self.effects.load(Ordering::SeqCst)
    }
}

/// Sends a payment without waiting for its response.
fn begin(address: SocketAddr, key: &str, body: &str) -> TcpStream {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    let head = format!("Host: shop\r\nConnection: close\r\nX-Caller: ann\r\n{key}Content-Length: {}", body.len());
    write!(stream, "POST /payments HTTP/1.1\r\n{head}\r\n\r\n{body}").unwrap();
    stream
}

fn send(address: SocketAddr, key: &str, body: &str) -> String {
    let mut response = String::new();
    begin(address, key, body).read_to_string(&mut response).unwrap();
    response
}

/// Returns the status, followed by `replay` if the response belongs to an earlier request.
fn outcome(response: &str) -> String {
    let status = response.split(' ').nth(1).unwrap_or(response);
    let replayed = response.contains("\r\nidempotency-replayed: true\r\n");
    if replayed { format!("{status} replay") } else { status.to_owned() }
}

/// Repeats a request that waited for another one in vain, and returns its outcome. A loaded server needs longer than a second for
/// a request.
fn patient_outcome(address: SocketAddr, key: &str, body: &str) -> String {
    loop {
        let began = Instant::now();
        let outcome = outcome(&send(address, key, body));
        if outcome != "409" {
            return outcome;
        }
        assert!(began.elapsed() >= Duration::from_secs(1), "it does not wait");
    }
}

#[test]
fn a_payment_is_executed_once() {
    let server = Server::start();
    let key = "Idempotency-Key: \"8e03978e-40d5-43e8-bc93-6894a57f9324\"\r\n";
    let bare = "Idempotency-Key: 8e03978e-40d5-43e8-bc93-6894a57f9324\r\n";
    let first = send(server.address, key, "status 201");
    let outcomes =
        [(bare, "status 201"), (key, "status 202"), ("Idempotency-Key: \r\n", "status 201"), ("", "status 201")]
            .map(|(key, body)| outcome(&send(server.address, key, body)));
    assert_eq!(outcome(&first), "201");
    assert_eq!(outcomes, ["201 replay", "422", "400", "201"]);
    let again = send(server.address, key, "status 201");
    assert!(again.contains("\r\nlocation: /payments/7\r\n") && again.contains("\r\netag: \"7\"\r\n"), "{again}");
    assert!(again.ends_with("\r\n\r\n1"), "{again}");
    assert_eq!(server.stop(), 2);
}

#[test]
fn one_of_many_concurrent_requests_is_executed() {
    let server = Server::start();
    let (address, key) = (server.address, "Idempotency-Key: a\r\n");
    let clients = (0..16).map(|_| thread::spawn(move || patient_outcome(address, key, "slow 200")));
    let clients: Vec<_> = clients.collect();
    let mut outcomes: Vec<_> = clients.into_iter().map(|client| client.join().unwrap()).collect();
    outcomes.sort();
    assert_eq!(outcomes[0], "200");
    assert!(outcomes[1..].iter().all(|outcome| outcome == "200 replay"), "{outcomes:?}");
    assert_eq!(server.stop(), 1);
}

#[test]
fn the_response_is_stored_after_the_client_disconnects() {
    let server = Server::start();
    let (key, body) = ("Idempotency-Key: a\r\n", "slow 500");
    let gone = begin(server.address, key, body);
    let started = Instant::now();
    while server.effects.load(Ordering::SeqCst) == 0 {
        assert!(started.elapsed() < Duration::from_secs(20), "the first was not carried out");
        thread::sleep(Duration::from_millis(10));
    }
    drop(gone);
    assert_eq!(outcome(&send(server.address, key, body)), "200 replay");
    assert_eq!(server.stop(), 1);
}
