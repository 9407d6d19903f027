//! Limits on a real server, whose address is in `REDIS_URL`; without it these tests say that they were skipped.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex, mpsc};
use std::thread;
use std::time::Duration;

use restwright::core::{Api, Configuration, Route};
use restwright::testing::TestClient;
use restwright_list::rate_limit::{Quota, RateLimit, RateLimitStore, RedisStore, WhenUnavailable};
use tokio::net::TcpSocket;
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

/// A prefix of this test's own, whose buckets are deleted in the end.
struct Prefix {
    url: String,
    text: String,
}

impl Prefix {
    fn new(url: &str, test: &str) -> Self {
        let since = std::time::SystemTime::UNIX_EPOCH.elapsed().unwrap();
        let text = format!("restwright-test-{test}-{}-{}", std::process::id(), since.as_nanos());
        Self { url: url.to_owned(), text }
    }
}

impl Drop for Prefix {
    fn drop(&mut self) {
        let delete = "for _, key in ipairs(redis.call('KEYS', ARGV[1])) do redis.call('DEL', key) end";
        let mut connection = connection(&self.url);
        redis::cmd("EVAL").arg(delete).arg(0).arg(format!("{}:*", self.text)).exec(&mut connection).unwrap();
    }
}

fn connection(url: &str) -> redis::Connection {
    redis::Client::open(url).unwrap().get_connection().unwrap()
}

/// The server's time in microseconds.
fn time(connection: &mut redis::Connection) -> u64 {
    let (seconds, micros): (u64, u64) = redis::cmd("TIME").query(connection).unwrap();
    seconds * 1_000_000 + micros
}

fn api(store: &RedisStore, limits: Vec<RateLimit>) -> Api {
    let configuration = Configuration::new("limits", "1.0.0").with(RateLimitStore::from(store.clone()));
    let route = limits.into_iter().fold(Route::get("/a").public(), Route::middleware);
    Api::builder(configuration).controller(Act(route)).build().unwrap()
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

#[tokio::test]
async fn a_hundred_clients_at_once_get_exactly_the_quota() {
    let Some(url) = server() else { return };
    let prefix = Prefix::new(&url, "exact");
    let api = api(&store(&url, &prefix.text), vec![RateLimit::global("a", Quota::per_day(250))]);
    api.start().await.unwrap();
    assert_eq!(storm(&api, 100, 5).await, 250);
    assert_eq!(storm(&api, 10, 5).await, 0);
}

#[tokio::test]
async fn two_processes_share_a_quota() {
    let Some(url) = server() else { return };
    let prefix = Prefix::new(&url, "processes");
    let children: Vec<_> = (0..2)
        .map(|_| {
            let mut command = Command::new(std::env::current_exe().unwrap());
            command.args(["--exact", "redis::one_of_two_processes", "--nocapture"]);
            command.env("REDIS_URL", &url).env("RESTWRIGHT_TEST_PREFIX", &prefix.text);
            command.stdout(Stdio::piped()).spawn().unwrap()
        })
        .collect();
    let mut admitted = 0;
    for child in children {
        let output = child.wait_with_output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success(), "{text}");
        let own: usize = text.lines().find_map(|line| line.split("admitted: ").nth(1)).unwrap().parse().unwrap();
        assert!(own >= 500, "the other process cannot have had more than 1,000");
        admitted += own;
    }
    assert_eq!(admitted, 1500, "of two processes with 100 clients and 1,000 requests each");
}

/// Run by the test above, in processes of its own.
#[tokio::test]
async fn one_of_two_processes() {
    let Ok(prefix) = std::env::var("RESTWRIGHT_TEST_PREFIX") else { return };
    let url = server().unwrap();
    let api = api(&store(&url, &prefix), vec![RateLimit::per_ip("a", Quota::per_day(1).burst(1500))]);
    api.start().await.unwrap();
    println!("admitted: {}", storm(&api, 100, 10).await);
}

