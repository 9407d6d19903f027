//! Several concurrent requests with one key, in one process and in two.

use std::cell::Cell;
use std::rc::Rc;
use std::time::{Duration, Instant};

use restwright::testing::TestResponse;
use restwright_tests::is_quick_async;
use tokio::task::{JoinSet, LocalSet};

use super::{Database, Shop, on_both, outcome};

/// Labels of parcels that are created after [`Shop::release`].
const HELD: [&str; 2] = ["held 1", "held 2"];

/// Creates a parcel. Repeats a request that waited for another one in vain, because a loaded machine needs longer than a second for
/// a request.
async fn create_patiently(shop: &Shop, key: &str, label: &str) -> TestResponse {
    loop {
        let began = Instant::now();
        let response = shop.create(key, label).await;
        if response.status().as_u16() != 409 {
            return response;
        }
        assert!(began.elapsed() >= Duration::from_millis(900), "it does not wait");
    }
}

/// Sends 32 concurrent requests. Returns their results in order, and the number of different bodies.
async fn send_all(shops: &[Rc<Shop>], are_patient: bool) -> (Vec<String>, usize) {
    let local = LocalSet::new();
    let sent = local.run_until(async {
        let mut requests = JoinSet::new();
        for shop in shops.iter().cycle().take(32).map(Rc::clone) {
            requests.spawn_local(async move {
                if are_patient {
                    create_patiently(&shop, "a", "slow 100").await
                } else {
                    shop.create("a", "slow 100").await
                }
            });
        }
        requests.join_all().await
    });
    let responses = sent.await;
    let mut outcomes: Vec<_> = responses.iter().map(outcome).collect();
    let mut bodies: Vec<_> = responses.iter().map(|response| response.bytes().clone()).collect();
    outcomes.sort();
    bodies.sort();
    bodies.dedup();
    (outcomes, bodies.len())
}

async fn of_many_one_is_carried_out(shops: &[Rc<Shop>]) {
    let (outcomes, bodies) = send_all(shops, true).await;
    assert_eq!(outcomes[0], "201");
    assert!(outcomes[1..].iter().all(|outcome| outcome == "201 replay"), "{outcomes:?}");
    let counts =
        shops.iter().fold((0, 0), |(begun, committed), shop| (begun + shop.begun(), committed + shop.committed()));
    assert_eq!((bodies, shops[0].parcels().await, counts.1), (1, 1, 1));
    // On SQLite, another process detects the conflict only at its write.
    assert!(counts.0 == 1, "{counts:?}");
}

async fn shops(database: &Database, count: usize) -> Vec<Rc<Shop>> {
    let mut shops = Vec::new();
    for _ in 0..count {
        shops.push(Rc::new(Shop::new(database).await));
    }
    shops
}

async fn stop(shops: Vec<Rc<Shop>>) {
    for shop in shops {
        Rc::into_inner(shop).unwrap().stop().await;
    }
}

#[tokio::test]
async fn one_of_many_concurrent_requests_is_executed() {
    on_both(async |database| {
        let shops = shops(database, 1).await;
        of_many_one_is_carried_out(&shops).await;
        stop(shops).await;
    })
    .await;
}

#[tokio::test]
async fn one_of_many_concurrent_requests_in_two_processes_is_executed() {
    on_both(async |database| {
        let shops = shops(database, 2).await;
        match database {
            Database::Postgres(_) => of_many_one_is_carried_out(&shops).await,
            // SQLite locks nothing before the write, so the first request of the other process detects the conflict at its write.
            Database::Sqlite(_) => {
                let (outcomes, _) = send_all(&shops, false).await;
                assert_eq!(outcomes.iter().filter(|outcome| *outcome == "201").count(), 1, "{outcomes:?}");
                assert!(
                    outcomes.iter().all(|outcome| ["201", "201 replay", "409"].contains(&&**outcome)),
                    "{outcomes:?}"
                );
                assert_eq!(shops[0].parcels().await, 1);
                assert_eq!(outcome(&shops[1].create("a", "slow 100").await), "201 replay");
            }
        }
        stop(shops).await;
    })
    .await;
}

#[tokio::test]
async fn a_second_request_waits_for_at_most_a_second() {
    on_both(async |database| {
        // The request of the other process waits for a row, and the request of this process for its turn.
        let is_sqlite = matches!(database, Database::Sqlite(_));
        let shops = shops(database, 2).await;
        let waited = if is_sqlite { &shops[..1] } else { &shops[..] };
        for (index, second) in waited.iter().enumerate() {
            let key = ["a", "b"][index];
            let started = Instant::now();
            // The first request ends only after the response to the second.
            let (first, ()) = tokio::join!(shops[0].create(key, HELD[index]), async {
                shops[0].await_begun(index + 1).await;
                let response = second.create(key, HELD[index]).await;
                response.assert_status(409).assert_problem("idempotency_in_progress").assert_header("Retry-After", "1");
                assert!(started.elapsed() >= Duration::from_secs(1), "{:?}", started.elapsed());
                shops[0].release();
            });
            first.assert_status(201);
            assert_eq!(outcome(&shops[1].create(key, HELD[index]).await), "201 replay", "its own 409 is not kept");
        }
        stop(shops).await;
    })
    .await;
}

#[tokio::test]
async fn a_request_with_another_body_does_not_wait_within_a_process() {
    on_both(async |database| {
        let shop = Shop::new(database).await;
        let (first, ()) = tokio::join!(shop.create("a", HELD[0]), async {
            shop.await_begun(1).await;
            // A request that waits needs a second.
            let attempt = async || {
                let started = Instant::now();
                shop.create("a", "another").await.assert_problem("idempotency_key_reused");
                started.elapsed()
            };
            is_quick_async("another body", Duration::from_millis(900), attempt).await;
            shop.release();
        });
        first.assert_status(201);
        shop.stop().await;
    })
    .await;
}

#[tokio::test]
async fn a_dropped_request_frees_its_key_immediately() {
    on_both(async |database| {
        let shop = Shop::new(database).await;
        let attempts = Cell::new(0);
        let attempt = async || {
            attempts.set(attempts.get() + 1);
            let key = format!("key-{}", attempts.get());
            tokio::select! {
                _ = shop.create(&key, HELD[0]) => panic!("nobody releases it"),
                () = shop.await_begun(2 * attempts.get() - 1) => {}
            }
            let started = Instant::now();
            assert_eq!(outcome(&shop.create(&key, &key).await), "201");
            started.elapsed()
        };
        is_quick_async("a freed key", Duration::from_millis(500), attempt).await;
        let count = attempts.get();
        assert_eq!((shop.parcels().await, shop.begun(), shop.committed()), (count, 2 * count, count));
        shop.stop().await;
    })
    .await;
}
