use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

use restwright::auth::{ApiKey, ApiKeyAuthenticator, KeyList};
use restwright::prelude::*;
use restwright::production::Health;
use restwright::rate_limit::{ConcurrencyLimit, Quota, RateLimit};
use restwright::testing::TestClient;
use restwright::{Component, ComponentError, Host};
use serde_json::{Value, json};

use crate::request_log::log;
use crate::server::Server;

const OPERATOR: &str = "X-Api-Key: operator.4c8c8f55d9a14bb6b4b6b31ce1c6cbd0";
const OTHER: &str = "X-Api-Key: other.4c8c8f55d9a14bb6b4b6b31ce1c6cbd0";

/// Is ready as it is told, and counts how often it is asked.
#[derive(Default)]
struct Pool {
    fails: AtomicBool,
    hangs: AtomicBool,
    asked: AtomicUsize,
}

struct Watched(Arc<Pool>);

impl Component for Watched {
    fn name(&self) -> &str {
        "pool"
    }

    async fn ready(&self) -> std::result::Result<(), ComponentError> {
        self.0.asked.fetch_add(1, Ordering::Relaxed);
        if self.0.hangs.load(Ordering::Relaxed) {
            std::future::pending::<()>().await;
        }
        if self.0.fails.load(Ordering::Relaxed) { Err("10.0.0.7 is gone".into()) } else { Ok(()) }
    }
}

fn api(health: &Health) -> (Api, Arc<Pool>) {
    let pool = Arc::new(Pool::default());
    let key = |text: &str, scopes: &[&str]| {
        text.strip_prefix("X-Api-Key: ").unwrap().parse::<ApiKey>().unwrap().subject("s").scopes(scopes.to_vec())
    };
    let keys = ApiKeyAuthenticator::new(KeyList::new([key(OPERATOR, &["health"]), key(OTHER, &["read"])]));
    // A deadline shorter than the time that components have does not hold for the check.
    let configuration =
        Configuration::new("health", "1.0.0").deadline(Duration::from_secs(1)).authenticator("key", keys);
    let api = Api::builder(configuration).component(Watched(pool.clone())).module(health).build().unwrap();
    (api, pool)
}

/// The names and states of a list of components.
fn states(body: &Value) -> Vec<(String, String)> {
    let components = body["components"].as_array().unwrap_or_else(|| panic!("{body}")).iter();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    components.map(|component| (text(&component["name"]), text(&component["status"]))).collect()
}

fn pair(name: &str, status: &str) -> (String, String) {
    (name.to_owned(), status.to_owned())
}

/// The time after which the components are asked again.
const NEXT_CHECK: Duration = Duration::from_millis(1_100);

#[test]
fn anybody_learns_a_status_alone() {
    let (api, pool) = api(&Health::new());
    let server = Server::start(api);
    for (path, body) in [("/livez", json!({"status": "live"})), ("/readyz", json!({"status": "ready"}))] {
        let reply = server.send("GET", path, &[]);
        assert_eq!((reply.status(), reply.json()), (200, body), "{path}");
    }
    pool.fails.store(true, Ordering::Relaxed);
    sleep(NEXT_CHECK);
    let log = log();
    let reply = server.send("GET", "/readyz", &["X-Request-Id: readyz-503"]);
    // The component logs why it is not ready. The health check does not add a line.
    let lines = log.lines_with("readyz-503");
    assert!(lines.len() == 1 && lines[0].contains("the component `pool` is not ready"), "{lines:?}");
    let mut body = reply.json();
    body.as_object_mut().unwrap().remove("request_id");
    assert_eq!((reply.status(), reply.header("retry-after").as_deref()), (503, Some("1")));
    let expected = json!({
        "type": "about:blank", "title": "Service unavailable", "status": 503, "code": "unavailable", "detail": "The service is not ready.",
    });
    assert_eq!(body, expected);
    assert_eq!(server.send("GET", "/livez", &[]).status(), 200);
    // Without declared callers there is nothing to see.
    assert_eq!(server.send("GET", "/readyz?verbose", &[OPERATOR]).json()["components"], Value::Null);
    pool.fails.store(false, Ordering::Relaxed);
    sleep(NEXT_CHECK);
    assert_eq!(server.send("GET", "/readyz", &[]).status(), 200);
}