#[tokio::test]
async fn what_refills_is_admitted_and_no_more() {
    let Some(url) = server() else { return };
    let prefix = Prefix::new(&url, "refill");
    // It takes ten seconds to refill, and so is never full again while the test goes on.
    let quota = Quota::per_second(50).burst(500);
    let api = api(&store(&url, &prefix.text), vec![RateLimit::global("a", quota)]);
    let client = TestClient::new(api);
    let mut connection = connection(&url);
    let mut admitted = 0;
    // When a request was refused: not before the first and not after the second.
    let mut refused = async |admitted: &mut u64| {
        loop {
            let before = time(&mut connection);
            match client.get("/a").await.status().as_u16() {
                204 => *admitted += 1,
                status => {
                    assert_eq!(status, 429);
                    return (before, time(&mut connection));
                }
            }
        }
    };
    let first = refused(&mut admitted).await;
    assert!(admitted >= 500);
    admitted = 0;
    let mut last = first;
    while last.0 < first.1 + 500_000 {
        last = refused(&mut admitted).await;
    }
    // At both refusals the bucket held less than one request.
    let interval = u64::try_from(quota.interval().as_micros()).unwrap();
    let (least, most) = ((last.0 - first.1) / interval - 1, (last.1 - first.0) / interval + 1);
    assert!((least..=most).contains(&admitted), "{admitted} admitted, {least} to {most} refilled");
}

/// Passes everything on to the server, and keeps what the clients say.
struct Tap {
    url: String,
    said: Arc<Mutex<Vec<u8>>>,
}

impl Tap {
    fn new(url: &str) -> Self {
        let (_, rest) = url.split_once("://").unwrap();
        let authority = rest.split('/').next().unwrap();
        let address = authority.rsplit('@').next().unwrap().to_owned();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = url.replacen(&address, &listener.local_addr().unwrap().to_string(), 1);
        let said = Arc::<Mutex<Vec<u8>>>::default();
        let kept = Arc::clone(&said);
        thread::spawn(move || {
            for client in listener.incoming() {
                let (client, server) = (client.unwrap(), TcpStream::connect(&address).unwrap());
                let (to, from) = (server.try_clone().unwrap(), client.try_clone().unwrap());
                let kept = Arc::clone(&kept);
                thread::spawn(move || pass(from, to, |bytes| kept.lock().unwrap().extend_from_slice(bytes)));
                thread::spawn(move || pass(server, client, |_| {}));
            }
        });
        Self { url, said }
    }

    /// How many scripts were run.
    fn scripts(&self) -> usize {
        self.said.lock().unwrap().windows(7).filter(|word| word == b"EVALSHA").count()
    }
}

fn pass(mut from: TcpStream, mut to: TcpStream, keep: impl Fn(&[u8])) {
    let mut buffer = [0; 4096];
    while let Ok(length @ 1..) = from.read(&mut buffer) {
        keep(&buffer[..length]);
        to.write_all(&buffer[..length]).unwrap();
    }
    drop(to.shutdown(Shutdown::Both));
}

#[tokio::test]
async fn several_limits_take_one_round_trip_and_the_first_refusal_ends_it() {
    let Some(url) = server() else { return };
    let prefix = Prefix::new(&url, "several");
    let tap = Tap::new(&url);
    let store = store(&tap.url, &prefix.text);
    let limits = vec![
        RateLimit::per_ip("wide", Quota::per_day(5)),
        RateLimit::global("narrow", Quota::per_day(2)),
        RateLimit::by_header("last", "X-Tenant", Quota::per_day(9)),
    ];
    let api = api(&store, limits);
    api.start().await.unwrap();
    let client = TestClient::new(api);
    let mut connection = connection(&url);
    let (before, started) = (tap.scripts(), time(&mut connection));
    for (status, limit, remaining) in [(204, "2", "1"), (204, "2", "0"), (429, "2", "0"), (429, "2", "0")] {
        let answer = client.get("/a").header("X-Tenant", "secret").await;
        answer.assert_status(status).assert_documented();
        answer.assert_header("x-ratelimit-limit", limit).assert_header("x-ratelimit-remaining", remaining);
    }
    assert_eq!(tap.scripts() - before, 4, "one for each request");
    // All four were charged to the first limit, two to the others.
    let bucket = |name: &str| format!("{}:{name}", prefix.text);
    let digest = "text:2bb80d537b1da3e38bd30361aa855686";
    let now = time(&mut connection);
    for (name, charged, day) in
        [("wide:address:127.0.0.1", 4, 5), ("narrow:all", 2, 2), (&format!("last:{digest}"), 2, 9)]
    {
        let (held, expires): (String, u64) =
            redis::pipe().get(bucket(name)).pexpire_time(bucket(name)).query(&mut connection).unwrap();
        let (full_at, written) = held.split_once(' ').unwrap();
        let [full_at, written]: [u64; 2] = [full_at, written].map(|time| time.parse().unwrap());
        let interval = 24 * 3600 * 1_000_000_u64 / day;
        assert_eq!((full_at - now).div_ceil(interval), charged, "{name}");
        // Ten seconds after it is full, by the clock of the time when it was written.
        let written_at = expires - (full_at - written).div_ceil(1000) - 10_000;
        assert!((started / 1000..=now / 1000).contains(&written_at), "{name} expires at {expires} ms");
    }
}

