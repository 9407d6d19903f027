//! Server-sent events over sockets.

use std::error::Error;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use restwright_actix::{Host, ServeError, StopHandle};
use restwright_runtime::Api;
use restwright_runtime::core::auth::{Authentication, Authenticator, Identity};
use restwright_runtime::core::body::Stream;
use restwright_runtime::core::http::HttpRequest;
use restwright_runtime::core::operation::SecurityScheme;
use restwright_runtime::core::{Clock, Configuration, Event, EventStream, Input, Route};
use restwright_tests::resident;

use crate::client::{NEVER, PATIENCE};
use crate::server::serve;

/// The number of large events that all streams have produced.
static PRODUCED: AtomicUsize = AtomicUsize::new(0);

/// A few events, after which nothing happens.
struct Few(u32);

impl Stream for Few {
    type Item = Result<Event<u32>, Box<dyn Error>>;

    fn poll_next(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if self.0 == 0 {
            return Poll::Pending;
        }
        self.0 -= 1;
        Poll::Ready(Some(Ok(Event::new(self.0).id(self.0).name("count"))))
    }
}

/// Large events without an end.
struct Large;

impl Stream for Large {
    type Item = Result<Event<String>, Box<dyn Error>>;

    fn poll_next(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        PRODUCED.fetch_add(1, Ordering::Relaxed);
        Poll::Ready(Some(Ok(Event::new("x".repeat(10_000)))))
    }
}

/// Admits everyone until 60 seconds from now.
struct ForAMinute;

const NOW: i64 = 1_700_000_000;

impl Authenticator for ForAMinute {
    fn describe(&self) -> SecurityScheme {
        SecurityScheme::http("bearer")
    }

    async fn authenticate(&self, _: &mut HttpRequest) -> Authentication {
        Authentication::Identity(Identity::builder("ann").expires_at(NOW + 60).build())
    }
}

type Started = (SocketAddr, StopHandle, JoinHandle<Result<(), ServeError>>);

fn start(settings: impl FnOnce(Host) -> Host) -> Started {
    start_with(Configuration::new("events", "1.0.0"), settings)
}

fn start_with(configuration: Configuration, settings: impl FnOnce(Host) -> Host) -> Started {
    let few = Route::get("/few").id("few").public();
    let few = few.handler(async |(): ()| Ok(EventStream::new(Few(2)).heartbeat(Duration::from_millis(100))));
    let rare = Route::get("/rare").id("rare").public();
    let rare = rare.handler(async |(): ()| Ok(EventStream::new(Few(1)).heartbeat(Duration::MAX)));
    let none = Route::get("/none").id("none").public();
    let none = none.handler(async |(): ()| Ok(EventStream::new(Few(1)).heartbeat(Duration::ZERO)));
    let large = Route::get("/large").id("large").public().handler(async |(): ()| Ok(EventStream::new(Large)));
    let private = Route::get("/private").id("private").authorize("minute", [""; 0]);
    let private = private.handler(async |(): ()| Ok(EventStream::new(Few(1)).heartbeat(Duration::ZERO)));
    let health = crate::api::status(Route::get("/health").public());
    let health = crate::api::on("health", health, async |_: Input| crate::api::ok("ok"));
    let api = Api::builder(configuration.authenticator("minute", ForAMinute)).controller(private).controller(health);
    let api = api.controller(few).controller(rare).controller(none).controller(large).build().unwrap();
    let bound = settings(Host::new(api).workers(1)).bind("127.0.0.1:0").unwrap();
    let address = bound.addresses()[0];
    let (stop, thread) = serve(bound);
    (address, stop, thread)
}

fn request(address: SocketAddr, path: &str) -> TcpStream {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream.write_all(format!("GET {path} HTTP/1.1\r\nHost: t\r\n\r\n").as_bytes()).unwrap();
    stream
}

/// Reads until the received text contains `end`, until the server closes the connection, or for a minute.
fn read_until(stream: &mut TcpStream, end: &str) -> String {
    let (mut text, mut buffer) = (String::new(), [0; 1_000]);
    let begin = Instant::now();
    while !text.contains(end) && begin.elapsed() < PATIENCE {
        match stream.read(&mut buffer).unwrap() {
            0 => break,
            count => text.push_str(std::str::from_utf8(&buffer[..count]).unwrap()),
        }
    }
    text
}

#[test]
fn events_come_with_heartbeats_until_the_server_stops() {
    let (address, stop, thread) = start(|host| host.grace(NEVER));
    let mut stream = request(address, "/few");
    let begin = Instant::now();
    let received = read_until(&mut stream, "2\r\n:\n\r\n2\r\n:\n\r\n");
    assert!(received.ends_with("2\r\n:\n\r\n2\r\n:\n\r\n"), "two comments with one line end: {received}");
    assert!(begin.elapsed() >= Duration::from_millis(190), "two heartbeats in {:?}", begin.elapsed());
    for part in [
        "content-type: text/event-stream\r\n",
        "cache-control: no-store\r\n",
        "x-accel-buffering: no\r\n",
        "id: 1\nevent: count\ndata: 1\n\n",
        "id: 0\nevent: count\ndata: 0\n\n",
    ] {
        assert!(received.contains(part), "{part} {received}");
    }
    let begin = Instant::now();
    stop.stop();
    thread.join().unwrap().unwrap();
    assert!(begin.elapsed() < PATIENCE, "the stream delays the stop: {:?}", begin.elapsed());
    assert!(read_until(&mut stream, "\r\n0\r\n\r\n").ends_with("0\r\n\r\n"), "the response is complete");
}

