mod limits;
mod listener;
mod service;

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::sleep;
use std::time::Duration;

use futures_util::stream;
use restwright::Next;
use restwright::auth::{ApiKey, ApiKeyAuthenticator, KeyList};
use restwright::body::{Bytes, StreamedBody, StreamingBody};
use restwright::http::{HttpRequest, HttpResponse};
use restwright::prelude::*;
use restwright::production::{Health, Metrics};
use restwright::rate_limit::{Quota, RateLimit};
use restwright::report::{Report, SampleValue};
use restwright::{Component, ComponentError, Host};

use crate::server::Server;
use listener::{ask, free_address};

const KEY: &str = "X-Api-Key: scraper.4c8c8f55d9a14bb6b4b6b31ce1c6cbd0";

#[derive(Request)]
struct ViewPet {
    #[segment]
    id: i64,
}

#[derive(Debug, serde::Deserialize, Schema)]
struct NewPet {
    name: String,
}

#[derive(Request)]
struct CreatePet {
    #[body]
    pet: NewPet,
}

#[derive(Request)]
struct Upload {
    #[body]
    file: StreamedBody,
}

/// Reads 200 bytes at least, and drops the rest.
async fn upload(Upload { file }: Upload) -> Result<Data<usize>> {
    let (mut file, mut read) = (file.0, 0);
    while read < 200 {
        let Some(piece) = file.next().await else { break };
        read += piece?.len();
    }
    Ok(Data(read))
}

#[derive(Response)]
#[response(status = 200, content_type = "text/plain")]
struct Ticks(#[body] StreamingBody);

/// A component that is ready as it is told, and reports values, of which some are no metrics.
#[derive(Clone, Default)]
struct Pool(Arc<AtomicBool>);

impl Component for Pool {
    fn name(&self) -> &str {
        "pool \"a\\b\"\n"
    }

    async fn ready(&self) -> std::result::Result<(), ComponentError> {
        if self.0.load(Ordering::Relaxed) { Err("gone".into()) } else { Ok(()) }
    }

    fn report(&self, report: &mut Report) {
        report.gauge("pool_connections", "Open\nconnections.", 4.5);
        report.labelled("pool_timeouts", "Timeouts.", [("kind", "\"slow\"")], SampleValue::Counter(2));
        report.labelled("pool_timeouts", "Timeouts.", [("kind", "gone")], SampleValue::Counter(3));
        report.labelled("pool_timeouts", "Timeouts.", [("kind", "gone")], SampleValue::Counter(9));
        report.gauge("pool_timeouts", "Another type.", 1.0);
        report.gauge("no name", "No name.", 1.0);
        report.gauge("http_server_active_requests", "Another's name.", 1.0);
    }
}

fn builder(metrics: &Metrics) -> restwright::ApiBuilder {
    let key = KEY.strip_prefix("X-Api-Key: ").unwrap().parse::<ApiKey>().unwrap().scopes(["metrics"]);
    let keys = ApiKeyAuthenticator::new(KeyList::new([key]));
    let get = |path: &str| Route::get(path).id(path).public();
    let slow = async |()| {
        tokio::time::sleep(Duration::from_millis(600)).await;
        Ok(Data("late"))
    };
    let limited = get("/limited").middleware(RateLimit::global("few", Quota::per_hour(2)));
    Api::builder(Configuration::new("metrics", "1.0.0").authenticator("key", keys))
        .module(metrics)
        .controller(get("/pets/{id}").handler(async |pet: ViewPet| Ok(Data(pet.id))))
        .controller(Route::post("/pets").id("create").public().handler(async |new: CreatePet| Ok(Data(new.pet.name))))
        .controller(Route::put("/files").id("upload").public().handler(upload))
        .controller(get("/panic").handler(async |()| -> Result<Data<i64>> { panic!("a bug") }))
        .controller(get("/slow").handler(slow))
        .controller(get("/ticks").handler(async |()| Ok(Ticks(ticks()))))
        .controller(limited.handler(async |()| Ok(Data("in"))))
        .module(&Health::new())
}

/// Three pieces of 5 bytes, 100 ms apart.
fn ticks() -> StreamingBody {
    StreamingBody::new(stream::unfold(0, |number| async move {
        tokio::time::sleep(Duration::from_millis(100)).await;
        (number < 3).then(|| (Ok(Bytes::from_static(b"tick\n")), number + 1))
    }))
}

fn start(metrics: &Metrics) -> Server {
    Server::start(builder(metrics).build().unwrap())
}

/// The samples of a scrape, values by their name and labels; without buckets and sums of histograms.
fn samples(text: &str) -> BTreeMap<String, f64> {
    let mut samples = BTreeMap::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let (name, value) = line.rsplit_once(' ').unwrap();
        let known = samples.insert(name.to_owned(), value.parse().unwrap());
        assert_eq!(known, None, "{name} twice");
    }
    samples.retain(|name, _| !name.contains("_bucket{") && !name.contains("_sum{"));
    samples
}

