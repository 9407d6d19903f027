use restwright::ApiBuilder;
use restwright::openapi::Document;
use restwright::prelude::*;
use restwright::production::{
    Compression, Cors, Health, Metrics, Preset, RequestLog, SecurityHeaders, TraceContext, Tracing,
};
use restwright::rate_limit::{Quota, RateLimit, RateLimitFields};

use crate::request_log::{Log, log};
use crate::server::Server;

const PAGE: &str = "Origin: https://shop.example.com";

#[derive(Request)]
struct ViewPet {
    #[segment]
    id: i64,
    trace: TraceContext,
}

#[derive(serde::Deserialize, Schema)]
struct NewPet {
    name: String,
}

#[derive(Request)]
struct RenamePet {
    #[body]
    pet: NewPet,
}

async fn rename(RenamePet { pet }: RenamePet) -> Result<Data<String>> {
    Ok(Data(pet.name))
}

async fn view(ViewPet { id, trace }: ViewPet) -> Result<Data<String>> {
    Ok(Data(format!("{id} {} {}", trace.trace_id(), "x".repeat(2_000))))
}

fn api(preset: &Preset) -> std::result::Result<Api, BuildErrors> {
    with_routes(builder().module(preset))
}

fn builder() -> ApiBuilder {
    Api::builder(Configuration::new("pets", "1.0.0"))
}

fn with_routes(api: ApiBuilder) -> std::result::Result<Api, BuildErrors> {
    api.controller(Route::get("/pets/{id}").id("viewPet").public().handler(view))
        .controller(Route::post("/pets").id("renamePet").public().handler(rename))
        .controller(Route::get("/long").id("viewLong").public().handler(async |()| Ok(Data("x".repeat(2_000)))))
        .build()
}

#[test]
fn a_request_log_next_to_the_preset_is_one_error() {
    let twice = [
        with_routes(builder().module(&preset()).middleware(RequestLog::new())),
        with_routes(builder().middleware(RequestLog::new()).middleware(RequestLog::new())),
    ];
    for errors in twice.map(|built| built.err().unwrap()) {
        let [error] = errors.messages() else { panic!("{errors}") };
        assert!(
            error.contains("`RequestLog` is registered twice") && error.contains("`Preset::request_log`"),
            "{error}"
        );
    }
}

fn preset() -> Preset {
    Preset::production().cors(cors()).metrics(Metrics::new().public())
}

fn cors() -> Cors {
    Cors::new().allow_origin("https://shop.example.com")
}

/// The parts of [`preset`], each registered itself.
fn parts() -> Api {
    let api = builder().middleware(Tracing::new()).middleware(RequestLog::new()).module(&Metrics::new().public());
    let api = api.middleware(cors()).middleware(Compression::new()).middleware(SecurityHeaders::new());
    with_routes(api.module(&Health::new())).unwrap()
}

#[test]
fn a_page_may_send_the_headers_that_the_parts_read() {
    let server = Server::start(api(&preset()).unwrap());
    let preflight =
        [PAGE, "Access-Control-Request-Method: GET", "Access-Control-Request-Headers: traceparent,x-request-id"];
    let allowed = server.send("OPTIONS", "/pets/7", &preflight).header("access-control-allow-headers").unwrap();
    assert_eq!(allowed.to_lowercase(), "x-request-id, traceparent, tracestate");
}

/// The names of the headers about limits of a response, and of those that pages may read.
fn limit_headers(configuration: Configuration) -> [String; 2] {
    let limit = RateLimit::per_ip("clients", Quota::per_minute(60));
    let route = Route::get("/limited").id("limited").public().middleware(limit).handler(async |()| Ok(NoContent));
    let server = Server::start(Api::builder(configuration).module(&preset()).controller(route).build().unwrap());
    let reply = server.send("GET", "/limited", &[PAGE]);
    let exposed = reply.header("access-control-expose-headers").unwrap().to_lowercase();
    let names = ["ratelimit", "ratelimit-policy", "x-ratelimit-limit"];
    let sent = names.into_iter().filter(|name| reply.header(name).is_some());
    let readable = names.into_iter().filter(|name| exposed.split(", ").any(|one| one == *name));
    [sent.collect::<Vec<_>>().join(" "), readable.collect::<Vec<_>>().join(" ")]
}

