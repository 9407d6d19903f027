//! The subscriber that `telemetry::init` installs. Each test starts a process, because a process has one subscriber.

use std::process::{Command, Output};

use opentelemetry_proto::tonic::trace::v1::status::StatusCode;
use restwright::ApiBuilder;
use restwright::prelude::*;
use restwright::production::{Otlp, RequestLog, Tracing};
use restwright::telemetry::{self, LogFilter, Telemetry};
use serde_json::Value;
use tracing_subscriber::filter::LevelFilter;
use tracing_subscriber::prelude::*;

use super::collector::{Collector, texts};
use crate::server::Server;

const CHILD: &str = "RESTWRIGHT_TEST_TELEMETRY";
const URL: &str = "RESTWRIGHT_TEST_TELEMETRY_COLLECTOR";

#[tracing::instrument(skip_all)]
async fn work() {
    tracing::info!(number = 17, "an event");
    tracing::debug!("details");
}

fn api() -> Api {
    builder().build().unwrap()
}

fn builder() -> ApiBuilder {
    let otlp = Otlp::new(std::env::var(URL).unwrap());
    let work = Route::get("/work").id("work").public().handler(async |()| {
        tracing::error!("an error of the handler");
        work().await;
        Ok(NoContent)
    });
    let api = Api::builder(Configuration::new("shop", "1.2.3")).middleware(Tracing::new().export(otlp));
    api.middleware(RequestLog::new()).controller(work)
}

fn serve(requests: usize, filter: Option<(&LogFilter, &str)>) {
    let server = Server::start(api());
    for _ in 0..requests {
        assert_eq!(server.send("GET", "/work", &[]).status(), 204);
        if let Some((filter, directives)) = filter {
            println!("filter {:?}", filter.set(directives).map_err(|error| error.to_string()));
        }
    }
}

/// Not a test: the application.
#[test]
fn child() {
    let Ok(mode) = std::env::var(CHILD) else { return };
    // The harness does not end the line with the name of the test.
    println!();
    match mode.as_str() {
        "init" => match telemetry::init() {
            Ok(_) => serve(1, None),
            Err(error) => println!("error: {error}"),
        },
        "json" => {
            Telemetry::new().json().init().unwrap();
            serve(1, None);
        }
        "panic" => {
            Telemetry::new().json().init().unwrap();
            let name = std::thread::Builder::new().name("worker".to_owned());
            assert!(name.spawn(|| panic!("a {}", "bug")).unwrap().join().is_err());
        }
        "events" => {
            Telemetry::new().export_events().init().unwrap();
            serve(1, None);
        }
        "hangup" => hang_up(),
        "twice" => {
            telemetry::init().unwrap();
            println!("error: {}", telemetry::init().unwrap_err());
        }
        "without" => println!("error: {}", start_error()),
        "formatter" => {
            tracing_subscriber::fmt().init();
            println!("error: {}", start_error());
        }
        "filtered" => {
            let subscriber =
                tracing_subscriber::registry().with(LevelFilter::WARN).with(tracing_subscriber::fmt::layer());
            subscriber.with(Telemetry::new().layer()).init();
            println!("error: {}", start_error());
        }
        directives => {
            let filter = telemetry::init().unwrap();
            serve(2, Some((&filter, directives)));
            println!("{filter:?}");
        }
    }
}

/// Changes the file of the directives, and sends SIGHUP to this process.
fn hang_up() {
    let filter = telemetry::init().unwrap();
    let server = Server::start(builder().component(filter.clone()).build().unwrap());
    // Components have started when the server responds.
    assert_eq!(server.send("GET", "/work", &[]).status(), 204);
    for (directives, message) in [("warn,it=debug\n", "was read again"), ("shop=loud", "does not change")] {
        std::fs::write(std::env::var("RUST_LOG_FILE").unwrap(), directives).unwrap();
        assert!(Command::new("kill").args(["-s", "HUP", &std::process::id().to_string()]).status().unwrap().success());
        std::thread::sleep(std::time::Duration::from_millis(500));
        println!("{filter:?} {message}");
        assert_eq!(server.send("GET", "/work", &[]).status(), 204);
    }
}