fn scraped(server: &Server) -> BTreeMap<String, f64> {
    samples(server.send("GET", "/metrics", &[]).body())
}

fn duration(method: &str, route: &str, status: &str) -> String {
    let route = if route.is_empty() { String::new() } else { format!(",http_route=\"{route}\"") };
    let status = if status.is_empty() { String::new() } else { format!(",http_response_status_code=\"{status}\"") };
    format!("http_server_request_duration_seconds_count{{http_request_method=\"{method}\"{route}{status}}}")
}

#[test]
fn requests_are_counted_by_method_template_and_status() {
    let server = start(&Metrics::new().public());
    let requests = [
        ("GET", "/pets/4711?secret", 3, duration("GET", "/pets/{id}", "200")),
        ("HEAD", "/pets/4711", 2, duration("HEAD", "/pets/{id}", "200")),
        ("GET", "/pets/x", 1, duration("GET", "/pets/{id}", "422")),
        ("GET", "/panic", 2, duration("GET", "/panic", "500")),
        ("GET", "/nothing/4711", 2, duration("GET", "", "404")),
        ("DELETE", "/pets/4711", 1, duration("DELETE", "", "405")),
        ("BREW", "/pets/4711", 1, duration("_OTHER", "", "405")),
    ];
    for (method, path, times, _) in &requests {
        (0..*times).for_each(|_| drop(server.send(method, path, &[])));
    }
    // What operators ask for is not counted.
    for path in ["/livez", "/readyz", "/metrics"] {
        assert_eq!(server.send("GET", path, &[]).status(), 200);
    }
    let metrics = scraped(&server);
    let durations: Vec<_> = metrics.iter().filter(|(name, _)| name.contains("_duration_seconds_count")).collect();
    for (_, _, times, name) in &requests {
        assert_eq!(metrics.get(name), Some(&f64::from(*times)), "{name} in {durations:?}");
    }
    assert_eq!(durations.len(), requests.len(), "{durations:?}");
    assert!(metrics.keys().all(|name| !name.contains("4711") && !name.contains("BREW") && !name.contains("secret")));
}