#[test]
fn a_stream_ends_with_the_credentials_of_its_caller_or_at_its_maximum_age() {
    let clock = Clock::manual(NOW);
    let aged = |age| Configuration::new("events", "1.0.0").clock(clock.clone()).max_stream_age(age);
    let (address, stop, thread) = start_with(aged(NEVER), |host| host);
    let mut private = request(address, "/private");
    assert!(read_until(&mut private, "data: 0\n\n").contains("data: 0\n\n"));
    clock.advance(Duration::from_secs(59));
    private.set_read_timeout(Some(Duration::from_millis(200))).unwrap();
    let more = private.read(&mut [0; 100]);
    assert!(matches!(&more, Ok(2)) || more.is_err(), "the credentials are valid: {more:?}");
    private.set_read_timeout(Some(PATIENCE)).unwrap();
    clock.advance(Duration::from_secs(1));
    assert!(read_until(&mut private, "0\r\n\r\n").ends_with("0\r\n\r\n"), "the response is complete");
    stop.stop();
    thread.join().unwrap().unwrap();

    let age = Duration::from_millis(1_500);
    let (address, stop, thread) = start_with(aged(age), |host| host);
    let begin = Instant::now();
    let mut public = request(address, "/none");
    assert!(read_until(&mut public, "data: 0\n\n").contains("data: 0\n\n"));
    assert!(read_until(&mut public, "0\r\n\r\n").ends_with("0\r\n\r\n"), "the response is complete");
    assert!(begin.elapsed() >= age, "{:?}", begin.elapsed());
    stop.stop();
    thread.join().unwrap().unwrap();
}

#[test]
fn streams_use_half_of_the_places_or_their_limit() {
    for (settings, limit) in [
        ((|host| host.max_connections(6)) as fn(Host) -> Host, 3),
        (|host| host.max_connections(6).max_long_lived(2), 2),
        (|host| host.max_connections(6).max_long_lived(0), 0),
        (|host| host.max_connections(1), 1),
    ] {
        let (address, stop, thread) = start(settings);
        let streams: Vec<_> = (0..limit)
            .map(|_| {
                let mut stream = request(address, "/none");
                assert!(read_until(&mut stream, "data: 0\n\n").contains("data: 0\n\n"));
                stream
            })
            .collect();
        if limit > 1 || streams.is_empty() {
            let refused = read_until(&mut request(address, "/none"), "\"overloaded\"");
            assert!(refused.starts_with("HTTP/1.1 503 ") && refused.contains("retry-after: 5\r\n"), "{refused}");
            let health = read_until(&mut request(address, "/health"), "ok");
            assert!(health.starts_with("HTTP/1.1 200 "), "{health}");
        }
        drop(streams);
        stop.stop();
        thread.join().unwrap().unwrap();
    }
}

#[test]
fn a_heartbeat_of_any_length_is_allowed() {
    let (address, stop, thread) = start(|host| host);
    for path in ["/rare", "/none"] {
        let mut stream = request(address, path);
        assert!(read_until(&mut stream, "data: 0\n\n").contains("data: 0\n\n"), "{path}");
        stream.set_read_timeout(Some(Duration::from_millis(200))).unwrap();
        let more = stream.read(&mut [0; 100]);
        assert!(matches!(&more, Ok(2)) || more.is_err(), "{path}: only the end of the chunk may follow: {more:?}");
    }
    stop.stop();
    thread.join().unwrap().unwrap();
}

/// Requests large events on a connection for which the kernel keeps few bytes.
async fn deaf(address: SocketAddr) -> tokio::net::TcpStream {
    let socket = tokio::net::TcpSocket::new_v4().unwrap();
    socket.set_recv_buffer_size(4_096).unwrap();
    let stream = socket.connect(address).await.unwrap();
    stream.writable().await.unwrap();
    stream.try_write(b"GET /large HTTP/1.1\r\nHost: t\r\n\r\n").unwrap();
    stream
}

#[test]
#[ignore = "it takes longer than the others, and the gate runs it"]
fn clients_that_never_read_use_a_bounded_memory() {
    restwright_tests::alone("events::clients_that_never_read_use_a_bounded_memory", || {
        let count = std::env::var("RESTWRIGHT_CLIENTS").map_or(200, |count| count.parse().unwrap());
        let (address, stop, thread) = start(|host| host.max_connections_per_address(count + 1));
        let before = resident();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build().unwrap();
        let clients: Vec<_> = (0..count).map(|_| runtime.block_on(deaf(address))).collect();
        // The account ends the responses that the kernel does not accept, so wait until production stops.
        let mut produced = 0;
        let mut grown = 0;
        while PRODUCED.load(Ordering::Relaxed) != produced || produced < count {
            produced = PRODUCED.load(Ordering::Relaxed);
            std::thread::sleep(Duration::from_millis(500));
            grown = resident().saturating_sub(before) / 1_024;
            // 64 MiB is the default of `Configuration::body_memory`.
            assert!(grown < 64, "{grown} MiB for {count} clients and {produced} events");
        }
        println!("{grown} MiB for {count} clients");
        drop(clients);
        stop.stop();
        thread.join().unwrap().unwrap();
    });
}
