//! Concurrency limits through real sockets.

mod mistakes;
mod places;
#[expect(dead_code, reason = "the tests of other crates use the rest of it")]
#[path = "../../../../production/tests/it/server.rs"]
mod server;

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use restwright::body::{Bytes, Stream, StreamingBody};
use restwright::core::{Configuration, Controller, Input, Output, Problem, Result, Route};
use restwright::{Api, Response};
use restwright_rate_limit::ConcurrencyLimit;
use tokio::sync::Semaphore;

use crate::scene::Names;
use server::Server;

/// Handlers that go on when a test lets them.
pub(crate) struct Gate {
    /// The number of handlers that have begun.
    begun: AtomicUsize,
    permits: Semaphore,
}

impl Gate {
    fn new() -> Arc<Self> {
        Arc::new(Self { begun: AtomicUsize::new(0), permits: Semaphore::new(0) })
    }

    /// Waits until so many handlers have begun.
    fn wait_for(&self, begun: usize) {
        until("the handlers begin", || self.begun.load(Ordering::SeqCst) >= begun);
    }

    fn open(&self, handlers: usize) {
        self.permits.add_permits(handlers);
    }
}

/// Begins, waits for the gate, and ends as its path says.
struct Wait(Route, Arc<Gate>);

impl Controller for Wait {
    type Request = Input;
    type Response = Output;

    fn route(&self) -> Route {
        self.0.clone().id(self.0.path().trim_start_matches('/').to_owned()).empty_response(204)
    }

    async fn handle(&self, _: Input) -> Result<Output> {
        self.1.begun.fetch_add(1, Ordering::SeqCst);
        self.1.permits.acquire().await.map_err(Problem::internal)?.forget();
        match self.0.path() {
            "/panic" => panic!("the controller panicked"),
            "/fail" => Err(Problem::internal("it failed")),
            _ => Ok(Output::new(restwright::core::http::StatusCode::NO_CONTENT, ())),
        }
    }
}

/// Large pieces, so that a client that does not read holds the stream up.
#[derive(Response)]
#[response(status = 200)]
struct Pieces(#[body] StreamingBody);

struct Zeros(usize);

impl Stream for Zeros {
    type Item = Result<Bytes, Box<dyn std::error::Error>>;

    fn poll_next(
        mut self: std::pin::Pin<&mut Self>,
        _: &mut std::task::Context<'_>,
    ) -> std::task::Poll<Option<Self::Item>> {
        let left = self.0.checked_sub(1);
        self.0 = left.unwrap_or_default();
        std::task::Poll::Ready(left.map(|_| Ok(Bytes::from_static(&[0; 1 << 16]))))
    }
}

const PIECES: usize = 1024;

fn serve(limit: &ConcurrencyLimit) -> (Server, Arc<Gate>) {
    let (api, gate) = api(limit);
    (Server::start(api), gate)
}

/// Routes that share the places of one limit, and `/free` without one.
fn api(limit: &ConcurrencyLimit) -> (Api, Arc<Gate>) {
    let gate = Gate::new();
    let configuration = Configuration::new("limits", "1.0.0").authenticator("name", Names);
    let route = |path: &str| Route::get(path).optional("name").middleware(limit.clone());
    let wait = |path: &str| Wait(route(path), gate.clone());
    let api = Api::builder(configuration)
        .controller(wait("/wait"))
        .controller(wait("/panic"))
        .controller(wait("/fail"))
        .controller(Wait(route("/late").deadline(Duration::from_millis(100)), gate.clone()))
        .controller(route("/now").id("now").handler(async |_: ()| Ok(restwright::Data(1))))
        .controller(route("/stream").id("stream").handler(async |_: ()| Ok(Pieces(StreamingBody::new(Zeros(PIECES))))))
        .controller(Route::get("/free").public().id("free").handler(async |_: ()| Ok(restwright::Data(1))))
        .build()
        .unwrap();
    (api, gate)
}

/// Sends a request on a separate connection, whose response is read later.
fn begin(server: &Server, method: &str, path: &str, headers: &str) -> TcpStream {
    let mut stream = TcpStream::connect(server.address()).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    let head = format!("{method} {path} HTTP/1.1\r\nHost: t\r\nConnection: close\r\n{headers}\r\n");
    stream.write_all(head.as_bytes()).unwrap();
    stream
}

/// Reads the rest of a response, and returns its status.
fn end(mut stream: TcpStream) -> u16 {
    let mut reply = Vec::new();
    stream.read_to_end(&mut reply).unwrap();
    String::from_utf8_lossy(&reply[9..12]).parse().unwrap()
}

/// Waits until a condition holds.
fn until(what: &str, condition: impl Fn() -> bool) {
    let started = Instant::now();
    while !condition() {
        assert!(started.elapsed() < Duration::from_secs(60), "{what}");
        thread::sleep(Duration::from_millis(5));
    }
}
