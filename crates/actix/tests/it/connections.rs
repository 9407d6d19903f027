//! Connections: how long they live and how many there are.

use std::net::SocketAddr;
use std::time::Duration;

use restwright_actix::{Host, ServeError};
use restwright_runtime::core::http::header::HeaderValue;
use restwright_runtime::core::http::{HeaderName, HttpRequest, HttpResponse};
use restwright_runtime::core::{Middleware, Next, Result};

use crate::client::Client;
use crate::server::Server;

const HEALTH: &str = "GET /health HTTP/1.1\r\nHost: t\r\n\r\n";

#[test]
fn keep_alive_and_pipelining() {
    let server = Server::start();
    let mut client = server.connect();
    for _ in 0..3 {
        assert_eq!(client.send(HEALTH).response().status, 200);
    }
    client.send(HEALTH.repeat(20));
    for _ in 0..20 {
        assert_eq!(client.response().status, 200);
    }
    client.send("GET /slow HTTP/1.1\r\nHost: t\r\n\r\nGET /nowhere HTTP/1.1\r\nHost: t\r\n\r\n");
    assert_eq!([client.response().status, client.response().status], [200, 404]);
    let last = client.send("GET /health HTTP/1.1\r\nHost: t\r\nConnection: close\r\n\r\n").response();
    assert_eq!((last.status, last.header("connection")), (200, Some("close")));
    assert_eq!(client.rest(), "");
}

#[test]
fn an_idle_connection_is_closed() {
    let server = Server::with(|host| host.keep_alive(Duration::from_millis(200)));
    let mut client = server.connect();
    client.send(HEALTH).response();
    assert_eq!(client.rest(), "");
}

#[test]
fn without_keep_alive_each_request_has_its_connection() {
    let server = Server::with(|host| host.keep_alive(Duration::ZERO));
    let mut client = server.connect();
    assert_eq!(client.send(HEALTH).response().header("connection"), Some("close"));
    assert_eq!(client.rest(), "");
}

#[test]
fn what_is_no_request_is_a_400() {
    let server = Server::start();
    for request in [
        "nonsense\r\n\r\n",
        "GET / HTTP/1.1\r\n\r\n",
        "GET / HTTP/9.9\r\nHost: t\r\n\r\n",
        "GET /a b HTTP/1.1\r\nHost: t\r\n\r\n",
    ] {
        let response = server.send(request);
        assert_eq!(response.assert_problem(400, "malformed_request").header("connection"), Some("close"), "{request}");
    }
    for fields in ["Host: a b", "Host: a/b", "Host: a\r\nHost: a", "Host: user@t", "Host: t:x", "Host: [::1", "X: y"] {
        let request = format!("GET /health HTTP/1.1\r\n{fields}\r\n\r\n");
        let mut client = server.connect();
        assert_eq!(client.send(&request).response().status, 400, "{fields}");
        assert_eq!(client.rest(), "", "{fields} closes");
        let mut in_pieces = server.connect();
        let (first, second) = request.split_at(30);
        in_pieces.send(first);
        std::thread::sleep(Duration::from_millis(10));
        assert_eq!(in_pieces.send(second).response().status, 400, "{fields} in pieces");
    }
    for host in ["", "t", "T.example:8080", "[::1]:80", "a%20b"] {
        assert_eq!(server.send(format!("GET /health HTTP/1.1\r\nHost: {host}\r\n\r\n")).status, 200, "{host}");
    }
    let raw = server.send(b"GET /files/\xff HTTP/1.1\r\nHost: t\r\n\r\n");
    assert_eq!(raw.status, 400);
}

#[test]
fn a_refused_head_of_a_head_request_has_no_body() {
    let server = Server::with(|host| host.head_timeout(Duration::from_millis(200)));
    for (request, status) in [
        ("HEAD / HTTP/1.1\r\n\r\n", 400),
        ("HEAD /a b HTTP/1.1\r\nHost: t\r\n\r\n", 400),
        ("HEAD /#a HTTP/1.1\r\nHost: t\r\n\r\n", 400),
        ("HEAD /?a=1# HTTP/1.1\r\nHost: t\r\n\r\n", 400),
        ("\r\nHEAD /a b HTTP/1.1\r\nHost: t\r\n\r\n", 400),
        ("\nHEAD /a b HTTP/1.1\r\nHost: t\r\n\r\n", 400),
        ("HEAD / HT", 408),
    ] {
        let mut client = server.connect();
        let response = client.send(request).head_response();
        let length: usize = response.header("content-length").unwrap().parse().unwrap();
        assert_eq!((response.status, length > 100, client.rest()), (status, true, String::new()), "{request}");
    }
}

