//! Several concurrent requests with one key, in one process and in two.

use std::rc::Rc;
use std::time::{Duration, Instant};

use tokio::task::{JoinSet, LocalSet};

use super::{Database, Shop, on_both, outcome};

/// Sends concurrent requests. Returns their results in order, and the number of different bodies.
async fn send_all(shops: &[Rc<Shop>], count: usize, label: &'static str) -> (Vec<String>, usize) {
    let local = LocalSet::new();
    let sent = local.run_until(async {
        let mut requests = JoinSet::new();
        for shop in shops.iter().cycle().take(count).map(Rc::clone) {
            requests.spawn_local(async move { shop.create("a", label).await });
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
    let (outcomes, bodies) = send_all(shops, 32, "slow 100").await;
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
                let (outcomes, _) = send_all(&shops, 32, "slow 100").await;
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
            let (key, label) = ([["a", "slow 1500"], ["b", "slow 1501"]][index][0], ["slow 1500", "slow 1501"][index]);
            let started = Instant::now();
            let (first, (second, waited)) = tokio::join!(shops[0].create(key, label), async {
                tokio::time::sleep(Duration::from_millis(100)).await;
                let response = second.create(key, label).await;
                (response, started.elapsed())
            });
            second.assert_status(409).assert_problem("idempotency_in_progress").assert_header("Retry-After", "1");
            assert!(waited >= Duration::from_secs(1) && waited < Duration::from_millis(1490), "{waited:?}");
            first.assert_status(201);
            assert_eq!(outcome(&shops[1].create(key, label).await), "201 replay", "its own 409 is not kept");
        }
        stop(shops).await;
    })
    .await;
}

#[tokio::test]
async fn a_request_with_another_body_does_not_wait_within_a_process() {
    on_both(async |database| {
        let shop = Shop::new(database).await;
        let (first, second) = tokio::join!(shop.create("a", "slow 500"), async {
            tokio::time::sleep(Duration::from_millis(50)).await;
            let started = Instant::now();
            shop.create("a", "slow 501").await.assert_problem("idempotency_key_reused");
            started.elapsed()
        });
        first.assert_status(201);
        assert!(second < Duration::from_millis(300), "{second:?}");
        shop.stop().await;
    })
    .await;
}

#[tokio::test]
async fn a_dropped_request_frees_its_key_immediately() {
    on_both(async |database| {
        let shop = Shop::new(database).await;
        let gone = tokio::time::timeout(Duration::from_millis(200), shop.create("a", "slow 60000")).await;
        assert!(gone.is_err());
        let started = Instant::now();
        assert_eq!(outcome(&shop.create("a", "one").await), "201");
        assert!(started.elapsed() < Duration::from_millis(500), "{:?}", started.elapsed());
        assert_eq!((shop.parcels().await, shop.begun(), shop.committed()), (1, 2, 1));
        shop.stop().await;
    })
    .await;
}
