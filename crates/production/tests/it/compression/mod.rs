mod building;
mod clients;
mod conditional;
mod documents;
mod empty;
mod memory;
mod negotiation;
mod requests;
mod responses;
mod streams;

use std::io::{Read, Write};
use std::net::TcpStream;

use restwright::auth::{ApiKey, ApiKeyAuthenticator, KeyList};
use restwright::body::{Bytes, RawBody, StreamedBody, StreamingBody};
use restwright::core::conditional::{EntityTag, Tagged};
use restwright::core::http::{HeaderName, HeaderValue, HttpRequest, HttpResponse, StatusCode};
use restwright::core::{Middleware, Next};
use restwright::prelude::*;
use restwright::production::{BodyAsSent, Caching, Compression, Uncompressed};
use restwright::resource::idempotency::{Idempotency, MemoryIdempotencyStore};
use serde::{Deserialize, Serialize};

use crate::server::Server;

const KEY: &str = "X-Api-Key: shop.4c8c8f55d9a14bb6b4b6b31ce1c6cbd0";

/// A middleware that changes responses.
struct Change(StatusCode, &'static [(&'static str, &'static str)]);

impl Middleware for Change {
    async fn handle(&self, request: &mut HttpRequest, next: Next<'_>) -> Result<HttpResponse> {
        let mut response = next.run(request).await;
        response.set_status(self.0);
        for (name, value) in self.1 {
            response.headers_mut().append(HeaderName::from_static(name), HeaderValue::from_static(value));
        }
        Ok(response)
    }
}

#[derive(Response)]
#[response(status = 200, content_type = "text/plain")]
struct Text(#[body] RawBody);

#[derive(Response)]
#[response(status = 200)]
struct Octets(#[body] RawBody);

#[derive(Response)]
#[response(status = 200, content_type = "text/event-stream")]
struct Events(#[body] StreamingBody);

#[derive(Request)]
struct Size {
    #[segment]
    size: usize,
}

#[derive(Debug, Serialize, Deserialize, Schema)]
struct Note {
    text: String,
}

#[derive(Request)]
struct NewNote {
    #[body]
    note: Note,
}

#[derive(Request)]
struct Upload {
    #[header("Content-Encoding")]
    coding: Option<String>,
    #[header("Content-Length")]
    length: Option<String>,
    #[body]
    body: RawBody,
}

#[derive(Request)]
struct Range {
    #[header("Range")]
    range: Option<String>,
    #[header("If-Range")]
    condition: Option<String>,
}

#[derive(Request)]
struct Pieces {
    #[body]
    body: StreamedBody,
}

/// The length and the coding of what came.
async fn describe(upload: Upload) -> Result<Data<String>> {
    let sum: u64 = upload.body.0.iter().map(|byte| u64::from(*byte)).sum();
    Ok(Data(format!("{} {sum} {:?} {:?}", upload.body.0.len(), upload.coding, upload.length)))
}

async fn count(pieces: Pieces) -> Result<Data<usize>> {
    let StreamedBody(mut body) = pieces.body;
    let mut sum = 0;
    while let Some(piece) = body.next().await {
        sum += piece?.len();
    }
    Ok(Data(sum))
}

/// A text of so many bytes that compression makes smaller.
fn text(size: usize) -> Vec<u8> {
    (0..).flat_map(|line: usize| format!("line {line}: Rex is a dog\n").into_bytes()).take(size).collect()
}

/// Bytes that compression makes no smaller.
fn noise(size: usize) -> Vec<u8> {
    let mut state = 1_u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 56) as u8
    };
    (0..size).map(|_| next()).collect()
}

fn with(path: &str, status: u16, headers: &'static [(&'static str, &'static str)]) -> Route {
    Route::get(path).id(path).public().middleware(Change(StatusCode::from_u16(status).unwrap(), headers))
}

fn api(compression: Compression) -> std::result::Result<Api, BuildErrors> {
    let get = |path: &str| Route::get(path).id(path).public();
    let post = |path: &str| Route::post(path).id(path).public();
    let whole = async |()| Ok(Text(RawBody(text(5000).into())));
    let idempotency = Idempotency::new(MemoryIdempotencyStore::new());
    let key = KEY.strip_prefix("X-Api-Key: ").unwrap().parse::<ApiKey>().unwrap().subject("shop").scopes(["write"]);
    let authenticator = ApiKeyAuthenticator::new(KeyList::new([key]));
    Api::builder(Configuration::new("coded", "1.0.0").authenticator("key", authenticator))
        .middleware(compression)
        .controller(get("/text/{size}").handler(async |size: Size| Ok(Text(RawBody(text(size.size).into())))))
        .controller(get("/noise").handler(async |()| Ok(Text(RawBody(noise(5000).into())))))
        .controller(get("/octets").handler(async |()| Ok(Octets(RawBody(text(5000).into())))))
        .controller(get("/json").handler(async |()| Ok(Data("x".repeat(5000)))))
        .controller(
            get("/broken").handler(async |()| -> Result<NoContent> { Err(Problem::not_found("x".repeat(5000))) }),
        )
        .controller(get("/none").handler(async |()| Ok(NoContent)))
        .controller(get("/version").handler(async |()| Ok(Tagged::new(EntityTag::strong(5), Data("x".repeat(5000))))))
        .controller(get("/small").handler(async |()| Ok(Tagged::new(EntityTag::strong(5), Data("x")))))
        .controller(get("/weak").handler(async |()| Ok(Tagged::new(EntityTag::weak(5), Data("x".repeat(5000))))))
        .controller(get("/content").middleware(Caching::new("no-cache").tag()).handler(whole))
        .controller(with("/foreign", 200, &[("etag", "\"5;own\"")]).handler(whole))
        .controller(with("/part", 206, &[("content-range", "bytes 0-4999/9999")]).handler(whole))
        .controller(with("/ranges", 200, &[("accept-ranges", "bytes")]).handler(whole))
        .controller(with("/no-ranges", 200, &[("accept-ranges", "none")]).handler(whole))
        .controller(with("/coded", 200, &[("content-encoding", "own")]).handler(whole))
        .controller(
            with("/still", 200, &[("cache-control", "private"), ("cache-control", "max-age=1, No-Transform")])
                .handler(whole),
        )
        .controller(with("/cached", 200, &[("cache-control", "private, max-age=1"), ("vary", "X-Shop")]).handler(whole))
        .controller(with("/digest", 200, &[("repr-digest", "sha-256=:x:")]).handler(whole))
        .controller(get("/range").handler(async |range: Range| {
            Ok(Data(format!("{} {}", range.range.unwrap_or_default(), range.condition.unwrap_or_default())))
        }))
        .controller(get("/session").with(Uncompressed).handler(whole))
        .group(Group::new("/account").with(Uncompressed).controller(get("/keys").handler(whole)))
        .controller(get("/pieces").handler(async |()| {
            let pieces = text(300_000).chunks(7000).map(|piece| Ok(Bytes::copy_from_slice(piece))).collect::<Vec<_>>();
            Ok(Events(StreamingBody::new(futures_util::stream::iter(pieces))))
        }))
        .controller(get("/cut").handler(async |()| {
            Ok(Events(StreamingBody::new(futures_util::stream::iter([Ok(Bytes::from(text(100))), Err("cut".into())]))))
        }))
        .controller(get("/nothing").handler(async |()| Ok(Events(StreamingBody::new(futures_util::stream::iter([]))))))
        .controller(post("/notes").handler(async |new: NewNote| Ok(Data(new.note.text.len()))))
        .controller(
            Route::post("/orders")
                .id("order")
                .authorize("key", ["write"])
                .middleware(idempotency)
                .handler(async |new: NewNote| Ok(Data(new.note.text))),
        )
        .controller(post("/raw").handler(describe))
        .controller(post("/count").body_limit(100_000_000).handler(count))
        .controller(post("/webhook").with(BodyAsSent).handler(describe))
        .controller(post("/webhook/json").with(BodyAsSent).handler(async |new: NewNote| Ok(Data(new.note.text.len()))))
        .controller(post("/ignored").handler(async |()| Ok(Data(1))))
        .build()
}

fn server() -> Server {
    Server::start(api(Compression::new()).unwrap())
}

/// A response as it came, without chunks.
struct Wire {
    status: u16,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
    is_complete: bool,
}

impl Wire {
    fn parse(reply: &[u8]) -> Self {
        let end = reply.windows(4).position(|window| window == b"\r\n\r\n").unwrap();
        let head = std::str::from_utf8(&reply[..end]).unwrap();
        let mut lines = head.lines();
        let status = lines.next().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
        let headers: Vec<(String, String)> = lines
            .map(|line| line.split_once(": ").map(|(name, value)| (name.to_lowercase(), value.to_owned())).unwrap())
            .collect();
        let mut body = &reply[end + 4..];
        if !headers.iter().any(|(name, _)| name == "transfer-encoding") {
            return Self { status, headers, body: body.to_vec(), is_complete: true };
        }
        let mut whole = Vec::new();
        loop {
            let Some(end) = body.windows(2).position(|window| window == b"\r\n") else {
                return Self { status, headers, body: whole, is_complete: false };
            };
            let size = usize::from_str_radix(std::str::from_utf8(&body[..end]).unwrap(), 16).unwrap();
            if size == 0 {
                return Self { status, headers, body: whole, is_complete: true };
            }
            let Some(chunk) = body.get(end + 2..end + 2 + size + 2) else {
                return Self { status, headers, body: whole, is_complete: false };
            };
            whole.extend_from_slice(&chunk[..size]);
            body = &body[end + 2 + size + 2..];
        }
    }

    /// The values of a header, joined by commas; empty if there is none.
    fn header(&self, name: &str) -> String {
        let values = self.headers.iter().filter(|(known, _)| known == name).map(|(_, value)| value.as_str());
        values.collect::<Vec<_>>().join(", ")
    }

    fn decoded(&self) -> Vec<u8> {
        let (decoded, outcome) = self.decode();
        outcome.unwrap();
        decoded
    }

    /// The body as far as it can be decoded.
    fn decode(&self) -> (Vec<u8>, std::io::Result<usize>) {
        let mut decoded = Vec::new();
        let outcome = match self.header("content-encoding").as_str() {
            "" => (&*self.body).read_to_end(&mut decoded),
            "gzip" => flate2::read::GzDecoder::new(&*self.body).read_to_end(&mut decoded),
            "br" => brotli::Decompressor::new(&*self.body, 4096).read_to_end(&mut decoded),
            "zstd" => zstd::stream::read::Decoder::new(&*self.body).unwrap().read_to_end(&mut decoded),
            other => panic!("{other}"),
        };
        (decoded, outcome)
    }

    fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.decoded()).unwrap()
    }
}