/// Returns the error of a server that does not start.
fn start_error() -> restwright::ServeError {
    let bound = restwright::Host::new(api()).workers(1).bind("127.0.0.1:0").unwrap();
    restwright::run(bound.serve()).unwrap_err()
}

fn run(mode: &str, log: Option<&str>) -> (String, Collector) {
    let collector = Collector::start(Some(200));
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "otlp::telemetry::child", "--nocapture"]);
    command.env(CHILD, mode).env(URL, collector.url()).env_remove("RUST_LOG");
    if let Some(log) = log {
        command.env("RUST_LOG", log);
    }
    let Output { status, stdout, stderr } = command.output().unwrap();
    let stdout = String::from_utf8(stdout).unwrap();
    assert!(status.success(), "{stdout}\n{}", String::from_utf8_lossy(&stderr));
    (stdout, collector)
}

fn names(collector: &Collector) -> Vec<String> {
    let mut names: Vec<_> = collector.spans().into_iter().map(|span| span.name).collect();
    names.sort();
    names
}

#[test]
fn the_log_is_text_of_the_level_info() {
    let (stdout, collector) = run("init", None);
    let event = stdout.lines().find(|line| line.contains("an event")).unwrap_or_else(|| panic!("{stdout}"));
    assert!(event.contains(" INFO request{method=\"GET\" route=\"/work\" request_id=\""), "{event}");
    // The log has the span of the request once.
    assert!(event.contains("}:work: it::otlp::telemetry: an event number=17"), "{event}");
    assert!(!stdout.contains("details") && !stdout.contains('\u{1b}'), "{stdout}");
    assert!(stdout.contains("INFO restwright::request: method=\"GET\" route=\"/work\" status=204"), "{stdout}");
    assert_eq!(names(&collector), ["GET /work", "work"]);
}

#[test]
fn the_filter_of_the_log_does_not_stop_spans() {
    for log in ["off", "error", "shop=debug", "off,restwright::export=off"] {
        let (stdout, collector) = run("init", Some(log));
        assert!(!stdout.contains("an event") && !stdout.contains("restwright::request"), "{log}: {stdout}");
        assert_eq!(names(&collector), ["GET /work", "work"], "{log}");
    }
    let (stdout, collector) = run("init", Some("warn,it=debug"));
    assert!(stdout.contains("an event") && stdout.contains("details"), "{stdout}");
    assert_eq!(names(&collector), ["GET /work", "work"]);
}

#[test]
fn the_log_can_be_json() {
    let (stdout, collector) = run("json", None);
    let lines: Vec<Value> = stdout.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let find = |message: &str| lines.iter().find(|line| line["fields"]["message"] == message).cloned();
    let event = find("an event").unwrap_or_else(|| panic!("{stdout}"));
    assert_eq!((&event["level"], &event["fields"]["number"]), (&Value::from("INFO"), &Value::from(17)));
    let spans: Vec<_> = event["spans"].as_array().unwrap().iter().map(|span| &span["name"]).collect();
    assert_eq!(spans, ["request", "work"]);
    assert_eq!(event["spans"][0]["route"], "/work");
    assert_eq!(names(&collector), ["GET /work", "work"]);
}

#[test]
fn a_panic_is_a_line_of_the_log() {
    let (stdout, _) = run("panic", None);
    let lines: Vec<Value> = stdout.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let [line] = &*lines else { panic!("{stdout}") };
    let fields = &line["fields"];
    assert_eq!(
        (&line["level"], &fields["message"], &fields["thread"]),
        (&"ERROR".into(), &"panic: a bug".into(), &"worker".into())
    );
    assert!(fields["file"].as_str().is_some_and(|file| file.ends_with("otlp/telemetry.rs")), "{line}");
    assert!(fields["line"].as_u64().is_some_and(|number| number > 1), "{line}");
}

