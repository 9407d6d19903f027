#![no_main]
//! Bytes on a connection to a server with endpoints of all kinds. Each response is HTTP/1 and belongs to a request, none is a 408 or a 5xx,
//! and nothing panics. The same bytes in pieces mean the same: the server reads the same requests and sends the same responses. The first
//! byte chooses how the rest is cut.

use std::sync::{Arc, Mutex};

use libfuzzer_sys::fuzz_target;
use restwright::Next;
use restwright::body::{RawBody, StreamedBody, StreamingBody};
use restwright::http::{HttpRequest, HttpResponse};
use restwright::prelude::*;
use restwright_actix::fuzzing::Loopback;
use serde::{Deserialize, Serialize};

#[derive(Request)]
struct Echo {
    #[body]
    body: RawBody,
}

/// The body of the request.
#[derive(Response)]
#[response(status = 200)]
struct Echoed(#[body] RawBody);

#[derive(Request)]
struct Count {
    #[body]
    body: StreamedBody,
}

/// The numbers up to 3.
#[derive(Response)]
#[response(status = 200, content_type = "text/plain")]
struct Numbers(#[body] StreamingBody);

#[derive(Serialize, Deserialize, Schema)]
struct Pet {
    #[property(max_length = 5)]
    name: String,
}

#[derive(Request)]
struct Create {
    #[body]
    body: Pet,
}

/// Notes the head of each request.
struct Recorder(Arc<Mutex<Vec<String>>>);

impl Middleware for Recorder {
    async fn handle(&self, request: &mut HttpRequest, next: Next<'_>) -> Result<HttpResponse> {
        let mut fields = Vec::new();
        request.each_header(&mut |name, value| {
            fields.push((name.to_owned(), String::from_utf8_lossy(value).into_owned()))
        });
        // The names have no order, and the values of a name have one.
        fields.sort_by(|one, other| one.0.cmp(&other.0));
        let fields = fields.iter().map(|(name, value)| format!("\n{name}: {value:?}")).collect::<String>();
        let head = format!("{} {} {:?}{fields}", request.method(), request.path(), request.query());
        self.0.lock().expect("no panic").push(head);
        Ok(next.run(request).await)
    }
}

/// The header field of a response after which the connection closes, as [`responses`] prints it.
const CLOSE: &str = "(\"connection\", \"close\"), ";

/// The heads of the requests, and the responses.
type Exchange = (Vec<String>, Vec<String>);

struct Server {
    loopback: Loopback,
    heads: Arc<Mutex<Vec<String>>>,
}

thread_local! {
    static SERVER: Server = {
        let heads = Arc::default();
        let configuration = Configuration::new("http1", "1.0.0").body_limit(1000);
        let api = Api::builder(configuration)
            .middleware(Recorder(Arc::clone(&heads)))
            .controller(Route::get("/health").id("health").public().handler(async |_: ()| Ok(Data("ok"))))
            .controller(Route::post("/echo").id("echo").public().handler(async |request: Echo| Ok(Echoed(request.body))))
            .controller(Route::post("/pets").id("create").public().handler(async |request: Create| Ok(Data(request.body))))
            .controller(Route::post("/count").id("count").public().handler(count))
            .controller(Route::get("/stream").id("stream").public().handler(async |_: ()| {
                let pieces = ["1", "2", "3"].map(|piece| Ok(piece.into()));
                Ok(Numbers(StreamingBody::new(futures_util::stream::iter(pieces))))
            }))
            .build()
            .expect("an Api");
        Server { loopback: Loopback::new(&api).expect("a runtime"), heads }
    };
}

async fn count(request: Count) -> Result<Data<usize>> {
    let StreamedBody(mut body) = request.body;
    let mut length = 0;
    while let Some(piece) = body.next().await {
        length += piece?.len();
    }
    Ok(Data(length))
}

fuzz_target!(|bytes: &[u8]| {
    let Some((cut, bytes)) = bytes.split_first() else { return };
    SERVER.with(|server| {
        let whole = server.exchange([bytes]);
        let size = usize::from(cut & 15);
        let pieces = if size == 0 {
            let (one, other) = bytes.split_at(bytes.len() * usize::from(cut >> 4) / 16);
            server.exchange([one, other].into_iter().filter(|piece| !piece.is_empty()))
        } else {
            server.exchange(bytes.chunks(size))
        };
        assert_eq!(comparable(&pieces, &whole), comparable(&whole, &pieces));
    });
});

/// An exchange without what depends on how the bytes arrive: a server that rejects a request before its body has arrived closes the connection.
/// Then this response has another header field, and later bytes have no response.
fn comparable(exchange: &Exchange, other: &Exchange) -> Exchange {
    let is_early = |response: &String| response.starts_with("HTTP/1.1 4") && response.contains(CLOSE);
    let ends = [exchange, other].map(|(_, responses)| responses.iter().position(is_early).unwrap_or(usize::MAX));
    let kept = ends[0].min(ends[1]).saturating_add(1);
    let (heads, responses) = exchange;
    let responses = responses.iter().take(kept).map(|response| response.replace(CLOSE, ""));
    (heads.iter().take(kept).cloned().collect(), responses.collect())
}

impl Server {
    /// Returns the heads of the requests, and the responses without dates and generated identifiers.
    fn exchange<'a>(&self, pieces: impl IntoIterator<Item = &'a [u8]>) -> Exchange {
        let sent = self.loopback.serve(pieces);
        let heads = std::mem::take(&mut *self.heads.lock().expect("no panic"));
        let responses = responses(&sent, &heads);
        assert!(heads.len() <= responses.len() && responses.len() <= heads.len() + 1, "{heads:?} {responses:?}");
        (heads, responses)
    }
}

/// Reads responses, of which the first are those to these requests.
fn responses(mut sent: &[u8], heads: &[String]) -> Vec<String> {
    let mut responses = Vec::new();
    while !sent.is_empty() {
        let end = sent.windows(4).position(|window| window == b"\r\n\r\n").expect("a whole head");
        let head = std::str::from_utf8(&sent[..end]).expect("ASCII");
        sent = &sent[end + 4..];
        if head == "HTTP/1.1 100 Continue" {
            continue;
        }
        let mut lines = head.split("\r\n");
        let status = lines.next().expect("a line");
        let code = status.strip_prefix("HTTP/1.").expect("a version").get(2..5).expect("a status");
        assert!(!code.starts_with('5') && code != "408", "{status}");
        let fields: Vec<_> = lines.map(|line| line.split_once(": ").expect("a field")).collect();
        let field = |name: &str| fields.iter().find(|(known, _)| *known == name).map(|(_, value)| *value);
        let request = heads.get(responses.len());
        // A rejected head may contain `HEAD`. Then its response has no body.
        let is_head = request.is_some_and(|head| head.starts_with("HEAD ")) || request.is_none() && sent.is_empty();
        let body = match (is_head, field("content-length"), field("transfer-encoding")) {
            (true, ..) => &[][..],
            (false, Some(length), None) => take(&mut sent, length.parse().expect("a length")),
            (false, None, Some("chunked")) => take(&mut sent, "1\r\n1\r\n1\r\n2\r\n1\r\n3\r\n0\r\n\r\n".len()),
            // Up to the end of the connection.
            (false, None, None) if field("connection") == Some("close") || status.starts_with("HTTP/1.0") => {
                std::mem::take(&mut sent)
            }
            (false, ..) => &[],
        };
        let id = field("x-request-id").expect("an identifier");
        let kept = fields.iter().filter(|(name, _)| !matches!(*name, "date" | "x-request-id"));
        responses.push(format!(
            "{status} {kept:?} {}",
            String::from_utf8_lossy(body).replace(id, "id"),
            kept = kept.collect::<Vec<_>>()
        ));
    }
    responses
}

fn take<'a>(bytes: &mut &'a [u8], length: usize) -> &'a [u8] {
    let (taken, rest) = bytes.split_at_checked(length).expect("a whole body");
    *bytes = rest;
    taken
}
