//! Empty bodies that announce a coding.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};

use actix_web::{App, HttpServer};
use restwright::body::{RawBody, StreamedBody};
use restwright::http::BodyStream;
use restwright::prelude::*;
use restwright::production::Compression;
use restwright::testing::TestClient;

use super::{Note, Wire};
use crate::server::Server;

#[derive(Request)]
struct Raw {
    #[header("Content-Encoding")]
    coding: Option<String>,
    #[body]
    body: RawBody,
}

#[derive(Request)]
struct Pieces {
    #[body]
    body: StreamedBody,
}

#[derive(Request)]
struct MaybeNote {
    #[body]
    note: Option<Note>,
}

#[derive(Request)]
struct OneNote {
    #[body]
    note: Note,
}

fn api() -> Api {
    let post = |path: &str| Route::post(path).id(path).public();
    Api::builder(Configuration::new("empty", "1.0.0"))
        .middleware(Compression::new())
        .controller(post("/raw").handler(async |raw: Raw| Ok(Data(format!("{} {:?}", raw.body.0.len(), raw.coding)))))
        .controller(
            post("/pieces")
                .handler(async |Pieces { body: StreamedBody(mut body) }: Pieces| Ok(Data(body.next().await.is_none()))),
        )
        .controller(post("/maybe").handler(async |sent: MaybeNote| Ok(Data(sent.note.is_none()))))
        .controller(post("/note").handler(async |sent: OneNote| Ok(Data(sent.note.text))))
        .build()
        .unwrap()
}

/// Sends an empty body to each path, with a coding or without one, and checks that the coding changes nothing.
fn send_all(send: &dyn Fn(&str, &str, &str) -> (u16, String)) {
    for (path, content_type, status, expected) in [
        ("/raw", "text/plain", 200, r#"{"data":"0 None"}"#),
        ("/pieces", "text/plain", 200, r#"{"data":true}"#),
        ("/maybe", "", 200, r#"{"data":true}"#),
        ("/note", "application/json", 400, r#""code":"malformed_body""#),
    ] {
        for coding in ["", "gzip", "zstd"] {
            let (found, body) = send(path, content_type, coding);
            assert!(found == status && body.contains(expected), "{path} {coding:?}: {found} {body}");
        }
    }
}

fn by_socket(address: SocketAddr, framing: &str, path: &str, content_type: &str, coding: &str) -> (u16, String) {
    let mut request = format!("POST {path} HTTP/1.1\r\nHost: t\r\nConnection: close\r\n");
    for (name, value) in [("Content-Type", content_type), ("Content-Encoding", coding)] {
        if !value.is_empty() {
            request.extend([name, ": ", value, "\r\n"]);
        }
    }
    let mut stream = TcpStream::connect(address).unwrap();
    stream.write_all(format!("{request}{framing}").as_bytes()).unwrap();
    let mut reply = Vec::new();
    stream.read_to_end(&mut reply).unwrap();
    let wire = Wire::parse(&reply);
    (wire.status, String::from_utf8(wire.body).unwrap())
}

const FRAMINGS: [&str; 2] = ["Content-Length: 0\r\n\r\n", "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"];

#[test]
fn the_server_accepts_an_empty_body_with_a_coding() {
    let server = Server::start(api());
    for framing in FRAMINGS {
        send_all(&|path, content_type, coding| by_socket(server.address(), framing, path, content_type, coding));
    }
}

#[test]
fn the_service_of_an_app_accepts_an_empty_body_with_a_coding() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let (sender, receiver) = std::sync::mpsc::channel();
    let thread = std::thread::spawn(move || {
        let api = api();
        let app = move || App::new().service(restwright::service(api.clone()));
        actix_web::rt::System::new().block_on(async move {
            let server = HttpServer::new(app).workers(1).disable_signals().listen(listener).unwrap().run();
            sender.send(server.handle()).unwrap();
            server.await.unwrap();
        });
    });
    let handle = receiver.recv().unwrap();
    for framing in FRAMINGS {
        send_all(&|path, content_type, coding| by_socket(address, framing, path, content_type, coding));
    }
    drop(handle.stop(false));
    thread.join().unwrap();
}

#[test]
fn the_test_client_accepts_an_empty_body_with_a_coding() {
    let client = TestClient::new(api());
    for is_stream in [false, true] {
        send_all(&|path, content_type, coding| {
            let request = client.post(path);
            let request = if coding.is_empty() { request } else { request.header("Content-Encoding", coding) };
            let response = if is_stream {
                let nothing = BodyStream::new(futures_util::stream::empty());
                let request =
                    if content_type.is_empty() { request } else { request.header("Content-Type", content_type) };
                request.stream(nothing).send()
            } else {
                request.body(content_type, "").send()
            };
            (response.status().as_u16(), String::from_utf8(response.bytes().to_vec()).unwrap())
        });
    }
}
