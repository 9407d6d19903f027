//! Limits on a real server, whose address is in `REDIS_URL`; without it these tests say that they were skipped.

use std::io::Write;
use std::net::TcpListener;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use restwright::core::{Api, Configuration, Route};
use restwright::testing::TestClient;
use restwright_list::rate_limit::{Quota, RateLimit, RateLimitStore, RedisStore, WhenUnavailable};
use tokio::task::{LocalSet, yield_now};

use crate::memory::Act;

/// The server, or `None` with a message.
fn server() -> Option<String> {
    let url = std::env::var("REDIS_URL").ok();
    if url.is_none() {
        // Past the test harness, which keeps what a passing test prints.
        writeln!(std::io::stderr(), "SKIPPED: REDIS_URL is not set").unwrap();
    }
    url
}

/// A prefix of this test's own.
fn prefix(test: &str) -> String {
    let since = std::time::SystemTime::UNIX_EPOCH.elapsed().unwrap();
    format!("restwright-test-{test}-{}-{}", std::process::id(), since.as_nanos())
}

fn api(store: &RedisStore, limits: Vec<RateLimit>) -> Api {
    let configuration = Configuration::new("limits", "1.0.0").with(RateLimitStore::from(store.clone()));
    let route = limits.into_iter().fold(Route::get("/a").public(), Route::middleware);
    Api::builder(configuration).component(store.clone()).controller(Act(route)).build().unwrap()
}

/// So many clients at once, each with so many requests; returns how many were admitted.
async fn storm(api: &Api, clients: usize, requests: usize) -> usize {
    let local = LocalSet::new();
    let tasks: Vec<_> = (0..clients)
        .map(|_| {
            let client = TestClient::new(api.clone());
            local.spawn_local(async move {
                let mut admitted = 0;
                for _ in 0..requests {
                    let answer = client.get("/a").await;
                    answer.assert_documented();
                    assert!([204, 429].contains(&answer.status().as_u16()), "{answer:?}");
                    admitted += usize::from(answer.status() == 204);
                    yield_now().await;
                }
                admitted
            })
        })
        .collect();
    local.await;
    let mut admitted = 0;
    for task in tasks {
        admitted += task.await.unwrap();
    }
    admitted
}

fn store(url: &str, prefix: &str) -> RedisStore {
    // Patient, since the machine of a test may be busy.
    RedisStore::new(url, WhenUnavailable::FailClosed).prefix(prefix).timeout(Duration::from_secs(10))
}

/// How long a bucket of these tests takes to refill by one.
const INTERVAL: Duration = Duration::from_millis(20);

#[tokio::test]
async fn a_hundred_clients_at_once_get_exactly_the_quota() {
    let Some(url) = server() else { return };
    let api = api(&store(&url, &prefix("exact")), vec![RateLimit::global("a", Quota::per_day(250))]);
    api.start().await.unwrap();
    assert_eq!(storm(&api, 100, 5).await, 250);
    assert_eq!(storm(&api, 10, 5).await, 0);
}

#[tokio::test]
async fn two_processes_share_a_quota() {
    let Some(url) = server() else { return };
    let prefix = prefix("processes");
    let children: Vec<_> = (0..2)
        .map(|_| {
            let mut command = Command::new(std::env::current_exe().unwrap());
            command.args(["--exact", "redis::one_of_two_processes", "--nocapture"]);
            command.env("REDIS_URL", &url).env("RESTWRIGHT_TEST_PREFIX", &prefix);
            command.stdout(Stdio::piped()).spawn().unwrap()
        })
        .collect();
    let mut admitted = 0;
    for child in children {
        let output = child.wait_with_output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success(), "{text}");
        let own: usize = text.lines().find_map(|line| line.split("admitted: ").nth(1)).unwrap().parse().unwrap();
        assert!(own > 0, "both processes have to have been admitted something");
        admitted += own;
    }
    assert_eq!(admitted, 1000, "of two processes with 100 clients and 1,000 requests each");
}

/// Run by the test above, in processes of its own.
#[tokio::test]
async fn one_of_two_processes() {
    let Ok(prefix) = std::env::var("RESTWRIGHT_TEST_PREFIX") else { return };
    let url = server().unwrap();
    let api = api(&store(&url, &prefix), vec![RateLimit::per_ip("a", Quota::per_day(1000))]);
    api.start().await.unwrap();
    println!("admitted: {}", storm(&api, 100, 10).await);
}

#[tokio::test]
async fn what_refills_is_admitted_and_no_more() {
    let Some(url) = server() else { return };
    let quota = Quota::per_second(50).burst(30);
    assert_eq!(quota.interval(), INTERVAL);
    let api = api(&store(&url, &prefix("refill")), vec![RateLimit::global("a", quota)]);
    api.start().await.unwrap();
    let refilled = |time: Duration| usize::try_from(time.as_micros() / INTERVAL.as_micros()).unwrap();
    let before = Instant::now();
    assert!(storm(&api, 100, 1).await >= 30);
    let first = Instant::now();
    let mut admitted = storm(&api, 1, 1).await;
    let mut last = Duration::ZERO;
    while last < Duration::from_secs(1) {
        admitted += storm(&api, 100, 1).await;
        last = first.elapsed();
    }
    // The bucket was empty before `first`, and at the end it is empty again: what refilled between was admitted.
    let (least, most) = (refilled(last).saturating_sub(2), refilled(before.elapsed()) + 1);
    assert!((least..=most).contains(&admitted), "{admitted} admitted, {least} to {most} refilled");
}

