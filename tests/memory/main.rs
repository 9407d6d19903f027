//! The memory of a worker, while its clients make it keep as much as they can.
//!
//! It is the only test of its process, whose memory it measures.

#![cfg(target_os = "linux")]
#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a helper of a test fails like the test"
)]

use std::collections::HashMap;
use std::error::Error;
use std::future::pending;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::pin::Pin;
use std::process::Command;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use restwright::auth::Access;
use restwright::body::{RawBody, Stream, StreamedBody};
use restwright::files::{ItemStream, UploadedFile};
use restwright::prelude::*;
use restwright::production::Compression;
use restwright::report::SampleValue;
use restwright::resource::{Endpoints, MemoryStore};
use restwright::testing::TestClient;
use restwright::websocket::{Message, WebSocketUpgrade};
use restwright::{Event, EventStream, Host, run};
use serde::{Deserialize, Serialize};

const MIB: usize = 1024 * 1024;
/// The setting whose promise is tested.
const BODY_MEMORY: usize = 64 * MIB;
/// What the connections themselves use, and the allocator.
const NOT_COUNTED: usize = 24 * MIB;
const BODY_LIMIT: usize = 16 * MIB;

#[derive(Request)]
struct Upload {
    #[body]
    body: RawBody,
}

#[derive(Request)]
struct Pieces {
    #[body]
    body: StreamedBody,
}

#[derive(Request)]
struct Items {
    #[body]
    body: ItemStream<HashMap<String, String>>,
}

#[derive(Deserialize, Schema)]
struct Files {
    files: Vec<UploadedFile>,
}

#[derive(Request)]
struct Form {
    #[body(multipart)]
    form: Files,
}

#[derive(Response)]
#[response(status = 200, content_type = "text/plain")]
struct Text(#[body] RawBody);

fn text(length: usize) -> Text {
    Text(RawBody(vec![b'x'; length].into()))
}

/// A row of an export.
#[derive(Clone, Serialize, Deserialize, Resource)]
#[resource(path = "/rows", export)]
struct Row {
    #[property(id)]
    id: i64,
    text: String,
}

/// Returns endpoints with 8 MB of rows, or with 40 MB of long rows.
fn rows(kind: &str) -> Endpoints<Row> {
    let (count, length) = if kind == LONG_ROWS { (200, 200_000) } else { (400, 20_000) };
    let store = MemoryStore::new();
    let endpoints = |store: &MemoryStore| Endpoints::new(store.clone(), Access::public());
    let api = Api::builder(Configuration::new("rows", "1.0.0")).module(&endpoints(&store)).build().unwrap();
    let client = TestClient::new(api);
    for _ in 0..count {
        client.post("/rows").json(&serde_json::json!({"text": "x".repeat(length)})).send().assert_status(201);
    }
    endpoints(&store)
}

/// One event, after which nothing happens.
struct OneEvent(Option<usize>);

impl Stream for OneEvent {
    type Item = Result<Event<String>, Box<dyn Error>>;

    fn poll_next(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.0.take().map_or(Poll::Pending, |length| Poll::Ready(Some(Ok(Event::new("x".repeat(length))))))
    }
}

#[derive(Request)]
struct Socket {
    upgrade: WebSocketUpgrade<bool, bool>,
}

fn api(kind: &str) -> Api {
    let configuration = Configuration::new("memory", "1.0.0").body_limit(BODY_LIMIT).body_memory(BODY_MEMORY);
    let route = |route: Route, id: &str| route.id(id).public();
    Api::builder(configuration)
        .middleware(Compression::new())
        .module(&rows(kind))
        .controller(route(Route::get("/text"), "text").handler(async |()| Ok(text(8 * MIB))))
        .controller(
            route(Route::get("/events"), "events").handler(async |()| Ok(EventStream::new(OneEvent(Some(20_000))))),
        )
        .controller(route(Route::get("/large"), "large").handler(async |()| Ok(EventStream::new(OneEvent(Some(MIB))))))
        .controller(route(Route::get("/sends"), "sends").handler(async |socket: Socket| {
            Ok(socket.upgrade.accept(async |mut socket| {
                // The system buffers the first messages, although the client does not read.
                loop {
                    socket.send_message(Message::Binary(vec![b'x'; MIB].into())).await?;
                }
            }))
        }))
        .controller(route(Route::get("/receives"), "receives").handler(async |socket: Socket| {
            Ok(socket.upgrade.accept(async |mut socket| {
                while socket.receive_message().await.is_some() {}
                Ok(())
            }))
        }))
        .controller(
            route(Route::get("/deaf"), "deaf")
                .handler(async |socket: Socket| Ok(socket.upgrade.accept(async |_socket| pending().await))),
        )
        .controller(route(Route::post("/whole"), "whole").handler(async |upload: Upload| Ok(text(upload.body.0.len()))))
        .controller(route(Route::post("/form"), "form").handler(async |form: Form| Ok(text(form.form.files.len()))))
        .controller(route(Route::post("/items"), "items").handler(async |mut items: Items| {
            while items.body.next().await?.is_some() {}
            Ok(text(0))
        }))
        .controller(route(Route::post("/pieces"), "pieces").handler(async |pieces: Pieces| {
            let StreamedBody(mut body) = pieces.body;
            let mut length = 0;
            while let Some(piece) = body.next().await {
                length += piece?.len();
            }
            Ok(text(length))
        }))
        .build()
        .unwrap()
}

/// Returns the largest memory of the process since the last call, in bytes.
fn peak() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    std::fs::write("/proc/self/clear_refs", "5").unwrap();
    line.trim().trim_end_matches(" kB").parse::<usize>().unwrap() * 1024
}