#[test]
fn responses_have_the_fields_of_the_draft_and_pages_may_read_them() {
    let configuration = || Configuration::new("pets", "1.0.0");
    let both = "ratelimit ratelimit-policy x-ratelimit-limit";
    assert_eq!(limit_headers(configuration()), [both, both]);
    let customary = limit_headers(configuration().with(RateLimitFields::Customary));
    assert_eq!(customary, ["x-ratelimit-limit", "x-ratelimit-limit"]);
}

#[test]
fn caches_store_neither_health_nor_metrics() {
    let server = Server::start(api(&preset()).unwrap());
    for path in ["/livez", "/readyz", "/metrics"] {
        let reply = server.send("GET", path, &[]);
        assert_eq!((reply.status(), reply.header("cache-control").as_deref()), (200, Some("no-store")), "{path}");
    }
}

#[test]
fn all_parts_do_their_work_together() {
    let log = log();
    let server = Server::start(api(&preset()).unwrap());

    let reply = server.send("HEAD", "/pets/7", &[PAGE, "Accept-Encoding: gzip", "X-Request-Id: preset-1"]);
    assert_eq!(reply.status(), 200);
    for (name, value) in [
        ("access-control-allow-origin", "https://shop.example.com"),
        ("content-encoding", "gzip"),
        ("x-content-type-options", "nosniff"),
        ("referrer-policy", "no-referrer"),
        ("x-request-id", "preset-1"),
    ] {
        assert_eq!(reply.header(name).as_deref(), Some(value), "{}", reply.text());
    }
    let vary = reply.header("vary").unwrap().to_lowercase();
    assert!(vary.contains("origin") && vary.contains("accept-encoding"), "{vary}");

    let whole = server.send("GET", "/pets/8", &[PAGE, "X-Request-Id: preset-2"]);
    let data = whole.json()["data"].as_str().unwrap().to_owned();
    let trace_id = data.split(' ').nth(1).unwrap();
    let line = log.line("preset-2");
    for field in ["method=\"GET\"", "route=\"/pets/{id}\"", "status=200", trace_id] {
        assert!(line.contains(field), "{field} in {line}");
    }

    // Problems have the headers, too, and are counted.
    let missing = server.send("GET", "/nothing", &[PAGE]);
    assert_eq!((missing.status(), missing.header("access-control-allow-origin").is_some()), (404, true));
    let refused = server.send("GET", "/pets/x", &[PAGE]);
    assert_eq!((refused.status(), refused.header("x-content-type-options").is_some()), (422, true));

    for path in ["/livez", "/readyz"] {
        assert_eq!(server.send("GET", path, &[]).status(), 200, "{path}");
    }
    let metrics = server.send("GET", "/metrics", &[]);
    for (method, route, status) in [
        ("HEAD", r#"http_route="/pets/{id}","#, 200),
        ("GET", r#"http_route="/pets/{id}","#, 200),
        ("GET", r#"http_route="/pets/{id}","#, 422),
        ("GET", "", 404),
    ] {
        let counted = metrics.body().lines().any(|line| {
            let (name, value) = line.rsplit_once(' ').unwrap_or_default();
            let labels =
                [format!(r#"http_request_method="{method}""#), format!(r#"http_response_status_code="{status}""#)];
            let is_of_route = if route.is_empty() {
                !name.contains("http_route")
            } else {
                name.contains(route.trim_end_matches(','))
            };
            name.starts_with("http_server_request_duration_seconds_count")
                && labels.iter().all(|label| name.contains(label))
                && is_of_route
                && value == "1"
        });
        assert!(counted, "{method} {route} {status}: {}", metrics.body());
    }
}

#[test]
fn the_order_of_the_parts_is_that_of_the_documentation() {
    let api = api(&preset()).unwrap();
    let explained = api.explain().to_string();
    let places: Vec<_> = ["Tracing", "RequestLog", "Metrics", "Cors", "Compression", "SecurityHeaders"]
        .map(|name| explained.find(name).unwrap_or_else(|| panic!("{name} in {explained}")))
        .into();
    assert!(places.is_sorted(), "{explained}");
}

#[test]
fn the_preset_is_its_parts() {
    assert_eq!(api(&preset()).unwrap().explain(), parts().explain());
    let [as_one, apart] = [api(&preset()).unwrap(), parts()].map(|api| Document::from_api(&api).to_json());
    for (line, expected) in as_one.lines().zip(apart.lines()) {
        assert_eq!(line, expected);
    }
    assert_eq!(as_one.len(), apart.len());

    let log = log();
    let servers = [("joint", Server::start(api(&preset()).unwrap())), ("apart", Server::start(parts()))];
    let created = "Content-Type: application/json\r\nContent-Length: 14\r\n\r\n{\"name\":\"Rex\"}";
    let bomb = "Content-Type: application/json\r\nContent-Encoding: gzip\r\nContent-Length: 4\r\n\r\ngzip";
    let preflight = "Access-Control-Request-Method: POST\r\nAccess-Control-Request-Headers: content-type\r\n\r\n";
    let traced = "traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01\r\n\r\n";
    let cases = [
        ("GET /long", "Accept-Encoding: identity\r\n\r\n"),
        ("HEAD /long", "Accept-Encoding: br;q=0.5, gzip\r\n\r\n"),
        ("HEAD /long", "\r\n"),
        ("GET /pets/x", "\r\n"),
        ("GET /pets/x", traced),
        ("GET /nothing", "\r\n"),
        ("PUT /long", "\r\n"),
        ("POST /pets", created),
        ("POST /pets", bomb),
        ("OPTIONS /pets", preflight),
        ("OPTIONS /nothing", preflight),
        ("OPTIONS /pets", "\r\n"),
        ("GET /readyz", "\r\n"),
    ];
    for (index, (line, rest)) in cases.into_iter().enumerate() {
        for origin in ["", "Origin: https://shop.example.com\r\n", "Origin: https://other.example.com\r\n"] {
            let [as_one, apart] = servers.each_ref().map(|(name, server)| {
                let id = format!("{name}-{index}-{}", origin.len());
                let head = format!("{line} HTTP/1.1\r\nHost: pets\r\nConnection: close\r\nX-Request-Id: {id}\r\n");
                let reply = server.exchange(format!("{head}{origin}{rest}").as_bytes());
                let text = reply.text().replace(&id, "id").replace(&server.address().to_string(), "address");
                let text = text.lines().filter(|line| !line.starts_with("date:")).collect::<Vec<_>>().join("\n");
                (text, logged(log, &id, line))
            });
            assert_eq!(as_one, apart, "{line} {origin} {rest}");
        }
    }

    let [as_one, apart] = servers.each_ref().map(|(_, server)| {
        let metrics = server.send("GET", "/metrics", &[]);
        let lines = metrics.body().lines().filter(|line| {
            line.starts_with("http_server_") && !line.contains("duration_seconds_sum") && !line.contains("_bucket")
        });
        lines.map(str::to_owned).collect::<Vec<_>>()
    });
    assert_eq!(as_one, apart);
    assert!(as_one.len() > 20, "{as_one:?}");
}

/// The line of a request without what differs between runs; `None` for health checks, which have none.
fn logged(log: &Log, id: &str, line: &str) -> Option<String> {
    if line.ends_with("/readyz") {
        return None;
    }
    let fields = log.line(id);
    let fields = fields.split_whitespace().filter(|field| !field.contains("duration") && !field.contains("client"));
    let fields = fields.map(|field| if field.starts_with("trace_id") { "trace_id" } else { field });
    Some(fields.collect::<Vec<_>>().join(" ").replace(id, "id"))
}

#[test]
fn metrics_that_are_nowhere_do_not_build() {
    let errors = api(&Preset::production()).unwrap_err().to_string();
    assert!(errors.contains("`Metrics` has neither a listener nor a route"), "{errors}");
}
