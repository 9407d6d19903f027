//! Without a server.

use std::net::TcpListener;
use std::time::Duration;

use restwright::testing::TestClient;
use restwright_rate_limit::{Quota, RateLimit, RedisLimiter, WhenUnavailable};
use tokio::net::TcpSocket;

use super::api;

/// A server or cluster that is not there, and one that never responds: a request would wait for it until the test ends.
async fn away(unavailable: WhenUnavailable, status: u16) {
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    // It takes the port, and does not listen.
    let gone = TcpSocket::new_v4().unwrap();
    gone.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    for address in [gone.local_addr().unwrap(), silent.local_addr().unwrap()] {
        let url = format!("redis://{address}");
        for store in [RedisLimiter::new(&url, unavailable), RedisLimiter::cluster([&url], unavailable)] {
            let store = store.timeout(Duration::from_millis(50));
            let api = api(&store, vec![RateLimit::per_ip("a", Quota::per_second(1))]);
            let fails_open = unavailable == WhenUnavailable::FailOpen;
            assert_eq!((api.start().await.is_ok(), api.ready().await.is_ok()), (fails_open, fails_open));
            let client = TestClient::new(api);
            for _ in 0..5 {
                let response = client.get("/a").await;
                response.assert_status(status).assert_documented();
                assert_eq!(response.header("x-ratelimit-limit"), None);
            }
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
