//! An Api inside an actix-web `App`.

use std::net::{SocketAddr, TcpListener};
use std::time::{Duration, Instant};

use actix_web::dev::ServerHandle;
use actix_web::{App, HttpServer, web};
use restwright_actix::{Host, service};
use restwright_runtime::Api;

use crate::api;
use crate::client::{Client, NEVER, PATIENCE};

pub(crate) struct Mounted {
    address: SocketAddr,
    handle: ServerHandle,
}

impl Mounted {
    /// The Api at the root and once more under `/v1/api`, next to a route of actix-web.
    fn start() -> Self {
        Self::with(api::api())
    }

    pub(crate) fn with(api: Api) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let (sender, receiver) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            let app = move || {
                App::new()
                    .route("/own", web::get().to(|| async { "own" }))
                    .service(web::scope("/v1/{tenant}").service(service(api.clone())))
                    .service(service(api.clone()))
            };
            actix_web::rt::System::new().block_on(async move {
                let server = HttpServer::new(app).workers(1).disable_signals().listen(listener).unwrap().run();
                sender.send(server.handle()).unwrap();
                server.await.unwrap();
            });
        });
        Self { address, handle: receiver.recv().unwrap() }
    }

    pub(crate) fn connect(&self) -> Client {
        Client::connect(self.address)
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        drop(self.handle.stop(false));
    }
}

fn get(path: &str) -> String {
    format!("GET {path} HTTP/1.1\r\nHost: t\r\n\r\n")
}

#[test]
fn requests_reach_the_api_and_the_app() {
    let mounted = Mounted::start();
    let mut client = mounted.connect();
    for (request, status, body) in [
        (get("/own"), 200, "own"),
        (get("/health"), 200, r#"{"status":"ok"}"#),
        (get("/v1/api/health"), 200, r#"{"status":"ok"}"#),
        (get("/v1/%C3%A4/files/%C3%A4"), 200, r#"{"status":"file"}"#),
        (get("/v1/a/files/b%2Fc"), 200, r#"{"status":"file"}"#),
        (get("/stream"), 200, "012"),
        ("POST /echo HTTP/1.1\r\nHost: t\r\nContent-Length: 3\r\n\r\nabc".to_owned(), 200, "abc"),
    ] {
        let response = client.send(&request).response();
        assert_eq!((response.status, response.text()), (status, body), "{request}");
    }
    let relay = "POST /relay HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n";
    assert_eq!(mounted.connect().send(relay).response().text(), "abc");
    for (path, status, code) in [
        ("/v1/api", 404, "not_found"),
        ("/v1/api/nowhere", 404, "not_found"),
        ("/files/%FF", 400, "malformed_request"),
        ("/v1/%FF/files/%FF", 400, "malformed_request"),
        ("/panic", 500, "internal_error"),
        ("/pets/x", 422, "invalid_request"),
    ] {
        client.send(get(path)).response().assert_problem(status, code);
    }
    let head = client.send("HEAD /health HTTP/1.1\r\nHost: t\r\n\r\n").head_response();
    assert_eq!((head.status, head.header("content-length")), (200, Some("15")));
}

#[test]
fn tails_are_those_of_the_api() {
    let mounted = Mounted::start();
    for prefix in ["", "/v1/api", "/v1/%2e%2e"] {
        crate::tails::check(prefix, |request| mounted.connect().send(request).response());
    }
}

#[test]
fn rejects_a_repeated_content_type() {
    let mounted = Mounted::start();
    crate::content_types::check(|request| mounted.connect().send(request).response());
}

#[test]
fn bodies_are_watched() {
    let mounted = Mounted::start();
    let mut client = mounted.connect();
    client.send("POST /echo HTTP/1.1\r\nHost: t\r\nContent-Length: 9\r\n\r\nabc").finish();
    client.response().assert_problem(400, "incomplete_body");
    let mut client = mounted.connect();
    client.send(format!("POST /echo HTTP/1.1\r\nHost: t\r\nContent-Length: {}\r\n\r\n", api::BODY_LIMIT + 1));
    client.response().assert_problem(413, "body_too_large");
    let mut slow = mounted.connect();
    slow.send("POST /echo HTTP/1.1\r\nHost: t\r\nContent-Length: 9\r\n\r\nabc");
    slow.stream().set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    slow.response().assert_problem(408, "body_timeout");
}

#[test]
fn an_api_is_served_on_the_runtime_of_actix() {
    let bound = Host::new(api::api()).workers(2).grace(NEVER).bind("127.0.0.1:0").unwrap();
    let (address, stop) = (bound.addresses()[0], bound.stop_handle());
    let thread = std::thread::spawn(move || actix_web::rt::System::new().block_on(bound.serve()));
    let mut client = Client::connect(address);
    assert_eq!(client.send(get("/health")).response().status, 200);
    let begin = Instant::now();
    stop.stop();
    thread.join().unwrap().unwrap();
    assert!(begin.elapsed() < PATIENCE, "an idle connection delays the stop");
    assert_eq!(client.rest(), "");
}
