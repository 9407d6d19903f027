//! Verdicts while all nodes work.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use restwright::core::rate_limit::{Charge, LimiterStore};
use restwright::testing::TestClient;
use restwright_rate_limit::{MemoryLimiter, Quota, RateLimit, RateLimitKey, RedisLimiter, WhenUnavailable};

use super::processes::{MASTERS, Processes, until};
use super::{address, patient, remaining, report, store, verdict};
use crate::redis::{api, storm};

/// Numbers that look random, the same in each run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: u32) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        u32::try_from(self.0 >> 33).unwrap() % end
    }
}

#[tokio::test]
async fn a_cluster_decides_like_one_process() {
    // No node fails here, however busy the machine is.
    let Some(cluster) = Processes::start(Duration::from_secs(60)) else { return };
    let store = patient(store(&cluster, 4));
    a_node_is_no_server_alone(&cluster).await;
    one_limit(&store).await;
    several_limits(&store).await;
    a_refusal_gives_back(&store).await;
    through_an_api(&store).await;
    slots_that_move(&cluster, &store).await;
    assert_eq!(report(&store), [("rate_limit_redis_connected", 1.0), ("rate_limit_redis_failures", 0.0)]);
}

async fn a_node_is_no_server_alone(cluster: &Processes) {
    let store = patient(RedisLimiter::new(&cluster.urls()[0], WhenUnavailable::FailClosed));
    let mut errors = 0;
    for key in 0..30 {
        if let Err(error) = store.charge(&[Charge::new("a", address(key), Quota::per_day(1), 1)]).await
            && error.to_string() != "Redis has just failed"
        {
            assert!(
                error.to_string().contains(": the server is a cluster node; use `RedisLimiter::cluster`"),
                "{error}"
            );
            errors += 1;
        }
    }
    assert!(errors > 0);
}

/// Buckets on all nodes hold the same as in memory.
async fn one_limit(store: &RedisLimiter) {
    let memory = MemoryLimiter::new();
    let mut numbers = Numbers(1);
    for number in 0..1000 {
        let quota = Quota::per_day(20).burst(1 + numbers.below(2) * 19);
        let limit = if quota.limit() == 1 { "one" } else { "twenty" };
        let charge = [Charge::new(limit, address(numbers.below(40)), quota, numbers.below(4))];
        let (found, expected) = (store.charge(&charge).await.unwrap(), memory.charge(&charge).await.unwrap());
        assert_eq!(verdict(&found[0]), verdict(&expected[0]), "{number}: {charge:?}");
    }
}

/// A request is charged to all of its limits or to none, and the strictest that refuses is reported.
async fn several_limits(store: &RedisLimiter) {
    let limits = [("wide", 60), ("narrow", 9), ("middle", 25)];
    let mut held = limits.map(|(_, limit)| [limit; 3]);
    let mut numbers = Numbers(2);
    let mut refusals = [0; 3];
    for _ in 0..400 {
        let keys = [0; 3].map(|_| numbers.below(3));
        let costs = [0; 3].map(|_| numbers.below(3));
        let charges: Vec<_> = (0..3)
            .map(|at| Charge::new(limits[at].0, address(100 + keys[at]), Quota::per_day(limits[at].1), costs[at]))
            .collect();
        let states = store.charge(&charges).await.unwrap();
        let holds = |at: usize| held[at][keys[at] as usize] >= costs[at];
        let strictest_first = {
            let mut order = [0, 1, 2];
            order.sort_by_key(|at: &usize| limits[*at].1 / costs[*at].max(1));
            order
        };
        match strictest_first.into_iter().find(|at| !holds(*at)) {
            Some(refused) => {
                assert_eq!(states.len(), refused + 1, "{charges:?}");
                let last = verdict(states.last().unwrap());
                assert_eq!(last, (false, limits[refused].1, held[refused][keys[refused] as usize]));
                assert!(states[..refused].iter().all(|state| state.is_admitted()));
                refusals[refused] += 1;
            }
            None => {
                for at in 0..3 {
                    held[at][keys[at] as usize] -= costs[at];
                    assert_eq!(verdict(&states[at]), (true, limits[at].1, held[at][keys[at] as usize]));
                }
            }
        }
    }
    assert!(refusals.iter().filter(|count| **count > 0).count() >= 2, "{refusals:?}");
}