#[tokio::test]
async fn a_route_with_two_stages_is_charged_at_both() {
    let Some(url) = server() else { return };
    let late = RateLimit::per_ip("late", Quota::per_day(1)).after_authentication();
    let limits = vec![late, RateLimit::global("early", Quota::per_day(2))];
    let prefix = Prefix::new(&url, "stages");
    let tap = Tap::new(&url);
    let api = api(&store(&tap.url, &prefix.text), limits);
    api.start().await.unwrap();
    let before = tap.scripts();
    let client = TestClient::new(api);
    for (status, limit) in [(204, "1"), (429, "1"), (429, "2")] {
        let answer = client.get("/a").await;
        answer.assert_status(status).assert_header("x-ratelimit-limit", limit).assert_documented();
    }
    assert_eq!(tap.scripts() - before, 2 + 2 + 1);
}

#[test]
fn a_busy_worker_takes_no_limits_from_others() {
    let Some(url) = server() else { return };
    let prefix = Prefix::new(&url, "busy");
    let api = api(&store(&url, &prefix.text), vec![RateLimit::global("a", Quota::per_day(2))]);
    let status = |api: &Api| {
        let client = TestClient::new(api.clone());
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let status = runtime.block_on(async { client.get("/a").await.status().as_u16() });
        // Kept, since what a runtime drives ends with it.
        (status, runtime)
    };
    thread::scope(|scope| {
        let (busy, worker) = (mpsc::channel::<u16>(), mpsc::channel::<()>());
        let api = &api;
        scope.spawn(move || {
            let (first, _runtime) = status(api);
            busy.0.send(first).unwrap();
            // As a handler that blocks its thread.
            worker.1.recv().ok();
        });
        assert_eq!(busy.1.recv().unwrap(), 204);
        assert_eq!(status(api).0, 204);
        assert_eq!(status(api).0, 429);
        worker.0.send(()).unwrap();
    });
}

/// A server that is not there, and one that never answers: a request would wait for it until the test is ended.
async fn away(unavailable: WhenUnavailable, status: u16) {
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    // It takes the port, and does not listen.
    let gone = TcpSocket::new_v4().unwrap();
    gone.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    for address in [gone.local_addr().unwrap(), silent.local_addr().unwrap()] {
        let store = RedisStore::new(&format!("redis://{address}"), unavailable).timeout(Duration::from_millis(50));
        let api = api(&store, vec![RateLimit::per_ip("a", Quota::per_second(1))]);
        let fails_open = unavailable == WhenUnavailable::FailOpen;
        assert_eq!((api.start().await.is_ok(), api.ready().await.is_ok()), (fails_open, fails_open));
        let client = TestClient::new(api);
        for _ in 0..5 {
            let answer = client.get("/a").await;
            answer.assert_status(status).assert_documented();
            assert_eq!(answer.header("x-ratelimit-limit"), None);
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
    let instead = "; write it as `redis://user:password@host:6379/0`";
    for (url, expected) in [
        ("http://user:secret@localhost", instead),
        ("user:secret@localhost:6379", instead),
        ("redis://user:secret@localhost/first", instead),
        #[cfg(not(feature = "redis-tls"))]
        ("rediss://user:secret@localhost", "it asks for TLS, which needs the feature `redis-tls`"),
        #[cfg(feature = "redis-tls")]
        ("rediss://user:secret@localhost/first", "; write it as `rediss://user:password@host:6379/0`"),
    ] {
        let store = RedisStore::new(url, WhenUnavailable::FailOpen);
        let configuration = Configuration::new("limits", "1.0.0").with(RateLimitStore::from(store));
        let route = Route::get("/a").public().middleware(RateLimit::global("a", Quota::per_second(1)));
        let errors = Api::builder(configuration).controller(Act(route)).build().unwrap_err().to_string();
        assert!(errors.contains("the Redis store has no valid URL: ") && errors.contains(expected), "{errors}");
        assert!(!errors.contains("secret"), "{errors}");
    }
}
