use restwright::prelude::*;
use restwright::production::{Cors, Metrics, Preset, TraceContext};

use crate::request_log::log;
use crate::server::Server;

const PAGE: &str = "Origin: https://shop.example.com";

#[derive(Request)]
struct ViewPet {
    #[segment]
    id: i64,
    trace: TraceContext,
}

async fn view(ViewPet { id, trace }: ViewPet) -> Result<Data<String>> {
    Ok(Data(format!("{id} {} {}", trace.trace_id(), "x".repeat(2_000))))
}

fn api(preset: &Preset) -> std::result::Result<Api, BuildErrors> {
    Api::builder(Configuration::new("pets", "1.0.0"))
        .module(preset)
        .controller(Route::get("/pets/{id}").id("viewPet").public().handler(view))
        .build()
}

fn preset() -> Preset {
    Preset::production().cors(Cors::new().origin("https://shop.example.com")).metrics(Metrics::new().public())
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
fn metrics_that_are_nowhere_do_not_build() {
    let errors = api(&Preset::production()).unwrap_err().to_string();
    assert!(errors.contains("`Metrics` does not say where they are read"), "{errors}");
}