/// .. although it was charged to a stricter limit first.
async fn a_refusal_gives_back(store: &RedisLimiter) {
    let (strict, loose) = (Quota::per_day(3), Quota::per_day(10));
    let request = |cost| [Charge::new("strict", address(1), strict, 1), Charge::new("loose", address(1), loose, cost)];
    // A cost of 3 makes them equally strict, and then the one that refills slower is first.
    for (cost, is_admitted, left) in [(2, true, (2, 8)), (2, true, (1, 6)), (2, true, (0, 4))] {
        let states = store.charge(&request(cost)).await.unwrap();
        assert_eq!(states[1].is_admitted(), is_admitted);
        assert_eq!((states[0].remaining(), states[1].remaining()), left);
    }
    let (strict, loose) = (Quota::per_day(3), Quota::per_day(9));
    store.charge(&[Charge::new("loose", address(2), loose, 8)]).await.unwrap();
    let request = |cost| [Charge::new("loose", address(2), loose, cost), Charge::new("strict", address(2), strict, 1)];
    for _ in 0..5 {
        let states = store.charge(&request(2)).await.unwrap();
        assert_eq!((states.len(), states[0].is_admitted()), (1, false));
        assert_eq!(remaining(store, "strict", 2, strict).await, 3, "it was given back");
        assert_eq!(remaining(store, "loose", 2, loose).await, 1);
    }
    // The strictest of those that refuse is reported.
    store.charge(&[Charge::new("loose", address(3), loose, 9)]).await.unwrap();
    store.charge(&[Charge::new("strict", address(3), strict, 3)]).await.unwrap();
    for number in 0..2 {
        let mut request = [Charge::new("loose", address(3), loose, 1), Charge::new("strict", address(3), strict, 1)];
        request.rotate_left(number);
        let states = store.charge(&request).await.unwrap();
        assert_eq!(
            states.iter().filter(|state| !state.is_admitted()).map(verdict).collect::<Vec<_>>(),
            [(false, 3, 0)]
        );
    }
    // Only its own charge is given back.
    store.charge(&[Charge::new("strict", address(2), strict, 2)]).await.unwrap();
    assert!(!store.charge(&request(2)).await.unwrap()[0].is_admitted());
    assert_eq!(remaining(store, "strict", 2, strict).await, 1);
}

async fn through_an_api(store: &RedisLimiter) {
    let store = store.clone().prefix("api");
    let limits = vec![
        RateLimit::global("wide", Quota::per_day(250)),
        RateLimit::global("narrow", Quota::per_day(100)),
        RateLimit::per_ip("last", Quota::per_day(300)),
    ];
    let api = api(&store, limits);
    api.start().await.unwrap();
    api.ready().await.unwrap();
    assert_eq!(storm(&api, 30, 10).await, 100);
    let refused = TestClient::new(api).get("/a").await;
    refused.assert_status(429).assert_documented().assert_header("x-ratelimit-limit", "100");
    let wide = Charge::new("wide", RateLimitKey::global(), Quota::per_day(250), 0);
    assert_eq!(store.charge(&[wide]).await.unwrap()[0].remaining(), 150, "refused requests are charged to none");
}

/// The slot of a bucket moves from node to node while the bucket is charged, and none of the charges is lost.
async fn slots_that_move(cluster: &Processes, store: &RedisLimiter) {
    // It refills by one in a day, so that every charge shows.
    let quota = Quota::per_day(1).burst(36_500);
    let bucket = "test:moving:address:0.0.0.9";
    let slot = cluster.slot(bucket);
    // The first charge makes the bucket, on the node that has the slot.
    store.charge(&[Charge::new("moving", address(9), quota, 1)]).await.unwrap();
    let done = Arc::new(AtomicBool::new(false));
    let traffic = {
        let (done, store) = (done.clone(), store.clone());
        thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            let mut admitted = 1;
            while !done.load(Ordering::SeqCst) {
                let charge = [Charge::new("moving", address(9), quota, 1)];
                let state = runtime.block_on(store.charge(&charge)).unwrap()[0];
                admitted += u32::from(state.is_admitted());
            }
            admitted
        })
    };
    let mut source = Processes::first_master(slot);
    for _ in 0..6 {
        let target = (source + 1) % MASTERS;
        let (from, to) = (cluster.id(source), cluster.id(target));
        let set = |server: usize, state: &str, node: &str| {
            let mut connection = cluster.connect(server).unwrap();
            redis::cmd("CLUSTER").arg("SETSLOT").arg(slot).arg(state).arg(node).exec(&mut connection).unwrap();
        };
        set(target, "IMPORTING", &from);
        set(source, "MIGRATING", &to);
        thread::sleep(Duration::from_millis(50));
        until("the bucket moves", || {
            let mut migrate = redis::cmd("MIGRATE");
            migrate.arg("127.0.0.1").arg(cluster.port(target)).arg(bucket).arg(0).arg(5000);
            let outcome: String = migrate.query(&mut cluster.connect(source)?)?;
            Ok(outcome == "OK")
        });
        thread::sleep(Duration::from_millis(50));
        for server in [target, source, (target + 1) % MASTERS] {
            set(server, "NODE", &to);
        }
        source = target;
        thread::sleep(Duration::from_millis(50));
    }
    done.store(true, Ordering::SeqCst);
    let admitted = traffic.join().unwrap();
    assert!(admitted > 100, "{admitted}");
    assert_eq!(remaining(store, "moving", 9, quota).await, quota.limit() - admitted);
}