#[test]
fn bytes_of_bodies_are_counted() {
    let server = start(&Metrics::new().public());
    let body = format!(r#"{{"name":"{}"}}"#, "a".repeat(300));
    let head = "POST /pets HTTP/1.1\r\nHost: t\r\nConnection: close\r\nContent-Type: application/json\r\n";
    let framings = [
        format!("{head}Content-Length: {}\r\n\r\n{body}", body.len()),
        format!("{head}Transfer-Encoding: chunked\r\n\r\n{:x}\r\n{body}\r\n0\r\n\r\n", body.len()),
    ];
    for request in framings {
        assert_eq!(server.exchange(request.as_bytes()).status(), 200);
    }
    let head = "PUT /files HTTP/1.1\r\nHost: t\r\nConnection: close\r\nContent-Type: application/octet-stream\r\n";
    for length in [150, 350] {
        let request = format!("{head}Content-Length: {length}\r\n\r\n{}", "a".repeat(length));
        assert_eq!(server.exchange(request.as_bytes()).status(), 200);
    }
    server.send("GET", "/pets/4711", &[]);
    assert_eq!(server.send("GET", "/ticks", &[]).status(), 200);
    let text = server.send("GET", "/metrics", &[]);
    let sent = r#"{"data":""}"#.len() + 300;
    for line in [
        format!(
            "http_server_request_body_size_bytes_sum{{http_request_method=\"POST\",http_route=\"/pets\"}} {}.0",
            2 * body.len()
        ),
        format!(
            "http_server_response_body_size_bytes_sum{{http_request_method=\"POST\",http_route=\"/pets\"}} {}.0",
            2 * sent
        ),
        r#"http_server_request_body_size_bytes_bucket{le="1024.0",http_request_method="POST",http_route="/pets"} 2"#.into(),
        r#"http_server_request_body_size_bytes_bucket{le="256.0",http_request_method="POST",http_route="/pets"} 0"#.into(),
        r#"http_server_request_body_size_bytes_sum{http_request_method="GET",http_route="/pets/{id}"} 0.0"#.into(),
        r#"http_server_request_body_size_bytes_sum{http_request_method="PUT",http_route="/files"} 500.0"#.into(),
        r#"http_server_response_body_size_bytes_sum{http_request_method="GET",http_route="/pets/{id}"} 13.0"#.into(),
        r#"http_server_response_body_size_bytes_sum{http_request_method="GET",http_route="/ticks"} 15.0"#.into(),
        // A stream takes until its end.
        r#"http_server_request_duration_seconds_bucket{le="0.25",http_request_method="GET",http_route="/ticks",http_response_status_code="200"} 0"#.into(),
        r#"http_server_request_duration_seconds_bucket{le="5.0",http_request_method="GET",http_route="/ticks",http_response_status_code="200"} 1"#.into(),
    ] {
        assert!(text.body().lines().any(|known| known == line), "{line}\n{}", text.body());
    }
}

/// Gives up what takes 300 ms.
struct Impatient;

impl Middleware for Impatient {
    async fn handle(&self, request: &mut HttpRequest, next: Next<'_>) -> Result<HttpResponse> {
        let response = tokio::time::timeout(Duration::from_millis(300), next.run(request)).await;
        response.map_err(|late| Problem::unavailable(late.to_string()))
    }
}

#[test]
fn requests_under_way_are_counted_and_those_that_are_given_up_have_no_status() {
    let late = async |()| {
        tokio::time::sleep(Duration::from_secs(60)).await;
        Ok(Data("late"))
    };
    let api = Api::builder(Configuration::new("slow", "1.0.0"))
        .middleware(Impatient)
        .module(&Metrics::new().public())
        .controller(Route::get("/slow").id("slow").public().handler(late));
    let server = Server::start(api.build().unwrap());
    let mut client = TcpStream::connect(server.address()).unwrap();
    client.write_all(b"GET /slow HTTP/1.1\r\nHost: t\r\nConnection: close\r\n\r\n").unwrap();
    sleep(Duration::from_millis(100));
    let active = r#"http_server_active_requests{http_request_method="GET"}"#;
    // The scrape itself is not counted.
    assert_eq!(scraped(&server)[active], 1.0);
    client.read_to_string(&mut String::new()).unwrap();
    let metrics = scraped(&server);
    assert_eq!((metrics[active], metrics.get(&duration("GET", "/slow", ""))), (0.0, Some(&1.0)), "{metrics:?}");
}

#[test]
fn the_server_its_limits_and_its_components_are_reported() {
    let pool = Pool::default();
    let api = builder(&Metrics::new().public()).component(pool.clone()).component(pool.clone()).build().unwrap();
    let server = Server::with(Host::new(api).workers(2).max_connections(77));
    let _idle = TcpStream::connect(server.address()).unwrap();
    (0..5).for_each(|_| drop(server.send("GET", "/limited", &[])));
    sleep(Duration::from_millis(100));
    let expected = |is_ready: f64| {
        [
            (r#"server_connections{component="server"}"#, 2.0),
            (r#"server_connections_max{component="server"}"#, 77.0),
            (r#"server_workers{component="server"}"#, 2.0),
            (r#"server_refused_requests_total{component="server"}"#, 0.0),
            (r#"rate_limit_admitted_requests_total{component="rate limits in memory",limit="few"}"#, 2.0),
            (r#"rate_limit_refused_requests_total{component="rate limits in memory",limit="few"}"#, 3.0),
            (r#"rate_limit_uncharged_requests_total{component="rate limits in memory",limit="few"}"#, 0.0),
            (r#"component_ready{component="server"}"#, 1.0),
            (r#"component_ready{component="rate limits in memory"}"#, 1.0),
            (r#"component_ready{component="pool \"a\\b\"\n"}"#, is_ready),
            (r#"pool_connections{component="pool \"a\\b\"\n"}"#, 4.5),
            (r#"pool_connections{component="pool \"a\\b\"\n 2"}"#, 4.5),
            (r#"pool_timeouts_total{component="pool \"a\\b\"\n",kind="\"slow\""}"#, 2.0),
            (r#"pool_timeouts_total{component="pool \"a\\b\"\n",kind="gone"}"#, 3.0),
        ]
    };
    let reply = server.send("GET", "/metrics", &[]);
    let metrics = samples(reply.body());
    for (name, value) in expected(1.0) {
        assert_eq!(metrics.get(name), Some(&value), "{name} in {metrics:#?}");
    }
    assert!(!reply.body().contains("no name") && !reply.body().contains("Another"), "{}", reply.body());
    assert!(!reply.body().contains("\npool_timeouts{"), "{}", reply.body());
    pool.0.store(true, Ordering::Relaxed);
    sleep(Duration::from_millis(1_100));
    let metrics = scraped(&server);
    for (name, value) in expected(0.0) {
        assert_eq!(metrics.get(name), Some(&value), "{name}");
    }
}

#[test]
fn a_worker_that_is_full_is_seen() {
    let configuration = Configuration::new("full", "1.0.0").max_concurrent(1);
    let slow = async |()| {
        tokio::time::sleep(Duration::from_millis(500)).await;
        Ok(Data("late"))
    };
    let api = Api::builder(configuration)
        .module(&Metrics::new().public())
        .controller(Route::get("/slow").id("slow").public().handler(slow))
        .build();
    let server = Server::start(api.unwrap());
    let mut client = TcpStream::connect(server.address()).unwrap();
    client.write_all(b"GET /slow HTTP/1.1\r\nHost: t\r\nConnection: close\r\n\r\n").unwrap();
    sleep(Duration::from_millis(100));
    assert_eq!(server.send("GET", "/slow", &[]).status(), 503);
    client.read_to_string(&mut String::new()).unwrap();
    assert_eq!(scraped(&server)[r#"server_refused_requests_total{component="server"}"#], 1.0);
}

#[test]
fn the_format_is_the_one_that_is_accepted() {
    let (plain, open) =
        ("text/plain; version=0.0.4; charset=utf-8", "application/openmetrics-text; version=1.0.0; charset=utf-8");
    // What Prometheus 3 sends.
    let prometheus = "application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,application/openmetrics-text;version=0.0.1;q=0.5,\
                      text/plain;version=1.0.0;escaping=allow-utf-8;q=0.4,text/plain;version=0.0.4;q=0.3,*/*;q=0.2";
    let cases = [
        ("", plain),
        ("Accept: */*", plain),
        ("Accept: text/html,application/xhtml+xml,*/*;q=0.8", plain),
        ("Accept: application/openmetrics-text;q=0, text/plain", plain),
        ("Accept: Application/OpenMetrics-Text; version=1.0.0", open),
        (&format!("Accept: {prometheus}"), open),
    ];
    let address = free_address();
    let listening = start(&Metrics::new().listener_at(address.to_string()));
    let routed = start(&Metrics::new().public());
    listening.send("GET", "/pets/1", &[]);
    routed.send("GET", "/pets/1", &[]);
    for (accept, content_type) in cases {
        let headers: Vec<_> = [accept].into_iter().filter(|line| !line.is_empty()).collect();
        for reply in [routed.send("GET", "/metrics", &headers), ask(address, "GET", "/metrics", &headers)] {
            assert_eq!(reply.header("content-type").as_deref(), Some(content_type), "{accept}");
            assert_eq!(reply.header("vary").as_deref(), Some("Accept"));
            assert_eq!(reply.body().ends_with("# EOF\n"), content_type == open);
            let counter =
                if content_type == open { "server_refused_requests" } else { "server_refused_requests_total" };
            for line in [
                format!("# TYPE {counter} counter"),
                format!("# HELP {counter} Requests rejected with 503 because their worker was full."),
                "# TYPE http_server_request_duration_seconds histogram".to_owned(),
            ] {
                assert!(reply.body().lines().any(|known| known == line), "{line}\n{}", reply.body());
            }
            assert_eq!(
                reply.body().contains("# UNIT http_server_request_duration_seconds seconds"),
                content_type == open
            );
        }
    }
}

#[test]
fn a_route_is_for_whom_it_declares() {
    let server = start(&Metrics::new().authorize("key", ["metrics"]));
    assert_eq!(server.send("GET", "/metrics", &[]).status(), 401);
    assert_eq!(server.send("GET", "/metrics", &[KEY]).status(), 200);
}

fn build_error(metrics: &[Metrics]) -> String {
    let mut api = Api::builder(Configuration::new("metrics", "1.0.0"));
    for metrics in metrics {
        api = api.module(metrics);
    }
    let get = |path: &str| Route::get(path).id(path).public().handler(async |()| Ok(Data("ok")));
    api.controller(get("/a")).controller(get("/b")).build().unwrap_err().to_string()
}

#[test]
fn metrics_that_are_nowhere_to_be_read_are_an_error() {
    for (metrics, expected) in [
        (vec![Metrics::new()], "`Metrics` has neither a listener nor a route; add `.listener()`"),
        (
            vec![Metrics::new().listener_at("localhost")],
            "\"localhost\" is not an address for the metrics; pass `Metrics::listener_at`",
        ),
        (vec![Metrics::new().listener(), Metrics::new().public()], "`Metrics` is registered twice"),
    ] {
        let error = build_error(&metrics);
        assert!(error.contains(expected) && error.matches(expected).count() == 1, "{error}");
    }
}