/// A frame of Zstandard whose window is 8 MiB, and which fills it with zeros and does not end (RFC 8878).
fn window() -> Vec<u8> {
    let mut frame = vec![0x28, 0xB5, 0x2F, 0xFD, 0, 13 << 3];
    for _ in 0..64 {
        // A block that repeats a byte 128 KiB times.
        let header = u32::try_from(1 << 1 | (128 * 1024) << 3).unwrap();
        frame.extend_from_slice(&header.to_le_bytes()[..3]);
        frame.push(0);
    }
    frame
}

fn post(path: &str, fields: &str, length: usize) -> Vec<u8> {
    format!("POST {path} HTTP/1.1\r\nHost: t\r\n{fields}Content-Length: {length}\r\n\r\n").into()
}

fn get(fields: &str) -> Vec<u8> {
    format!("GET /text HTTP/1.1\r\nHost: t\r\n{fields}\r\n").into()
}

/// Returns the memory of the process, in bytes.
fn resident() -> usize {
    usize::try_from(restwright_tests::resident()).unwrap() * 1024
}

/// Sends the same bytes on so many connections, and leaves all of them open for a while. Clients of some kinds read.
fn hold(address: SocketAddr, connections: usize, request: &[u8], seconds: u64, reads: bool) -> Vec<TcpStream> {
    let mut clients = Vec::new();
    for _ in 0..connections {
        let mut client = TcpStream::connect(address).unwrap();
        client.set_write_timeout(Some(Duration::from_secs(5))).unwrap();
        // The server may have given up the client.
        let _ = client.write_all(request);
        client.set_nonblocking(true).unwrap();
        clients.push(client);
    }
    let (begin, mut buffer) = (Instant::now(), vec![0; 64 * 1024]);
    while begin.elapsed() < Duration::from_secs(seconds) {
        if reads {
            clients.iter_mut().for_each(|client| while client.read(&mut buffer).is_ok_and(|count| count > 0) {});
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    clients
}

/// Makes the server keep what one kind of client can make it keep. Returns the largest memory without and with it, and the
/// memory at the end with the bytes that the server counts.
fn measure(kind: &str) -> [usize; 4] {
    let (_, connections, request) = kinds().into_iter().find(|(name, ..)| *name == kind).unwrap();
    let api = api(kind);
    let bound = Host::new(api.clone()).workers(1).bind("127.0.0.1:0").unwrap();
    let (address, stop) = (bound.addresses()[0], bound.stop_handle());
    let server = std::thread::spawn(move || run(bound.serve()));
    drop(hold(address, 1, &get("Connection: close\r\n"), 1, true));
    let idle = peak();
    let seconds = match kind {
        // Exports fill the memory slowly.
        "exports" | LONG_ROWS => 12,
        // The parts and columns are parsed.
        "names of columns" | "names of fields" | "names of files" | "empty files" => 5,
        // Their clients receive or send everything.
        "event streams" | "large events" | "taken messages" | "unsent messages" | "messages that nothing takes" => 3,
        _ => 1,
    };
    let clients = hold(address, connections, &request, seconds, kind == "large events");
    let (peak, resident) = (peak(), resident());
    let report = api.report();
    let counted = report.samples().iter().find(|sample| sample.name() == "server_memory_bytes").unwrap().value();
    let SampleValue::Gauge(counted) = counted else { panic!("{counted:?}") };
    drop(clients);
    stop.stop();
    server.join().unwrap().unwrap();
    [idle, peak, resident, counted as usize]
}

const LONG_ROWS: &str = "exports of long rows";

type Kind = (&'static str, usize, Vec<u8>);

/// The kinds of clients: a name, the number of connections, and the bytes that each of them sends.
fn kinds() -> Vec<Kind> {
    let zeros = vec![0; MIB];
    let with = |head: Vec<u8>, rest: &[u8]| [&*head, rest].concat();
    let chunked = b"POST /whole HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n200000\r\n";
    let unfinished = b"GET /text HTTP/1.1\r\nHost: t\r\nX-Field: ";
    let form = |part: &str, count| {
        let part = format!("--X\r\nContent-Disposition: form-data; {part}\r\n\r\n\r\n");
        with(post("/form", "Content-Type: multipart/form-data; boundary=X\r\n", MIB + 1), part.repeat(count).as_bytes())
    };
    let long = "x".repeat(7_900);
    let upgrade = |path: &str, messages: &[u8]| {
        let head = format!("GET {path} HTTP/1.1\r\nHost: t\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n");
        let key = "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
        [head.as_bytes(), key.as_bytes(), messages].concat()
    };
    // A binary message of 1 MiB, and the first frame of such a message, both without a mask.
    let frame = |first: u8| [&[first, 0xff, 0, 0, 0, 0, 0, 0x10, 0, 0, 0, 0, 0, 0][..], &zeros].concat();
    let events = |path: &str, coding: &str| {
        format!("GET {path} HTTP/1.1\r\nHost: t\r\nAccept-Encoding: {coding}\r\n\r\n").into_bytes()
    };
    let columns = format!("{}\nx", "x".repeat(MIB - 100));
    vec![
        ("streamed windows", 150, with(post("/pieces", "Content-Encoding: zstd\r\n", 300), &window())),
        ("windows", 150, with(post("/whole", "Content-Encoding: zstd\r\n", 300), &window())),
        ("heads", 1_000, with(unfinished.to_vec(), &[b'x'; 120_000])),
        ("bodies", 200, with(post("/whole", "", MIB + 1), &zeros)),
        ("lines", 200, with(post("/items", "Content-Type: application/jsonl\r\n", MIB + 1), &[b'x'; MIB])),
        ("cells", 200, with(post("/items", "Content-Type: text/csv\r\n", MIB + 1), &[b'x'; MIB])),
        ("names of columns", 200, with(post("/items", "Content-Type: text/csv\r\n", 2 * MIB), columns.as_bytes())),
        ("names of fields", 200, form(&format!("name={long}"), 115)),
        ("names of files", 200, form(&format!("name=files; filename={long}"), 115)),
        ("empty files", 400, form("name=files; filename=a", 990)),
        ("bodies of unknown length", 200, with(chunked.to_vec(), &zeros)),
        ("responses", 100, get("")),
        ("exports", 100, b"GET /rows HTTP/1.1\r\nHost: t\r\nAccept: text/csv\r\n\r\n".to_vec()),
        (LONG_ROWS, 60, b"GET /rows HTTP/1.1\r\nHost: t\r\nAccept: application/jsonl\r\n\r\n".to_vec()),
        ("event streams", 300, events("/events", "zstd")),
        ("large events", 150, events("/large", "identity")),
        ("unsent messages", 300, upgrade("/sends", &[])),
        ("incomplete messages", 200, upgrade("/receives", &frame(0x82)[..MIB - 1])),
        ("first frames of messages", 200, upgrade("/receives", &frame(0x02))),
        ("taken messages", 200, upgrade("/receives", &frame(0x82))),
        ("messages that nothing takes", 200, upgrade("/deaf", &frame(0x82))),
        ("compressed responses", 300, get("Accept-Encoding: br\r\n")),
    ]
}

/// The name of the kind that a process measures.
const KIND: &str = "RESTWRIGHT_MEMORY_KIND";

#[test]
fn memory_stays_within_the_setting() {
    if let Ok(kind) = std::env::var(KIND) {
        let [idle, peak, resident, counted] = measure(&kind);
        println!("MEASURED {idle} {peak} {resident} {counted}");
        return;
    }
    let mut failures = Vec::new();
    for (kind, connections, _) in kinds() {
        // Each in a separate process, since an allocator may keep what is freed.
        let output = Command::new(std::env::current_exe().unwrap())
            .args(["--nocapture", "memory_stays_within_the_setting"])
            .env(KIND, kind)
            // Otherwise glibc keeps the buffers of messages after they are freed. With the 128 KiB of the guide it keeps
            // the smaller ones of the sockets, up to 35 MiB, which hides whether the server still counts what it holds.
            .envs(kind.contains("messages").then_some(("GLIBC_TUNABLES", "glibc.malloc.mmap_threshold=16384")))
            .output()
            .unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let line =
            text.lines().find_map(|line| line.split_once("MEASURED ")).unwrap_or_else(|| panic!("{kind}: {text}"));
        let numbers: Vec<usize> = line.1.split(' ').map(|number| number.parse().unwrap()).collect();
        let [idle, peak, resident, counted] = numbers[..] else { panic!("{numbers:?}") };
        println!(
            "{kind}: {connections} connections, {} MiB, {} MiB before, {} MiB at the end, {} MiB of them counted",
            peak / MIB,
            idle / MIB,
            resident / MIB,
            counted / MIB
        );
        if peak > idle + BODY_MEMORY / 5 * 6 || resident > idle + counted / 4 * 5 + NOT_COUNTED {
            failures.push(kind);
        }
    }
    assert!(failures.is_empty(), "more than 1.2 times the setting, or than the server counts: {failures:?}");
}
