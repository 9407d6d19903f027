//! Spans of requests, as a collector gets them.

mod application;
mod collector;
mod telemetry;
mod tls;

use std::net::{SocketAddr, TcpListener};
use std::thread::sleep;
use std::time::{Duration, Instant};

use futures_util::stream;
use opentelemetry_proto::tonic::trace::v1::Span;
use opentelemetry_proto::tonic::trace::v1::span::SpanKind;
use opentelemetry_proto::tonic::trace::v1::status::StatusCode;
use restwright::body::{Bytes, StreamingBody};
use restwright::client_address::TrustedProxies;
use restwright::http::HeaderMap;
use restwright::prelude::*;
use restwright::production::{Health, Metrics, Otlp, Preset, RequestLog, TraceContext, Tracing};

use crate::request_log::log;
use crate::server::Server;
use collector::{Batch, Collector, hex, texts};

const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
const SPAN: &str = "00f067aa0ba902b7";

/// Handles any path: `fail`, or the header for another service.
#[derive(Request)]
struct Call {
    #[segment]
    what: String,
    trace: TraceContext,
}

async fn call(Call { what, trace }: Call) -> Result<Data<String>> {
    if what == "fail" {
        return Err(Problem::internal("on purpose"));
    }
    let mut headers = HeaderMap::new();
    trace.outgoing(&mut headers);
    Ok(Data(headers["traceparent"].to_str().unwrap().to_owned()))
}