#[test]
fn declared_callers_see_the_components() {
    let (api, pool) = api(&Health::new().details("key", ["health"]));
    let server = Server::start(api);
    let verbose = |headers: &[&str]| server.send("GET", "/readyz?verbose", headers);
    for (path, headers, status) in [
        ("/readyz", &[][..], 200),
        ("/readyz", &[OTHER][..], 200),
        ("/readyz?verbose", &[], 401),
        ("/readyz?verbose=true", &[], 401),
        ("/readyz?verbose&verbose", &[], 401),
        ("/readyz?verbose", &[OTHER], 403),
        ("/readyz?verbose=1", &[OPERATOR], 422),
        ("/readyz?verbose=true", &[OPERATOR], 200),
    ] {
        let reply = server.send("GET", path, headers);
        assert_eq!(reply.status(), status, "{path} {headers:?}");
        assert_eq!(reply.json()["components"].is_array(), status == 200 && path.contains('?'), "{path} {headers:?}");
    }
    let body = verbose(&[OPERATOR]).json();
    assert_eq!(states(&body), [pair("server", "ready"), pair("pool", "ready")]);
    let since = |body: &Value, position: usize| body["components"][position]["since"].as_str().unwrap().to_owned();

    pool.fails.store(true, Ordering::Relaxed);
    sleep(NEXT_CHECK);
    let reply = verbose(&[OPERATOR]);
    let failing = reply.json();
    assert_eq!(reply.status(), 503);
    assert_eq!(states(&failing), [pair("server", "ready"), pair("pool", "not ready")]);
    assert!(!reply.text().contains("10.0.0.7"), "{}", reply.text());
    assert_eq!(since(&failing, 0), since(&body, 0));
    assert!(since(&failing, 1) > since(&body, 1), "{failing}");
    sleep(NEXT_CHECK);
    assert_eq!(since(&verbose(&[OPERATOR]).json(), 1), since(&failing, 1));
}

#[test]
fn components_are_asked_once_a_second_and_one_that_hangs_is_not_ready() {
    let (api, pool) = api(&Health::new().details("key", ["health"]));
    let server = Server::start(api);
    let begin = Instant::now();
    for _ in 0..9 {
        assert_eq!(server.send("GET", "/readyz", &[]).status(), 200);
    }
    let most = 1 + usize::try_from(begin.elapsed().as_secs()).unwrap();
    assert!(pool.asked.load(Ordering::Relaxed) <= most, "{most}");

    pool.hangs.store(true, Ordering::Relaxed);
    sleep(NEXT_CHECK);
    let asked = pool.asked.load(Ordering::Relaxed);
    let status = || server.send("GET", "/readyz", &[]).status();
    std::thread::scope(|scope| {
        let first = scope.spawn(|| (status(), Instant::now()));
        while pool.asked.load(Ordering::Relaxed) == asked {
            sleep(Duration::from_millis(1));
        }
        // A request that arrives during a check does not wait for it.
        let begin = Instant::now();
        assert_eq!((0..9).map(|_| status()).collect::<Vec<_>>(), [200; 9]);
        let responded = Instant::now();
        let (status, end) = first.join().unwrap();
        assert!(status == 503 && responded < end && end - begin < Duration::from_mins(1), "{status}");
    });
    assert_eq!(status(), 503);
    assert_eq!(pool.asked.load(Ordering::Relaxed), asked + 1);
}

#[test]
fn a_server_that_drains_is_not_ready_and_serves() {
    let (api, _) = api(&Health::new().details("key", ["health"]));
    let server = Server::with(Host::new(api).workers(1).drain(Duration::from_secs(4)));
    assert_eq!(server.send("GET", "/readyz", &[]).status(), 200);
    server.begin_stop();
    sleep(NEXT_CHECK);
    let reply = server.send("GET", "/readyz?verbose", &[OPERATOR]);
    assert_eq!(reply.status(), 503);
    assert_eq!(states(&reply.json()), [pair("server", "not ready"), pair("pool", "ready")]);
    assert_eq!(server.send("GET", "/livez", &[]).status(), 200);
}

#[test]
fn the_document_has_both() {
    let document = |health: &Health| {
        serde_json::to_value(restwright::openapi::Document::from_api(&api(health).0)).unwrap()["paths"].clone()
    };
    let ready = |document: &Value| document["/readyz"]["get"].clone();
    let (plain, detailed) = (document(&Health::new()), document(&Health::new().details("key", ["health"])));
    assert_eq!(plain["/livez"]["get"]["security"], json!([]));
    assert_eq!((&ready(&plain)["security"], &ready(&plain)["parameters"]), (&json!([]), &Value::Null));
    assert!(ready(&plain)["responses"]["503"].is_object() && !ready(&plain)["responses"]["401"].is_object());
    assert_eq!(ready(&detailed)["parameters"][0]["name"], "verbose");
    assert!(ready(&detailed)["responses"]["401"].is_object() && ready(&detailed)["responses"]["403"].is_object());
}