fn head(server: &Server, line: &str, headers: &[&str]) -> Vec<u8> {
    let mut head = format!("{line} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n", server.address());
    headers.iter().filter(|header| !header.is_empty()).for_each(|header| head.extend([header, "\r\n"]));
    (head + "\r\n").into_bytes()
}

fn exchange(server: &Server, request: &[u8]) -> Wire {
    let mut stream = TcpStream::connect(server.address()).unwrap();
    // The response to a large body may come before its end.
    let _ = stream.write_all(request);
    let mut reply = Vec::new();
    let _ = stream.read_to_end(&mut reply);
    Wire::parse(&reply)
}

fn get(server: &Server, path: &str, headers: &[&str]) -> Wire {
    exchange(server, &head(server, &format!("GET {path}"), headers))
}

fn post(server: &Server, path: &str, coding: &str, body: &[u8]) -> Wire {
    let coding = if coding.is_empty() { String::new() } else { format!("Content-Encoding: {coding}") };
    let length = format!("Content-Length: {}", body.len());
    let mut request = head(server, &format!("POST {path}"), &["Content-Type: application/json", &coding, &length]);
    request.extend_from_slice(body);
    exchange(server, &request)
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn zstd(bytes: &[u8]) -> Vec<u8> {
    zstd::stream::encode_all(bytes, 3).unwrap()
}