#[tokio::test]
async fn several_limits_take_one_round_trip_and_the_first_refusal_ends_it() {
    let Some(url) = server() else { return };
    let prefix = prefix("several");
    let store = store(&url, &prefix);
    let limits = vec![
        RateLimit::per_ip("wide", Quota::per_day(5)),
        RateLimit::global("narrow", Quota::per_day(2)),
        RateLimit::by_header("last", "X-Tenant", Quota::per_day(9)),
    ];
    let api = api(&store, limits);
    api.start().await.unwrap();
    let client = TestClient::new(api);
    let mut connection = redis::Client::open(&*url).unwrap().get_multiplexed_async_connection().await.unwrap();
    for (status, limit, remaining) in [(204, "2", "1"), (204, "2", "0"), (429, "2", "0"), (429, "2", "0")] {
        let answer = client.get("/a").header("X-Tenant", "secret").await;
        answer.assert_status(status).assert_documented();
        answer.assert_header("x-ratelimit-limit", limit).assert_header("x-ratelimit-remaining", remaining);
    }
    // All four were charged to the first limit, two to the others.
    let bucket = |name: &str| format!("{prefix}:{name}");
    let digest = "text:2bb80d537b1da3e38bd30361aa855686";
    let now: (u64, u64) = redis::cmd("TIME").query_async(&mut connection).await.unwrap();
    let now = now.0 * 1_000_000 + now.1;
    for (name, charged, day) in
        [("wide:address:127.0.0.1", 4, 5), ("narrow:all", 2, 2), (&format!("last:{digest}"), 2, 9)]
    {
        let (full_at, expires): (u64, u64) =
            redis::pipe().get(bucket(name)).pttl(bucket(name)).query_async(&mut connection).await.unwrap();
        let interval = 24 * 3600 * 1_000_000_u64 / day;
        assert_eq!((full_at - now).div_ceil(interval), charged, "{name}");
        assert!(expires.abs_diff((full_at - now) / 1000 + 10_000) < 5000, "{name} expires in {expires} ms");
    }
}

#[tokio::test]
async fn a_route_with_two_stages_is_charged_at_both() {
    let Some(url) = server() else { return };
    let late = RateLimit::per_ip("late", Quota::per_day(1)).after_authentication();
    let limits = vec![late, RateLimit::global("early", Quota::per_day(2))];
    let api = api(&store(&url, &prefix("stages")), limits);
    let client = TestClient::new(api);
    for (status, limit) in [(204, "1"), (429, "1"), (429, "2")] {
        let answer = client.get("/a").await;
        answer.assert_status(status).assert_header("x-ratelimit-limit", limit).assert_documented();
    }
}

/// A server that is not there, one that never answers, and how long a request waits for it.
async fn away(unavailable: WhenUnavailable, status: u16) {
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let gone = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    for address in [gone, silent.local_addr().unwrap()] {
        let store = RedisStore::new(&format!("redis://{address}"), unavailable).timeout(Duration::from_millis(50));
        let api = api(&store, vec![RateLimit::per_ip("a", Quota::per_second(1))]);
        let fails_open = unavailable == WhenUnavailable::FailOpen;
        assert_eq!((api.start().await.is_ok(), api.ready().await.is_ok()), (fails_open, fails_open));
        let client = TestClient::new(api);
        for _ in 0..5 {
            let started = Instant::now();
            let answer = client.get("/a").await;
            answer.assert_status(status).assert_documented();
            assert_eq!(answer.header("x-ratelimit-limit"), None);
            assert!(started.elapsed() < Duration::from_secs(1), "waited {:?}", started.elapsed());
        }
    }
}

#[tokio::test]
async fn without_a_server_it_fails_open_when_that_was_chosen() {
    away(WhenUnavailable::FailOpen, 204).await;
}

#[tokio::test]
async fn without_a_server_it_fails_closed_when_that_was_chosen() {
    away(WhenUnavailable::FailClosed, 503).await;
}

#[test]
fn what_is_no_url_is_a_start_error() {
    let store = RedisStore::new("http://user:secret@localhost", WhenUnavailable::FailOpen);
    let configuration = Configuration::new("limits", "1.0.0").with(RateLimitStore::from(store));
    let route = Route::get("/a").public().middleware(RateLimit::global("a", Quota::per_second(1)));
    let errors = Api::builder(configuration).controller(Act(route)).build().unwrap_err().to_string();
    assert!(errors.contains("the Redis store has no valid URL") && !errors.contains("secret"), "{errors}");
}
