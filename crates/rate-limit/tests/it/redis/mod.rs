//! Limits on a real server, whose address is in `REDIS_URL`; without it these tests say that they were skipped.

mod away;
mod cluster;
mod round_trips;
mod shared;

use std::time::Duration;

use restwright::Api;
use restwright::core::{Configuration, Route};
use restwright::testing::TestClient;
use restwright_rate_limit::{RateLimit, RedisLimiter, WhenUnavailable};
use tokio::task::{LocalSet, yield_now};

use crate::scene::Act;

/// The server, or `None` with a message.
fn server() -> Option<String> {
    restwright_tests::environment("REDIS_URL")
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

fn api(store: &RedisLimiter, limits: Vec<RateLimit>) -> Api {
    let configuration = Configuration::new("limits", "1.0.0").limiter_store(store.clone());
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
                    let response = client.get("/a").await;
                    response.assert_documented();
                    assert!([204, 429].contains(&response.status().as_u16()), "{response:?}");
                    admitted += usize::from(response.status() == 204);
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

fn store(url: &str, prefix: &str) -> RedisLimiter {
    // Patient, since the machine of a test may be busy.
    RedisLimiter::new(url, WhenUnavailable::FailClosed).prefix(prefix).timeout(Duration::from_secs(10))
}
