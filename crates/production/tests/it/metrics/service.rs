//! Problems, the service and the process in the metrics.

use restwright::production::Metrics;

use super::{KEY, samples, start};

/// Returns the lines of a scrape that begin with a text.
fn lines<'t>(text: &'t str, begin: &str) -> Vec<&'t str> {
    text.lines().filter(|line| line.starts_with(begin)).collect()
}

#[test]
fn problems_are_counted_by_code_and_reason() {
    let server = start(&Metrics::new().authorize("key", ["metrics"]));
    server.send("GET", "/panic", &[]);
    for _ in 0..2 {
        server.send("GET", "/metrics", &[]);
        server.send("GET", "/nothing/4711", &[]);
    }
    server.send("GET", "/metrics", &["X-Api-Key: other.0123456789abcdef0123456789abcdef"]);
    server.send("GET", "/pets/x", &[]);
    let text = server.send("GET", "/metrics", &[KEY]);
    // Requests for metrics themselves are not counted.
    let expected = [
        r#"problems_total{code="internal_error",reason=""} 1"#,
        r#"problems_total{code="invalid_request",reason="invalid_request.all"} 1"#,
        r#"problems_total{code="not_found",reason="not_found.path"} 2"#,
    ];
    assert_eq!(lines(text.body(), "problems_total{"), expected);
    let panics = lines(text.body(), "server_panics_total{");
    assert!(panics[0].rsplit_once(' ').unwrap().1.parse::<u64>().unwrap() >= 1, "{panics:?}");
}

#[test]
fn the_service_and_the_process_are_described() {
    let server = start(&Metrics::new().public());
    let text = server.send("GET", "/metrics", &[]);
    let [target] = *lines(text.body(), "target_info{") else { panic!("{}", text.body()) };
    let begin = r#"target_info{service_name="metrics",service_version="1.0.0",service_instance_id=""#;
    let instance = target.strip_prefix(begin).unwrap().strip_suffix(r#""} 1"#).unwrap();
    assert!(instance.parse::<uuid::Uuid>().is_ok_and(|id| id.get_version_num() == 4), "{target}");
    assert!(text.body().contains("# TYPE target_info gauge\n"), "{}", text.body());
    assert_eq!(lines(text.body(), r#"build_info{version="1.0.0",restwright_version=""#).len(), 1);
    let values = samples(text.body());
    for (name, least, most) in [
        ("process_cpu_seconds_total", 0.0, 1e6),
        ("process_start_time_seconds", 1.7e9, 1e10),
        ("process_resident_memory_bytes", 1e6, 1e11),
        ("process_virtual_memory_bytes", 1e6, 1e14),
        ("process_threads", 2.0, 1e5),
        ("process_open_fds", 3.0, 1e6),
        ("process_max_fds", 3.0, 1e10),
        (r#"server_memory_max_bytes{component="server"}"#, 1e6, 1e12),
    ] {
        assert!(values.get(name).is_some_and(|value| (least..=most).contains(value)), "{name}: {:?}", values.get(name));
    }
}
