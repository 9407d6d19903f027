use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::time::{Duration, Instant};

use restwright::Host;
use restwright::production::Metrics;

use super::{builder, duration, samples, start};
use crate::server::Reply;

/// An address that is free, as far as nobody takes it meanwhile.
pub(super) fn free_address() -> SocketAddr {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap()
}

/// Sends a request to the listener.
pub(super) fn ask(address: SocketAddr, method: &str, path: &str, headers: &[&str]) -> Reply {
    let lines: String = headers.iter().map(|line| format!("{line}\r\n")).collect();
    exchange(address, format!("{method} {path} HTTP/1.1\r\nHost: t\r\n{lines}\r\n").as_bytes())
}

fn exchange(address: SocketAddr, request: &[u8]) -> Reply {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.write_all(request).unwrap();
    let mut reply = String::new();
    stream.read_to_string(&mut reply).unwrap();
    Reply::from(reply)
}

#[test]
fn the_listener_serves_the_metrics_and_nothing_else() {
    let address = free_address();
    let server = start(&Metrics::new().listener_at(address.to_string()));
    server.send("GET", "/pets/1", &[]);
    assert_eq!(server.send("GET", "/metrics", &[]).status(), 404);
    let reply = ask(address, "GET", "/metrics?x=1", &[]);
    assert_eq!(reply.header("content-length"), Some(reply.body().len().to_string()));
    assert_eq!(samples(reply.body())[&duration("GET", "/pets/{id}", "200")], 1.0);
    for (path, status, least) in [("/metrics", 200, 1_000), ("/pets/1", 404, 20)] {
        let head = ask(address, "HEAD", path, &[]);
        assert_eq!((head.status(), head.body()), (status, ""));
        assert!(head.header("content-length").unwrap().parse::<usize>().unwrap() > least);
    }
    let many: String = (0..65).map(|number| format!("a{number}: b\r\n")).collect();
    for (request, status) in [
        ("GET /pets/1 HTTP/1.1\r\n\r\n".to_owned(), 404),
        ("POST /metrics HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}".to_owned(), 405),
        ("no HTTP\r\n\r\n".to_owned(), 400),
        ("\r\n\r\n".to_owned(), 400),
        (format!("GET /metrics HTTP/1.1\r\n{many}\r\n"), 431),
        (format!("GET /metrics HTTP/1.1\r\na: {}\r\n\r\n", "b".repeat(20_000)), 431),
    ] {
        let reply = exchange(address, request.as_bytes());
        assert_eq!(reply.status(), status, "{request}");
        assert_eq!(reply.header("allow").is_some(), status == 405);
    }
    drop(server);
    assert!(TcpStream::connect(address).is_err(), "the listener outlives the server");
    // The address is free again.
    drop(start(&Metrics::new().listener_at(address.to_string())));
}

#[test]
fn clients_that_hold_the_listener_keep_nobody_out() {
    let address = free_address();
    let server = start(&Metrics::new().listener_at(address.to_string()));
    // It responds when its components have started.
    server.send("GET", "/livez", &[]);
    let mut held = Vec::new();
    // The clients lose their places after 5 s.
    restwright_tests::is_quick("the listener", Duration::from_secs(2), || {
        held = (0..200)
            .map(|number| {
                let mut stream = TcpStream::connect(address).unwrap();
                stream.set_read_timeout(Some(Duration::from_mins(1))).unwrap();
                let sent: &[u8] = if number % 2 == 0 { b"GET /met" } else { b"GET /metrics HTTP/1.1\r\n\r\nmore" };
                stream.write_all(sent).unwrap();
                stream
            })
            .collect();
        let begin = Instant::now();
        assert_eq!(ask(address, "GET", "/metrics", &[]).status(), 200);
        // The oldest lost their places to the newest.
        match held[0].read(&mut [0]) {
            Ok(read) => assert_eq!(read, 0),
            Err(error) => assert_eq!(error.kind(), std::io::ErrorKind::ConnectionReset),
        }
        begin.elapsed()
    });
    // Those that have a place lose it when their time is over.
    for mut stream in held {
        match stream.read_to_end(&mut Vec::new()) {
            Ok(_) => {}
            Err(error) => assert_eq!(error.kind(), std::io::ErrorKind::ConnectionReset),
        }
    }
}

#[test]
fn a_port_that_is_taken_ends_the_start_with_what_to_do() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap();
    let api = builder(&Metrics::new().listener_at(address.to_string())).build().unwrap();
    let error = restwright::run(Host::new(api).bind("127.0.0.1:0").unwrap().serve()).unwrap_err().to_string();
    let expected = format!("the component `metrics` cannot start: cannot listen at {address} for the metrics: ");
    assert!(
        error.starts_with(&expected) && error.contains("choose another address with `Metrics::listener_at`"),
        "{error}"
    );
}