#[test]
fn a_head_that_is_too_large_is_a_431() {
    let server = Server::start();
    let mut client = server.connect();
    client.try_send(format!("GET /health HTTP/1.1\r\nHost: t\r\nX: {}", "x".repeat(200_000)));
    client.response().assert_problem(431, "head_too_large");
}

#[test]
fn an_incomplete_head_of_128_kib_is_a_431() {
    const LIMIT: usize = 128 * 1024;
    let server = Server::with(|host| host.head_timeout(Duration::from_secs(2)));
    let begin = "GET /health HTTP/1.1\r\nHost: t\r\nX: ";
    for (length, status, code) in [(LIMIT - 1, 408, "head_timeout"), (LIMIT, 431, "head_too_large")] {
        let mut client = server.connect();
        client.send(format!("{begin}{}", "x".repeat(length - begin.len())));
        client.response().assert_problem(status, code);
    }
}

/// Returns the address of the client in the response.
struct Peer;

impl Middleware for Peer {
    async fn handle(&self, request: &mut HttpRequest, next: Next<'_>) -> Result<HttpResponse> {
        let peer = format!("{:?}", request.peer());
        let mut response = next.run(request).await;
        response.insert_header(HeaderName::from_static("x-peer"), HeaderValue::from_str(&peer).unwrap());
        Ok(response)
    }
}

#[test]
fn a_request_has_the_address_of_its_client() {
    let api = crate::api::builder().middleware(Peer).build().unwrap();
    let bound = Host::new(api).workers(1).bind("127.0.0.1:0").unwrap();
    let address = bound.addresses()[0];
    let (stop, thread) = crate::server::serve(bound);
    let mut client = Client::connect(address);
    let response = client.send(HEALTH).response();
    let sent_from = client.stream().local_addr().unwrap();
    assert_eq!(response.header("x-peer"), Some(&*format!("Some({sent_from})")));
    stop.stop();
    thread.join().unwrap().unwrap();
}

#[cfg(unix)]
#[test]
fn a_unix_socket() {
    use std::os::unix::net::{UnixListener, UnixStream};

    let path = std::env::temp_dir().join(format!("restwright-{}.socket", std::process::id()));
    let bound = Host::new(crate::api::api()).workers(1).listen(UnixListener::bind(&path).unwrap()).unwrap();
    assert!(bound.addresses().is_empty());
    let (stop, thread) = crate::server::serve(bound);
    let response = Client::over(UnixStream::connect(&path).unwrap()).send(HEALTH).response();
    std::fs::remove_file(&path).unwrap();
    assert_eq!((response.status, response.text()), (200, r#"{"status":"ok"}"#));
    stop.stop();
    thread.join().unwrap().unwrap();
}

#[test]
fn a_stopped_server_refuses() {
    let server = Server::start();
    let mut client = server.connect();
    let address = client.stream().peer_addr().unwrap();
    client.send(HEALTH).response();
    server.stop();
    assert_eq!(client.rest(), "");
    assert!(std::net::TcpStream::connect(address).is_err());
}

#[test]
fn an_address_that_is_taken_is_named() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap();
    let refused = restwright_actix::Host::new(crate::api::api()).bind(address).unwrap_err();
    assert!(matches!(&refused, ServeError::Io(error) if error.kind() == std::io::ErrorKind::AddrInUse), "{refused}");
    let refused = refused.to_string();
    assert!(refused.starts_with(&format!("cannot listen at {address}: ")), "{refused}");
    assert!(refused.ends_with("perhaps another instance of this program; choose another address"), "{refused}");
}

#[test]
fn every_address_that_cannot_be_bound_is_named() {
    let bind = |addresses: &[SocketAddr]| restwright_actix::Host::new(crate::api::api()).bind(addresses);
    let taken = [(); 2].map(|()| std::net::TcpListener::bind("127.0.0.1:0").unwrap());
    let [first, second] = [0, 1].map(|number: usize| taken[number].local_addr().unwrap());
    let refused = bind(&[first, second]).unwrap_err().to_string();
    assert!(refused.contains(&format!("at {first}: ")) && refused.contains(&format!(", {second}: ")), "{refused}");
    let free = "127.0.0.1:0".parse().unwrap();
    assert_eq!(bind(&[first, free]).unwrap().addresses().len(), 1, "one of them suffices");
    let refused = restwright_actix::Host::new(crate::api::api()).bind("no address").unwrap_err();
    assert!(refused.to_string().starts_with("cannot listen at \"no address\": "), "{refused}");
    let refused = bind(&[]).unwrap_err();
    assert_eq!(refused.to_string(), "cannot listen at []: it resolves to no address");
}

#[test]
fn serving_may_move_between_the_threads_of_a_runtime() {
    fn check<T: Send>(_: &T) {}
    let bound = restwright_actix::Host::new(crate::api::api()).bind("127.0.0.1:0").unwrap();
    check(&bound.serve());
}