#[test]
fn limits_of_the_api_are_not_those_of_health_checks() {
    let api = Api::builder(Configuration::new("health", "1.0.0"))
        .middleware(RateLimit::per_ip("all", Quota::per_minute(1)))
        .middleware(ConcurrencyLimit::per_ip("at once", 1))
        .module(&Health::new())
        .controller(Route::get("/pets").id("pets").public().handler(async |()| Ok(NoContent)))
        .build()
        .unwrap();
    let client = TestClient::new(api);
    let statuses = |path: &str, count: usize| -> Vec<u16> {
        (0..count).map(|_| client.get(path).send().assert_documented().status().as_u16()).collect()
    };
    assert_eq!(statuses("/pets", 3), [204, 429, 429]);
    let mut expected = [429; 30];
    expected[..10].fill(200);
    assert_eq!(statuses("/livez", 30)[..10], expected[..10]);
    // The two share a count.
    let ready = statuses("/readyz", 1);
    assert!(ready == [429] || ready == [200], "a second may have passed: {ready:?}");
}

/// A probe that failed under load would restart a process that works.
#[test]
fn health_checks_respond_while_the_server_is_full() {
    let (begun, begins) = std::sync::mpsc::channel();
    let slow = Route::get("/slow").id("slow").public().handler(async move |()| {
        begun.send(()).unwrap();
        tokio::time::sleep(Duration::from_secs(2)).await;
        Ok(NoContent)
    });
    let fast = Route::get("/fast").id("fast").public().handler(async |()| Ok(NoContent));
    let configuration = Configuration::new("full", "1.0.0").max_concurrent(1);
    let api = Api::builder(configuration).module(&Health::new()).controller(slow).controller(fast).build().unwrap();
    let server = Server::start(api);
    std::thread::scope(|scope| {
        let busy = scope.spawn(|| server.send("GET", "/slow", &[]).status());
        begins.recv().unwrap();
        for (path, status) in [("/fast", 503), ("/livez", 200), ("/readyz", 200), ("/unknown", 503)] {
            assert_eq!(server.send("GET", path, &[]).status(), status, "{path}");
        }
        assert_eq!(busy.join().unwrap(), 204);
    });
    assert_eq!(server.send("GET", "/fast", &[]).status(), 204);
}

/// A component whose start takes longer than 10 seconds.
struct Slow(Arc<AtomicBool>, std::result::Result<(), &'static str>);

impl Component for Slow {
    fn name(&self) -> &str {
        "slow"
    }

    async fn start(&self) -> std::result::Result<(), ComponentError> {
        let begun = Instant::now();
        while begun.elapsed() < Duration::from_secs(11) || !self.0.load(Ordering::Relaxed) {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        self.1.map_err(ComponentError::from)
    }

    fn progress(&self) -> Option<String> {
        Some("filling, 1 of 3 rows".to_owned())
    }
}

struct Release(Arc<AtomicBool>);

impl Drop for Release {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[test]
fn the_server_listens_during_a_slow_start() {
    let slow_api = |may_end: &Arc<AtomicBool>, outcome| {
        let keys = OPERATOR.strip_prefix("X-Api-Key: ").unwrap().parse::<ApiKey>().unwrap();
        let keys = ApiKeyAuthenticator::new(KeyList::new([keys.subject("s").scopes(["health"])]));
        Api::builder(Configuration::new("health", "1.0.0").authenticator("key", keys))
            .component(Slow(may_end.clone(), outcome))
            .module(&Health::new().details("key", ["health"]))
            .controller(Route::get("/pets").id("pets").public().handler(async |()| Ok(NoContent)))
            .build()
            .unwrap()
    };
    let failing = Host::new(slow_api(&Arc::new(AtomicBool::new(true)), Err("it has no disk"))).workers(1);
    let failing = failing.bind("127.0.0.1:0").unwrap();
    let failing = std::thread::spawn(move || restwright::run(failing.serve()).unwrap_err().to_string());
    let may_end = Arc::new(AtomicBool::new(false));
    let server = Server::start(slow_api(&may_end, Ok(())));
    // Ends the start after a failed assertion, because the server stops after its start.
    let release = Release(may_end);
    // The connection waits for the first 10 seconds.
    assert_eq!(server.send("GET", "/livez", &[]).status(), 200);
    assert_eq!(server.send("GET", "/readyz", &[]).status(), 503);
    let details = server.send("GET", "/readyz?verbose", &[OPERATOR]);
    assert_eq!(details.status(), 503);
    let body = details.json();
    assert_eq!(body["components"][1]["name"], "slow");
    assert_eq!(body["components"][1]["step"], "filling, 1 of 3 rows");
    let pets = server.send("GET", "/pets", &[]);
    assert_eq!((pets.status(), pets.header("retry-after").as_deref()), (503, Some("10")));
    assert_eq!(pets.json()["code"], "unavailable");
    assert_eq!(pets.json()["detail"], "The service is starting.");
    drop(release);
    let begun = Instant::now();
    while server.send("GET", "/pets", &[]).status() != 204 {
        assert!(begun.elapsed() < Duration::from_mins(1));
        sleep(Duration::from_millis(50));
    }
    sleep(Duration::from_millis(1100));
    assert_eq!(server.send("GET", "/readyz", &[]).status(), 200);
    assert_eq!(failing.join().unwrap(), "the component `slow` cannot start: it has no disk");
}