#[test]
fn events_are_exported_on_request_only() {
    let (_, collector) = run("init", Some("trace"));
    assert!(collector.spans().iter().all(|span| span.events.is_empty()), "{:?}", collector.spans());
    assert!(collector.spans().iter().all(|span| span.status.as_ref().is_none_or(|status| status.code == 0)));

    // `RUST_LOG` does not decide about events either.
    let (_, collector) = run("events", Some("off"));
    assert_eq!(names(&collector), ["GET /work", "work"]);
    for span in collector.spans() {
        let [event] = &span.events[..] else { panic!("{span:?}") };
        let is_error = span.status.as_ref().is_some_and(|status| status.code() == StatusCode::Error);
        if span.name == "work" {
            assert_eq!((&*event.name, is_error), ("an event", false));
            assert!(texts(&event.attributes).contains(&"number=17".to_owned()), "{event:?}");
        } else {
            assert_eq!((&*event.name, is_error), ("an error of the handler", true));
        }
    }
}

#[test]
fn the_filter_of_the_log_can_change() {
    let (stdout, collector) = run("debug,restwright=trace", Some("warn"));
    assert_eq!(stdout.matches("an event").count(), 1, "{stdout}");
    assert_eq!(stdout.matches("details").count(), 1, "{stdout}");
    assert!(stdout.contains("filter Ok(())") && stdout.contains("LogFilter(\"restwright=trace,debug\")"), "{stdout}");
    assert_eq!(names(&collector), ["GET /work", "GET /work", "work", "work"]);

    let (stdout, collector) = run("off", None);
    assert_eq!(stdout.matches("an event").count(), 1, "{stdout}");
    assert_eq!(names(&collector), ["GET /work", "GET /work", "work", "work"]);

    let (stdout, _) = run("shop=loud", None);
    assert!(stdout.contains("filter Err(\"\\\"shop=loud\\\" is not a log filter"), "{stdout}");
    assert_eq!(stdout.matches("an event").count(), 2, "{stdout}");
}

#[test]
fn a_hangup_reads_the_filter_again() {
    let file = std::env::temp_dir().join(format!("restwright-log-filter-{}", std::process::id()));
    std::fs::write(&file, "off\n").unwrap();
    let collector = Collector::start(Some(200));
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "otlp::telemetry::child", "--nocapture"]).env(CHILD, "hangup").env(URL, collector.url());
    let output = command.env_remove("RUST_LOG").env("RUST_LOG_FILE", &file).output().unwrap();
    std::fs::remove_file(&file).unwrap();
    let stdout = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{stdout}\n{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(stdout.matches(r#"LogFilter("it=debug,warn")"#).count(), 2, "{stdout}");
    // Both requests are logged by the first filter.
    assert_eq!(stdout.matches("details").count(), 2, "{stdout}");
    assert!(stdout.contains("the log filter does not change error=\"shop=loud\" is not a log filter: "), "{stdout}");
}

#[test]
fn an_export_without_the_layer_does_not_start() {
    for mode in ["without", "formatter", "filtered"] {
        let (stdout, collector) = run(mode, None);
        let error = stdout.lines().find(|line| line.starts_with("error: ")).unwrap_or_else(|| panic!("{stdout}"));
        assert!(error.contains("`restwright::telemetry::init()?;` as the first line of `main`"), "{mode}: {error}");
        assert!(collector.batches().is_empty());
    }
}

#[test]
fn a_subscriber_is_installed_once_and_with_a_valid_filter() {
    let (stdout, _) = run("twice", None);
    assert!(stdout.contains("call `restwright::telemetry::init()` first in `main`"), "{stdout}");
    let (stdout, _) = run("init", Some("shop=loud"));
    assert!(stdout.contains("error: \"shop=loud\" is not a log filter: "), "{stdout}");
}
