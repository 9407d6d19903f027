//! Opening handshakes: which are accepted, and what the others receive.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use restwright::openapi::{Document, DocumentOptions, OpenApiVersion};
use restwright::prelude::*;
use restwright::testing::TestClient;
use restwright::websocket::{MessageRate, WebSocketResponse, WebSocketUpgrade};

use crate::api::api;
use crate::hosts::on_both_hosts;

#[derive(Request)]
struct Echo {
    upgrade: WebSocketUpgrade<String, String>,
}

async fn echo(request: Echo) -> Result<WebSocketResponse> {
    Ok(request.upgrade.accept(async |mut socket| {
        while let Some(text) = socket.receive().await {
            socket.send(&text).await?;
        }
        Ok(())
    }))
}

const HANDSHAKE: &str = "GET /echo HTTP/1.1\r\nHost: api.example.com\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";

/// Sends a request and returns the head of the response in lower case.
fn head(address: SocketAddr, request: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    stream.write_all(request.as_bytes()).unwrap();
    let (mut head, mut byte) = (Vec::new(), [0]);
    while !head.ends_with(b"\r\n\r\n") {
        stream.read_exact(&mut byte).unwrap();
        head.extend(byte);
    }
    String::from_utf8(head).unwrap().to_lowercase()
}

#[test]
fn handshakes_over_sockets() {
    on_both_hosts(api, |address| {
        let accepted = head(address, HANDSHAKE);
        for line in ["http/1.1 101 ", "connection: upgrade\r\n", "upgrade: websocket\r\n", "x-request-id: "] {
            assert!(accepted.contains(line), "{line} {accepted}");
        }
        // The example of RFC 6455, section 1.3.
        assert!(accepted.contains("sec-websocket-accept: s3pplmbitxaq9kygzzhzrbk+xoo=\r\n"), "{accepted}");
        assert!(!accepted.contains("content-length") && !accepted.contains("transfer-encoding"), "{accepted}");
        for (from, to, status) in [
            ("", "", "101"),
            ("Connection: Upgrade", "Connection: keep-alive, uPGRADE", "101"),
            ("Upgrade: websocket", "Upgrade: WebSocket", "101"),
            ("Upgrade: websocket", "Upgrade: h2c", "426"),
            ("Upgrade: websocket\r\n", "", "426"),
            ("Connection: Upgrade", "Connection: keep-alive", "426"),
            ("Version: 13", "Version: 8", "426"),
            ("Version: 13", "Version: 13, 8", "426"),
            ("Sec-WebSocket-Version: 13\r\n", "", "426"),
            ("HTTP/1.1", "HTTP/1.0", "426"),
            ("GET", "HEAD", "426"),
            ("\r\n\r\n", "\r\nContent-Length: 1\r\n\r\nx", "426"),
            ("Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n", "", "400"),
            ("dGhlIHNhbXBsZSBub25jZQ==", "dGhlIHNhbXBsZSBub25jZ", "400"),
            ("\r\n\r\n", "\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n", "400"),
            ("GET", "POST", "405"),
            ("/echo", "/rooms/closed", "404"),
            ("/echo", "/rooms/open?color=red", "101"),
            ("\r\n\r\n", "\r\nOrigin: https://api.example.com\r\n\r\n", "101"),
            ("\r\n\r\n", "\r\nOrigin: https://evil.example\r\n\r\n", "403"),
            ("\r\n\r\n", "\r\nOrigin: null\r\n\r\n", "403"),
            ("\r\n\r\n", "\r\nOrigin: https://api.example.com\r\nOrigin: https://evil.example\r\n\r\n", "403"),
        ] {
            let request = HANDSHAKE.replacen(from, to, 1);
            let response = head(address, &request);
            assert_eq!(response.split(' ').nth(1), Some(status), "{request}{response}");
            let needs = status == "426";
            assert_eq!(response.contains("\r\nsec-websocket-version: 13\r\n"), needs, "{request}{response}");
            if needs && !request.contains("HTTP/1.0") {
                let connection = response.lines().filter(|line| line.starts_with("connection:")).collect::<String>();
                assert!(connection.contains("upgrade"), "{request}{response}");
            }
        }
    });
}

#[test]
fn messages_may_follow_the_handshake_in_the_same_packet() {
    on_both_hosts(api, |address| {
        let mut stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        let message = crate::frames::frame(crate::frames::TEXT, b"early");
        stream.write_all(&[HANDSHAKE.as_bytes(), &message].concat()).unwrap();
        let mut received = Vec::new();
        while !received.ends_with(b"\x81\x05early") {
            let mut byte = [0];
            stream.read_exact(&mut byte).unwrap();
            received.extend(byte);
        }
    });
}

#[test]
fn a_response_before_the_upgrade_is_a_problem() {
    let client = TestClient::new(api());
    client.get("/rooms/open").send().assert_status(426).assert_problem("upgrade_required").assert_documented();
    client.block_on(async {
        let response = client.get("/rooms/closed").websocket().await.unwrap_err();
        response.assert_status(404).assert_problem("not_found").assert_documented();
    });
}

#[test]
fn declarations_that_cannot_work_do_not_build() {
    for (route, expected) in [
        (
            Route::post("/echo"),
            "a WebSocket handshake is a `GET` request, but the route is `POST`; write `Route::get(..)`",
        ),
        (
            Route::get("/echo").with(MessageRate::per_second(0)),
            "`MessageRate` allows no message; allow at least 1 message",
        ),
    ] {
        let route = route.id("echo").public().handler(echo);
        let error = Api::builder(Configuration::new("echo", "1.0.0")).controller(route).build().unwrap_err();
        assert!(error.to_string().contains(expected), "{error}");
    }
}

#[test]
fn the_document_contains_the_schemas_of_the_messages() {
    let document =
        |version| serde_json::to_value(Document::with_options(&api(), &DocumentOptions::new(version))).unwrap();
    let document_3_1 = document(OpenApiVersion::V3_1);
    let operation = &document_3_1["paths"]["/rooms/{room}"]["get"];
    let schema = |name: &str| serde_json::json!({ "$ref": format!("#/components/schemas/{name}") });
    assert_eq!(operation["x-websocket"]["receives"], schema("Command"));
    assert_eq!(operation["x-websocket"]["sends"], schema("Notice"));
    for name in ["Command", "Notice"] {
        assert!(document_3_1["components"]["schemas"][name]["oneOf"].is_array(), "{name}");
    }
    for status in ["101", "400", "403", "426"] {
        assert!(operation["responses"][status].is_object(), "{status}");
    }
    let document_3_0 = document(OpenApiVersion::V3_0);
    assert_eq!(document_3_0["paths"]["/rooms/{room}"]["get"]["x-websocket"], operation["x-websocket"]);
}