/// Pieces that come every 100 ms.
#[derive(Response)]
#[response(status = 200, content_type = "text/plain")]
struct Ticks(#[body] StreamingBody);

async fn tick((): ()) -> Result<Ticks> {
    Ok(Ticks(StreamingBody::new(stream::unfold(0, |count| async move {
        tokio::time::sleep(Duration::from_millis(100)).await;
        (count < 3).then(|| (Ok(Bytes::from_static(b"tick")), count + 1))
    }))))
}

fn api(otlp: Otlp, proxies: Option<&str>) -> Result<Api, BuildErrors> {
    log();
    let mut configuration = Configuration::new("shop", "1.2.3");
    if let Some(proxies) = proxies {
        configuration = configuration.trusted_proxies(TrustedProxies::new([proxies]));
    }
    Api::builder(configuration)
        .middleware(Tracing::new().export(otlp))
        .middleware(RequestLog::new())
        .module(&Health::new())
        .module(&Metrics::new().public())
        .controller(Route::get("/calls/{what}").id("call").public().handler(call))
        .controller(Route::get("/ticks").id("tick").public().handler(tick))
        .build()
}

fn start(otlp: Otlp, proxies: Option<&str>) -> Server {
    Server::start(api(otlp, proxies).unwrap())
}

/// The header that a request would send to another service: the trace, the span and the flags.
fn outgoing(server: &Server, headers: &[&str]) -> [String; 3] {
    let reply = server.send("GET", "/calls/a", headers);
    assert_eq!(reply.status(), 200);
    let parent = reply.json()["data"].as_str().unwrap().to_owned();
    let [_, trace, span, flags] = parent.split('-').collect::<Vec<_>>()[..] else { panic!("{parent}") };
    [trace, span, flags].map(str::to_owned)
}

fn milliseconds(span: &Span) -> u64 {
    (span.end_time_unix_nano - span.start_time_unix_nano) / 1_000_000
}

/// The value of a counter in the metrics of the server.
fn counter(server: &Server, name: &str) -> u64 {
    let reply = server.send("GET", "/metrics", &[]);
    let line = reply.text().lines().find(|line| line.starts_with(name)).unwrap_or_else(|| panic!("{}", reply.text()));
    line.rsplit(' ').next().unwrap().parse().unwrap()
}

#[test]
fn a_request_has_a_span() {
    let collector = Collector::start(Some(200));
    let server = start(Otlp::new(collector.url() + "/").header("api-key", "secret"), None);
    let [trace, own, flags] = outgoing(&server, &["X-Request-Id: otlp1"]);
    let spans = collector.wait(1);
    let [span] = &spans[..] else { panic!("{spans:?}") };
    assert_eq!((hex(&span.trace_id), hex(&span.span_id), flags), (trace.clone(), own, "01".to_owned()));
    assert!(log().line("otlp1").contains(&trace));
    assert_eq!((&*span.name, span.kind(), &*span.parent_span_id), ("GET /calls/{what}", SpanKind::Server, &[][..]));
    assert_eq!(
        texts(&span.attributes),
        [
            "http.request.method=GET",
            "http.route=/calls/{what}",
            "client.address=127.0.0.1",
            "http.response.status_code=200"
        ]
    );
    assert!(span.links.is_empty() && span.status.as_ref().is_none_or(|status| status.code() == StatusCode::Unset));
    assert_eq!(span.flags & 1, 1);
    let batch = collector.batches().remove(0);
    assert!(batch.head.starts_with("post /v1/traces http/1.1\r\n"), "{}", batch.head);
    assert!(batch.head.contains("content-type: application/x-protobuf\r\n") && batch.head.contains("api-key: secret"));
    let resource = &batch.message.resource_spans[0];
    let attributes = texts(&resource.resource.as_ref().unwrap().attributes);
    for expected in ["service.name=shop", "service.version=1.2.3"] {
        assert!(attributes.iter().any(|attribute| attribute == expected), "{attributes:?}");
    }
    assert_eq!(resource.scope_spans[0].scope.as_ref().unwrap().name, "restwright");
}

#[test]
fn the_preset_exports_as_well() {
    log();
    let collector = Collector::start(Some(200));
    let preset = Preset::production().tracing(Tracing::new().export(Otlp::new(collector.url())));
    let api = Api::builder(Configuration::new("shop", "1.0.0")).module(&preset.metrics(Metrics::new().public()));
    let route = Route::get("/calls/{what}").id("call").public().handler(call);
    outgoing(&Server::start(api.controller(route).build().unwrap()), &[]);
    assert_eq!(collector.wait(1).len(), 1);
}

#[test]
fn a_span_says_how_its_request_ended() {
    let collector = Collector::start(Some(200));
    let server = start(Otlp::new(collector.url()), None);
    for (method, path, status) in [
        ("GET", "/calls/fail", 500),
        ("GET", "/nothing/secret?token=secret", 404),
        ("BREW", "/calls/a", 405),
        ("GET", "/ticks", 200),
        // Those that operators ask for have no span.
        ("GET", "/livez", 200),
        ("GET", "/metrics", 200),
    ] {
        assert_eq!(server.send(method, path, &[]).status(), status, "{method} {path}");
    }
    drop(server);
    let spans = collector.spans();
    let names: Vec<_> = spans.iter().map(|span| &*span.name).collect();
    assert_eq!(names, ["GET /calls/{what}", "GET", "HTTP", "GET /ticks"]);
    let [failed, unknown, brewed, ticks] = &spans[..] else { panic!("{spans:?}") };
    let has = |span: &Span, attribute: &str| texts(&span.attributes).iter().any(|known| known == attribute);
    assert_eq!(failed.status.as_ref().unwrap().code(), StatusCode::Error);
    assert!(has(failed, "error.type=500") && has(failed, "http.response.status_code=500"));
    assert!(
        has(unknown, "http.response.status_code=404") && unknown.status.as_ref().is_none_or(|status| status.code == 0)
    );
    assert!(has(brewed, "http.request.method=_OTHER"));
    assert!((300..5_000).contains(&milliseconds(ticks)), "{}", milliseconds(ticks));
    assert!(!format!("{spans:?}").contains("secret"));
}

#[test]
fn a_response_that_is_given_up_has_its_span() {
    use std::io::{Read, Write};
    let collector = Collector::start(Some(200));
    let server = start(Otlp::new(collector.url()), None);
    let mut stream = std::net::TcpStream::connect(server.address()).unwrap();
    stream.write_all(b"GET /ticks HTTP/1.1\r\nHost: a\r\n\r\n").unwrap();
    // The head has come, and the response is not at its end.
    stream.read_exact(&mut [0; 12]).unwrap();
    drop(stream);
    let spans = collector.wait(1);
    assert_eq!((spans.len(), &*spans[0].name), (1, "GET /ticks"));
}

#[test]
fn the_trace_of_a_trusted_proxy_decides() {
    let collector = Collector::start(Some(200));
    // Its flag counts, regardless of the sampler here.
    for (ratio, flags, count) in [(0.0, "01", 1), (1.0, "00", 1), (0.0, "00", 1), (1.0, "01", 2)] {
        let server = start(Otlp::new(collector.url()).ratio(ratio), Some("127.0.0.1"));
        let parent = format!("traceparent: 00-{TRACE}-{SPAN}-{flags}");
        let [trace, own, outgoing_flags] = outgoing(&server, &[&parent, "tracestate: a=1"]);
        assert_eq!((&*trace, &*outgoing_flags), (TRACE, flags));
        drop(server);
        let spans = collector.spans();
        assert_eq!(spans.len(), count, "{ratio} {flags}");
        if let Some(span) = spans.last().filter(|_| flags == "01") {
            assert_eq!((hex(&span.trace_id), hex(&span.span_id)), (TRACE.to_owned(), own));
            assert_eq!((hex(&span.parent_span_id), &*span.trace_state), (SPAN.to_owned(), "a=1"));
            assert!(span.links.is_empty());
        }
    }
}

#[test]
fn the_trace_of_a_stranger_is_linked_and_decides_nothing() {
    let collector = Collector::start(Some(200));
    for (ratio, flags, count, expected) in [(0.0, "01", 0, "00"), (1.0, "00", 1, "01"), (1.0, "01", 2, "01")] {
        let server = start(Otlp::new(collector.url()).ratio(ratio), Some("10.0.0.0/8"));
        let parent = format!("traceparent: 00-{TRACE}-{SPAN}-{flags}");
        let [trace, _, outgoing_flags] = outgoing(&server, &[&parent, "tracestate: a=1"]);
        assert_eq!(outgoing_flags, expected);
        drop(server);
        let spans = collector.spans();
        assert_eq!(spans.len(), count, "{ratio} {flags}");
        if let Some(span) = spans.last() {
            assert_eq!((hex(&span.trace_id), &*span.parent_span_id), (trace.clone(), &[][..]));
            assert_ne!(trace, TRACE);
            let [link] = &span.links[..] else { panic!("{span:?}") };
            assert_eq!((hex(&link.trace_id), hex(&link.span_id)), (TRACE.to_owned(), SPAN.to_owned()));
            assert_eq!((link.flags & 1, &*span.trace_state, &*link.trace_state), (0, "", ""));
        }
    }
}

#[test]
fn a_share_of_the_traces_is_recorded() {
    let collector = Collector::start(Some(200));
    let server = start(Otlp::new(collector.url()).ratio(0.5), None);
    let sampled: Vec<_> = (0..100).map(|_| outgoing(&server, &[])).filter(|[_, _, flags]| flags == "01").collect();
    drop(server);
    // 10 and 90 are 8 standard deviations away.
    assert!((10..90).contains(&sampled.len()), "{}", sampled.len());
    let exported: Vec<_> = collector.spans().iter().map(|span| hex(&span.trace_id)).collect();
    assert_eq!(exported, sampled.into_iter().map(|[trace, _, _]| trace).collect::<Vec<_>>());
}

#[test]
fn an_outage_of_the_collector_is_logged_once_and_holds_nothing_up() {
    let collector = Collector::start(Some(503));
    let server = start(Otlp::new(collector.url()), None);
    for _ in 0..4 {
        outgoing(&server, &[]);
        // Each is a separate batch.
        sleep(Duration::from_millis(1_100));
    }
    let begin = Instant::now();
    while counter(&server, "spans_lost_total") < 2 && begin.elapsed() < Duration::from_mins(1) {
        sleep(Duration::from_millis(100));
    }
    let lines = log().lines_with(&collector.url());
    let [line] = &lines[..] else { panic!("{lines:?}") };
    assert!(line.contains("ERROR") && line.contains("spans cannot be exported") && line.contains("503"), "{line}");
    collector.set_status(200);
    // The batch under way may still be lost.
    let begin = Instant::now();
    while collector.spans().is_empty() && begin.elapsed() < Duration::from_mins(1) {
        outgoing(&server, &[]);
        sleep(Duration::from_millis(200));
    }
    sleep(Duration::from_millis(100));
    let lines = log().lines_with(&collector.url());
    let [_, line] = &lines[..] else { panic!("{lines:?}") };
    assert!(line.contains("INFO") && line.contains("spans are exported again") && line.contains("lost="), "{line}");
    assert!(counter(&server, "spans_exported_total") > 0);
}

#[test]
fn spans_that_the_collector_rejects_are_lost() {
    let collector = Collector::start(Some(200));
    collector.set_rejected(2);
    let server = start(Otlp::new(collector.url()), None);
    let address = server.address();
    let requests = "GET /calls/a HTTP/1.1\r\nHost: a\r\n\r\n".repeat(4);
    exchange(address, requests + "GET /calls/a HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
    let count = || [counter(&server, "spans_lost_total"), counter(&server, "spans_exported_total")];
    let begin = Instant::now();
    while (count().iter().sum::<u64>() < 5 || log().lines_with(&collector.url()).is_empty())
        && begin.elapsed() < Duration::from_mins(1)
    {
        sleep(Duration::from_millis(20));
    }
    // They are one batch, unless the time of one ended among them; it rejects no more than it got.
    let sizes = collector.batches().iter().map(Batch::spans).collect::<Vec<_>>();
    let lost = sizes.iter().map(|spans| (*spans).min(2)).sum::<u64>();
    assert_eq!(count(), [lost, 5 - lost], "{sizes:?}");
    let lines = log().lines_with(&collector.url());
    let [line] = &lines[..] else { panic!("{lines:?}") };
    assert!(line.contains("the collector rejected 2 spans: \"too old\\ntoo old") && line.contains("lost="), "{line}");
    assert!(line.len() < 600, "{line}");
}

#[test]
fn spans_without_room_are_lost() {
    let collector = Collector::start(None);
    let server = start(Otlp::new(collector.url()), None);
    // 512 are under way, and 2048 wait.
    let mut requests = "GET /calls/a HTTP/1.1\r\nHost: a\r\n\r\n".repeat(2_999);
    requests += "GET /calls/a HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
    let address = server.address();
    let replies = exchange(address, requests);
    assert_eq!(replies.matches("HTTP/1.1 200").count(), 3_000);
    let lost = counter(&server, "spans_lost_total");
    assert!((440..=952).contains(&lost), "{lost}");
    let begin = Instant::now();
    drop(server);
    let stopped = begin.elapsed();
    // The collector would need 5 s for each of five batches.
    assert!(stopped < Duration::from_secs(20), "{stopped:?}");
    let lines = log().lines_with(&collector.url());
    assert!(lines.iter().any(|line| line.contains("WARN") && line.contains("waiting=")), "{lines:?}");
}

/// Sends requests while their responses are read.
fn exchange(address: SocketAddr, requests: String) -> String {
    use std::io::{Read, Write};
    let mut stream = std::net::TcpStream::connect(address).unwrap();
    let mut writer = stream.try_clone().unwrap();
    let sending = std::thread::spawn(move || writer.write_all(requests.as_bytes()).unwrap());
    let mut replies = String::new();
    stream.read_to_string(&mut replies).unwrap();
    sending.join().unwrap();
    replies
}

#[test]
fn a_collector_that_is_not_there_is_an_outage() {
    let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let server = start(Otlp::new(format!("http://{address}")), None);
    outgoing(&server, &[]);
    let begin = Instant::now();
    drop(server);
    assert!(begin.elapsed() < Duration::from_secs(20));
    let lines = log().lines_with(&format!("http://{address}"));
    let [line] = &lines[..] else { panic!("{lines:?}") };
    assert!(line.contains("refused") && line.contains("lost=1"), "{line}");
}

#[test]
fn mistakes_are_found_when_the_api_is_built() {
    for (otlp, expected) in [
        (Otlp::new("localhost:4318"), "\"localhost:4318\" is not a URL for the collector"),
        (Otlp::new("grpc://localhost:4317"), "is not a URL for the collector"),
        (Otlp::new(""), "is not a URL for the collector"),
        (Otlp::new("http://localhost:4318/v1/traces"), "remove the query and `/v1/traces`"),
        (Otlp::new("http://localhost:4318?a=b"), "remove the query"),
        (Otlp::new("http://ann:secret@localhost:4318"), "contains credentials"),
        (Otlp::new("http://a").ratio(1.5), "`Otlp::ratio` is 1.5"),
        (Otlp::new("http://a").ratio(f64::NAN), "`Otlp::ratio` is NaN"),
        (Otlp::new("http://a").header("api key", "secret"), "\"api key\" is not a header name"),
        (Otlp::new("http://a").header("api-key", "secret\n"), "the value of the header `api-key`"),
    ] {
        assert!(!format!("{otlp:?}").contains("secret\\n"));
        let Err(errors) = api(otlp, None) else { panic!("{expected}") };
        let errors = errors.to_string();
        assert_eq!(errors.matches(expected).count(), 1, "{errors}");
        assert!(!errors.contains("secret"), "{errors}");
    }
    let otlp = Otlp::new("http://a");
    let twice = Api::builder(Configuration::new("shop", "1.0.0")).middleware(Tracing::new());
    let twice = twice.middleware(Tracing::new().export(otlp));
    let route = Route::get("/calls/{what}").id("call").public().handler(call);
    assert!(twice.controller(route).build().err().unwrap().to_string().contains("`Tracing` is registered twice"));
}
