//! The export of application spans as children of request spans.

use opentelemetry_proto::tonic::trace::v1::Span;
use opentelemetry_proto::tonic::trace::v1::span::SpanKind;
use restwright::auth::Access;
use restwright::prelude::*;
use restwright::production::{Metrics, Otlp, Tracing};
use restwright::resource::{CommittedChange, Endpoints, Hooks, MemoryStore};
use serde::{Deserialize, Serialize};
use tracing::Instrument;

use super::collector::{Collector, hex, texts};
use super::counter;
use crate::request_log::log;
use crate::server::Server;

#[tracing::instrument(skip_all, fields(order = 17))]
async fn place(token: &str) -> Result<NoContent> {
    tracing::info!(token, "an event");
    charge(token).await;
    Ok(NoContent)
}

#[tracing::instrument(skip_all)]
async fn charge(_token: &str) {
    tokio::task::yield_now().await;
}

#[tracing::instrument]
async fn long(text: &str) {
    tokio::task::yield_now().await;
}

#[tracing::instrument]
async fn later() {
    tokio::task::yield_now().await;
}

#[derive(Clone, Serialize, Deserialize, Resource)]
#[resource(path = "/notes")]
struct Note {
    #[property(id)]
    id: i64,
    title: String,
}

#[derive(Clone)]
struct Mails;

impl Hooks<Note> for Mails {
    async fn after_commit(&self, _: &CommittedChange<Note>) {
        mail().await;
    }
}

#[tracing::instrument]
async fn mail() {
    tokio::task::yield_now().await;
}

fn start(otlp: Otlp) -> Server {
    log();
    let api = Api::builder(Configuration::new("shop", "1.2.3"))
        .middleware(Tracing::new().export(otlp))
        .module(&Metrics::new().public())
        .controller(Route::get("/placed").id("place").public().handler(async |()| place("secret").await))
        .controller(Route::get("/long").id("long").public().handler(async |()| {
            long(&"ä".repeat(1 << 20)).await;
            Ok(NoContent)
        }))
        .controller(Route::get("/later").id("later").public().handler(async |()| {
            tokio::spawn(later().in_current_span()).await.unwrap();
            Ok(NoContent)
        }))
        .controller(Route::get("/outside").id("outside").public().handler(async |()| {
            // A spawned task is not part of the request.
            tokio::spawn(later()).await.unwrap();
            Ok(NoContent)
        }))
        .module(&Endpoints::<Note>::new(MemoryStore::new(), Access::public()).hooks(Mails));
    Server::start(api.build().unwrap())
}

/// The spans of requests to these paths, when the server has stopped.
fn spans(ratio: f64, paths: &[&str]) -> Vec<Span> {
    let collector = Collector::start(Some(200));
    let server = start(Otlp::new(collector.url()).ratio(ratio));
    for path in paths {
        assert_eq!(server.send("GET", path, &[]).status(), 204, "{path}");
    }
    drop(server);
    collector.spans()
}

fn named<'a>(spans: &'a [Span], name: &str) -> &'a Span {
    spans.iter().find(|span| span.name == name).unwrap_or_else(|| panic!("{name}: {spans:?}"))
}

#[test]
fn spans_of_a_handler_are_children_of_the_span_of_its_request() {
    let spans = spans(1.0, &["/placed"]);
    assert_eq!(spans.len(), 3, "{spans:?}");
    let [request, place, charge] = ["GET /placed", "place", "charge"].map(|name| named(&spans, name));
    assert_eq!(
        (request.kind(), place.kind(), &*request.parent_span_id),
        (SpanKind::Server, SpanKind::Internal, &[][..])
    );
    assert_eq!(hex(&place.parent_span_id), hex(&request.span_id));
    assert_eq!(hex(&charge.parent_span_id), hex(&place.span_id));
    for span in [place, charge] {
        assert_eq!((hex(&span.trace_id), span.flags & 1), (hex(&request.trace_id), 1));
        assert!(request.start_time_unix_nano <= span.start_time_unix_nano, "{spans:?}");
        assert!(span.start_time_unix_nano <= span.end_time_unix_nano, "{spans:?}");
        assert!(span.end_time_unix_nano <= request.end_time_unix_nano, "{spans:?}");
    }
    assert_eq!((texts(&place.attributes), texts(&charge.attributes)), (vec!["order=17".to_owned()], vec![]));
    // Events are exported on request only.
    assert!(spans.iter().all(|span| span.events.is_empty()), "{spans:?}");
    assert!(!format!("{spans:?}").contains("secret"));
}

#[test]
fn a_task_belongs_to_the_request_whose_span_it_is_in() {
    let spans = spans(1.0, &["/later", "/outside"]);
    let names: Vec<_> = spans.iter().map(|span| &*span.name).collect();
    assert_eq!(spans.len(), 3, "{names:?}");
    let [request, later, _] = ["GET /later", "later", "GET /outside"].map(|name| named(&spans, name));
    assert_eq!(hex(&later.parent_span_id), hex(&request.span_id));
}

#[test]
fn long_attributes_are_shortened() {
    let spans = spans(1.0, &["/long"]);
    let [text] = &texts(&named(&spans, "long").attributes)[..] else { panic!("{}", spans.len()) };
    assert!(text.starts_with("text=ä"), "{}", text.len());
    assert_eq!(text.chars().count(), "text=".len() + 1024);
}

#[test]
fn hooks_after_a_commit_belong_to_the_request() {
    let collector = Collector::start(Some(200));
    let server = start(Otlp::new(collector.url()));
    let body = r#"{"title":"Buy milk"}"#;
    let head = format!(
        "POST /notes HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    assert_eq!(server.exchange((head + body).as_bytes()).status(), 201);
    drop(server);
    let spans = collector.spans();
    let [request, mail] = ["POST /notes", "mail"].map(|name| named(&spans, name));
    assert_eq!(hex(&mail.parent_span_id), hex(&request.span_id));
}

#[test]
fn spans_of_requests_that_are_not_sampled_are_not_exported() {
    assert_eq!(spans(0.0, &["/placed", "/later"]), []);
}

#[test]
fn every_api_exports_its_own_spans() {
    let collectors = [Collector::start(Some(200)), Collector::start(Some(200))];
    let servers = collectors.each_ref().map(|collector| start(Otlp::new(collector.url())));
    for (server, path) in servers.iter().zip(["/placed", "/later"]) {
        assert_eq!(server.send("GET", path, &[]).status(), 204);
    }
    drop(servers);
    assert_eq!(collectors.map(|collector| collector.spans().len()), [3, 2]);
}

#[test]
fn lost_spans_of_a_handler_are_counted() {
    let collector = Collector::start(Some(503));
    let server = start(Otlp::new(collector.url()));
    assert_eq!(server.send("GET", "/placed", &[]).status(), 204);
    let begin = std::time::Instant::now();
    while counter(&server, "spans_lost_total") < 3 && begin.elapsed().as_secs() < 20 {
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
    assert_eq!([counter(&server, "spans_lost_total"), counter(&server, "spans_exported_total")], [3, 0]);
}
