//! Several concurrent requests with one key. The time is virtual: it moves only while all requests wait.

use std::sync::Arc;
use std::time::Duration;

use restwright_resource::idempotency::MemoryIdempotencyStore;
use tokio::time::Instant;

use super::{Shop, is_replay};

#[tokio::test(start_paused = true)]
async fn a_second_request_waits_for_the_first() {
    let shop = Shop::new();
    let send = || shop.payment("a", "slow 200").into_future();
    let (first, second, third) = tokio::join!(send(), send(), send());
    assert_eq!([&first, &second, &third].map(is_replay), [false, true, true]);
    assert_eq!(second.bytes(), first.bytes());
    assert_eq!(shop.effects(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_second_request_waits_for_at_most_a_second() {
    let shop = Shop::new();
    let started = Instant::now();
    let (first, (second, waited)) = tokio::join!(shop.payment("a", "slow 1500").into_future(), async {
        let response = shop.payment("a", "slow 1500").await;
        (response, started.elapsed())
    });
    second.assert_status(409).assert_problem("idempotency_in_progress").assert_header("Retry-After", "1");
    second.assert_documented();
    assert!(waited >= Duration::from_secs(1) && waited < Duration::from_millis(1450), "{waited:?}");
    first.assert_status(200);
    assert!(is_replay(&shop.payment("a", "slow 1500").await), "its own 409 is not kept");
    assert_eq!(shop.effects(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_request_with_another_body_does_not_wait() {
    let shop = Shop::new();
    let started = Instant::now();
    let (first, waited) = tokio::join!(shop.payment("a", "slow 500").into_future(), async {
        shop.payment("a", "slow 501").await.assert_status(422).assert_problem("idempotency_key_reused");
        started.elapsed()
    });
    first.assert_status(200);
    assert!(waited < Duration::from_millis(400), "{waited:?}");
}

#[tokio::test(start_paused = true)]
async fn requests_with_other_keys_or_callers_do_not_wait() {
    let shop = Shop::new();
    let started = Instant::now();
    let bob = shop.client.post("/payments").header("X-Caller", "bob").header("Idempotency-Key", "a");
    let bob = bob.body("text/plain", "slow 400");
    let (one, two, other) =
        tokio::join!(shop.payment("a", "slow 400").into_future(), shop.payment("b", "slow 400").into_future(), bob);
    assert_eq!([&one, &two, &other].map(is_replay), [false; 3]);
    assert!(started.elapsed() < Duration::from_millis(800), "{:?}", started.elapsed());
}

#[tokio::test(start_paused = true)]
async fn a_dropped_request_lets_the_next_one_in() {
    let shop = Shop::new();
    let (gone, second) = tokio::join!(
        tokio::time::timeout(Duration::from_millis(100), shop.payment("a", "first 60000").into_future()),
        shop.payment("a", "first 60000").into_future(),
    );
    assert!(gone.is_err());
    assert!(!is_replay(second.assert_status(200)));
    assert!(is_replay(&shop.payment("a", "first 60000").await));
    assert_eq!(shop.effects(), 2);
}

#[tokio::test(start_paused = true)]
async fn requests_without_a_stored_response_run_one_after_another() {
    let store = Arc::new(MemoryIdempotencyStore::new());
    let shop = Shop::with(store.clone());
    let send = || shop.payment("a", "status 503").into_future();
    let responses = tokio::join!(send(), send(), send(), send());
    for response in [responses.0, responses.1, responses.2, responses.3] {
        response.assert_status(503);
    }
    assert_eq!((shop.effects(), store.keys()), (4, 0));
}

#[tokio::test(start_paused = true)]
async fn dropped_waiting_requests_leave_no_state() {
    let shop = Shop::new();
    let first = shop.payment("a", "first 300").into_future();
    let gone = tokio::time::timeout(Duration::from_millis(50), shop.payment("a", "first 300").into_future());
    let (first, gone, last) = tokio::join!(first, gone, shop.payment("a", "first 300").into_future());
    assert!(gone.is_err());
    assert_eq!([&first, &last].map(is_replay), [false, true]);
    assert_eq!(shop.effects(), 1);
}
