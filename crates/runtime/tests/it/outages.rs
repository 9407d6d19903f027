//! The log lines of an outage, for any number of requests.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use restwright_core::{Clock, Configuration, NoContent, Problem, Result, Route};
use restwright_runtime::Api;
use restwright_testing::TestClient;
use restwright_tests::Log;
use tracing::Level;

fn route(path: &str) -> Route {
    Route::get(path).id(path.to_owned()).public()
}

#[test]
fn logs_an_outage_once_a_minute_and_at_its_end() {
    let clock = Clock::manual(0);
    let is_down = Arc::new(AtomicBool::new(true));
    let down = is_down.clone();
    let api = Api::builder(Configuration::new("outages", "1.0.0").clock(clock.clone()))
        .controller(route("/dependent").handler(async move |()| match down.load(Ordering::Relaxed) {
            true => Err(Problem::unavailable("the cause")),
            false => Ok(NoContent),
        }))
        .controller(route("/wrong").handler(async |()| -> Result<NoContent> { Err(Problem::internal("a mistake")) }))
        .build()
        .unwrap();
    let client = TestClient::new(api);
    let log = Log::up_to(Level::INFO);
    log.during(|| {
        let send = |count: usize, status: u16| {
            for _ in 0..count {
                client.get("/dependent").send().assert_status(status);
            }
            log.take("").into_iter().map(|line| without_request_id(&line)).collect::<Vec<_>>()
        };
        let line = |failures: u64, seconds: u64| {
            format!(
                "ERROR restwright_runtime::problem_responses: message=requests fail code=\"unavailable\" route=\"/dependent\" cause=\"503 unavailable: Service unavailable: the cause\" failures={failures} seconds={seconds}"
            )
        };
        assert_eq!(send(10_000, 503), [line(1, 0)]);
        clock.advance(Duration::from_secs(59));
        assert_eq!(send(1, 503), [""; 0]);
        clock.advance(Duration::from_secs(1));
        assert_eq!(send(1_000, 503), [line(10_002, 60)]);
        is_down.store(false, Ordering::Relaxed);
        clock.advance(Duration::from_secs(59));
        assert_eq!(send(1, 204), [""; 0]);
        clock.advance(Duration::from_secs(1));
        assert_eq!(
            send(2, 204),
            [
                "INFO restwright_runtime::problem_responses: message=requests have stopped failing code=\"unavailable\" route=\"/dependent\" failures=11001 seconds=60"
            ]
        );
        // Errors in the code are not outages: each of them is logged.
        for _ in 0..3 {
            client.get("/wrong").send().assert_status(500);
        }
        assert_eq!(log.take("a mistake").len(), 3);
    });
}

#[test]
fn logs_other_routes_and_causes_separately() {
    let count = AtomicUsize::new(0);
    let api = Api::builder(Configuration::new("outages", "1.0.0"))
        .controller(
            route("/slow").handler(async |()| -> Result<NoContent> { Err(Problem::unavailable("a slow service")) }),
        )
        .controller(route("/orders").handler(async move |()| -> Result<NoContent> {
            Err(Problem::unavailable(if count.fetch_add(1, Ordering::Relaxed).is_multiple_of(2) {
                "the database is locked"
            } else {
                "the queue is full"
            }))
        }))
        .build()
        .unwrap();
    let client = TestClient::new(api);
    let log = Log::up_to(Level::INFO);
    log.during(|| {
        for _ in 0..100 {
            client.get("/slow").send().assert_status(503);
            client.get("/orders").send().assert_status(503);
        }
        let lines = log.take("requests fail");
        assert_eq!(lines.len(), 3, "{lines:?}");
        for part in ["a slow service", "the database is locked", "the queue is full"] {
            assert!(lines.iter().any(|line| line.contains(part)), "{part}: {lines:?}");
        }
    });
}

fn without_request_id(line: &str) -> String {
    line.split(' ').filter(|word| !word.starts_with("request_id=")).collect::<Vec<_>>().join(" ")
}
