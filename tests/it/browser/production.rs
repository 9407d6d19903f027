//! Pages of other origins with `Preset::production()`: compression, caches and streams in a browser.

use std::sync::Mutex;

use restwright::body::{Bytes, StreamingBody};
use restwright::prelude::*;
use restwright::production::{Caching, Compression, ContentCoding, Cors, Metrics, Preset};
use serde_json::{Value, json};
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};

use super::{Chromium, TURN, serve};

const CODINGS: [(ContentCoding, &str); 3] =
    [(ContentCoding::Gzip, "gzip"), (ContentCoding::Brotli, "br"), (ContentCoding::Zstd, "zstd")];

#[derive(Response)]
#[response(status = 200, content_type = "text/event-stream")]
struct Events(#[body] StreamingBody);

/// An Api with a stream of events. Each request to `/next` adds an event.
fn api(origin: &str, codings: impl IntoIterator<Item = ContentCoding>) -> Api {
    let production = Preset::production()
        .cors(Cors::new().allow_origin(origin))
        .compression(Compression::new().codings(codings))
        .metrics(Metrics::new().public());
    let stream: &'static Mutex<Option<UnboundedSender<usize>>> = Box::leak(Box::default());
    let events = async |()| {
        let (events, receiver) = unbounded_channel();
        events.send(0).unwrap();
        *stream.lock().unwrap() = Some(events);
        let pieces = futures_util::stream::unfold(receiver, async |mut receiver| {
            let number = receiver.recv().await?;
            Some((Ok(Bytes::from(format!("data: {number} {}\n\n", "x".repeat(200)))), receiver))
        });
        Ok(Events(StreamingBody::new(pieces)))
    };
    let next = async |Next { number }| {
        stream.lock().unwrap().as_ref().unwrap().send(number).unwrap();
        Ok(NoContent)
    };
    let catalogue = async |()| Ok(Data((0..500).map(|number| format!("pet {number}")).collect::<Vec<_>>()));
    Api::builder(Configuration::new("pets", "1.0.0"))
        .module(&production)
        .controller(
            Route::get("/catalogue")
                .id("catalogue")
                .public()
                .middleware(Caching::new("no-cache").tag())
                .handler(catalogue),
        )
        .controller(Route::get("/events").id("events").public().handler(events))
        .controller(Route::get("/next/{number}").id("next").public().handler(next))
        .build()
        .unwrap()
}

#[derive(Request)]
struct Next {
    #[segment]
    number: usize,
}

/// The parts of the catalogue response that a script can read: the coding, the tag and the last pet.
fn catalogue(page: &mut Chromium, service: &str) -> Value {
    page.evaluate(&format!(
        "fetch('{service}/catalogue').then(async (response) => {{
            const header = (name) => response.headers.get(name);
            return [response.status, header('content-encoding'), header('etag'), (await response.json()).data.at(-1)];
        }})"
    ))
}

#[test]
#[ignore = "it needs Chromium, and the gate runs it"]
fn a_page_revalidates_what_came_compressed() {
    let _turn = TURN.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let other = serve(Api::builder(Configuration::new("other", "1.0.0")).build().unwrap());
    let Some(mut page) = Chromium::open(&format!("{other}/nothing")) else { return };
    for (coding, name) in CODINGS {
        let service = serve(api(&other, [coding]));
        let first = catalogue(&mut page, &service);
        assert_eq!(first, json!([200, name, first[2], "pet 499"]));
        let tag = first[2].as_str().unwrap();
        assert!(tag.ends_with(&format!(";{name}\"")), "{tag}");
        // The page receives the cached response, which the browser has revalidated.
        assert_eq!(catalogue(&mut page, &service), first, "{name}");
        let metrics = page.evaluate(&format!("fetch('{service}/metrics').then((response) => response.text())"));
        let counted = |status: &str| {
            let status = format!("http_response_status_code=\"{status}\"");
            let line = metrics.as_str().unwrap().lines().find(|line| {
                line.starts_with("http_server_request_duration_seconds_count")
                    && line.contains("/catalogue")
                    && line.contains(&status)
            });
            line.and_then(|line| line.rsplit(' ').next()).map(str::to_owned)
        };
        assert_eq!((counted("200").as_deref(), counted("304").as_deref()), (Some("1"), Some("1")), "{name}");
    }
}

#[test]
#[ignore = "it needs Chromium, and the gate runs it"]
fn each_event_of_a_compressed_stream_reaches_the_page() {
    let _turn = TURN.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let other = serve(Api::builder(Configuration::new("other", "1.0.0")).build().unwrap());
    let Some(mut page) = Chromium::open(&format!("{other}/nothing")) else { return };
    for (coding, name) in CODINGS {
        let service = serve(api(&other, [coding]));
        let coded = format!(
            "fetch('{service}/events').then(async (response) => {{
                await response.body.cancel();
                return response.headers.get('content-encoding');
            }})"
        );
        assert_eq!(page.evaluate(&coded), json!(name));
        // The page requests the next event after it has received the previous one. An event that is held back would be
        // the last.
        let came = page.evaluate(&format!(
            "new Promise((resolve) => {{
                const [events, came] = [new EventSource('{service}/events'), []];
                const end = (outcome) => {{ events.close(); resolve(outcome); }};
                events.onmessage = (event) => {{
                    came.push(event.data.split(' ')[0]);
                    if (came.length === 5) end(came); else fetch('{service}/next/' + came.length);
                }};
                events.onerror = () => end('an error after ' + came.length);
                setTimeout(() => end('no event after ' + came.length), 10000);
            }})"
        ));
        assert_eq!(came, json!(["0", "1", "2", "3", "4"]), "{name}");
    }
}

#[test]
#[ignore = "it needs Chromium, and the gate runs it"]
fn allows_pages_to_send_the_headers_of_the_preset() {
    let _turn = TURN.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let other = serve(Api::builder(Configuration::new("other", "1.0.0")).build().unwrap());
    let Some(mut page) = Chromium::open(&format!("{other}/nothing")) else { return };
    let service = serve(api(&other, [ContentCoding::Gzip]));
    let trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    for (name, value, expected) in [
        ("traceparent", trace, json!(200)),
        ("tracestate", "a=1", json!(200)),
        ("X-Request-Id", "of-the-page", json!(200)),
        // No part reads this header, so the preflight rejects it.
        ("X-Other", "1", json!(null)),
    ] {
        let headers = json!({ "headers": { name: value } });
        let status = page.evaluate(&format!(
            "fetch('{service}/catalogue', {headers}).then((response) => response.status, () => null)"
        ));
        assert_eq!(status, expected, "{name}");
    }
}
