//! Nodes that fail.

use std::time::{Duration, Instant};

use restwright::core::Component;
use restwright::core::rate_limit::{Charge, LimiterStore};
use restwright_rate_limit::{Quota, RedisLimiter, WhenUnavailable};
use tokio::task::JoinSet;

use super::processes::{MASTERS, PATIENCE, Processes};
use super::{address, remaining, report, store};
use crate::redis::server;

const KEYS: u32 = 30;

const QUOTA: Quota = Quota::per_day(40);

/// The bound of a request; a busy machine takes long.
const TIMEOUT: Duration = Duration::from_millis(1000);

/// How often each address was admitted.
type Admitted = [u32; KEYS as usize];

/// Charges each address once, all at a time. Returns those whose charge failed.
async fn round(store: &RedisLimiter, admitted: &mut Admitted) -> Vec<u32> {
    let mut tasks = JoinSet::new();
    for key in 0..KEYS {
        let store = store.clone();
        tasks.spawn(async move {
            let started = Instant::now();
            let outcome = store.charge(&[Charge::new("a", address(key), QUOTA, 1)]).await;
            // A request that waits for the failover succeeds, which the tests of rounds notice.
            assert!(started.elapsed() < PATIENCE, "a request waited for {:?}", started.elapsed());
            (key, outcome.ok().map(|states| states[0].is_admitted()))
        });
    }
    let mut failed = Vec::new();
    while let Some(outcome) = tasks.join_next().await {
        match outcome.unwrap() {
            (key, Some(is_admitted)) => admitted[key as usize] += u32::from(is_admitted),
            (key, None) => failed.push(key),
        }
    }
    failed.sort_unstable();
    failed
}

/// Goes on until no charge fails.
async fn recover(store: &RedisLimiter, admitted: &mut Admitted, within: Duration) {
    let started = Instant::now();
    loop {
        let failed = round(store, admitted).await;
        if failed.is_empty() {
            return;
        }
        assert!(started.elapsed() < within, "{failed:?} still fail");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

fn connected(store: &RedisLimiter) -> bool {
    report(store)[0] == ("rate_limit_redis_connected", 1.0)
}

#[tokio::test]
async fn one_server_is_no_cluster() {
    let Some(url) = server() else { return };
    let store = RedisLimiter::cluster([url], WhenUnavailable::FailClosed).timeout(Duration::from_secs(10));
    let error = store.start().await.unwrap_err().to_string();
    assert!(error.contains("cluster support disabled"), "{error}");
    let error = store.charge(&[Charge::new("a", address(1), QUOTA, 1)]).await.unwrap_err().to_string();
    assert_eq!(error, "no node of the cluster responds");
}

/// Nodes that are gone, and that say nothing.
#[tokio::test]
async fn without_a_cluster_no_request_waits_for_long() {
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let urls = [format!("redis://{}", silent.local_addr().unwrap()), "redis://127.0.0.1:1".to_owned()];
    let store = RedisLimiter::cluster(urls, WhenUnavailable::FailOpen).timeout(Duration::from_millis(50));
    let started = Instant::now();
    for _ in 0..50 {
        assert!(store.charge(&[Charge::new("a", address(1), QUOTA, 1)]).await.is_err());
    }
    // Each of them would wait for a second or longer without the time limit.
    assert!(started.elapsed() < Duration::from_secs(30), "{:?}", started.elapsed());
    assert!(!connected(&store));
    store.start().await.unwrap();
}

#[tokio::test]
#[ignore = "it takes longer than the others, and the gate runs it"]
async fn a_failover_is_followed() {
    let Some(mut cluster) = Processes::start(Duration::from_secs(3)) else { return };
    let store = store(&cluster, 2).timeout(TIMEOUT);
    let master_of =
        |limit: &str, key: u32| Processes::first_master(cluster.slot(&format!("test:{limit}:address:0.0.0.{key}")));
    let masters: Vec<_> = (0..KEYS).map(|key| master_of("a", key)).collect();
    // A bucket of the master that never fails.
    let safe = (0..).find(|key| master_of("safe", *key) == 2).unwrap();
    assert!((0..MASTERS).all(|master| masters.iter().filter(|of| **of == master).count() >= 3), "{masters:?}");
    store.start().await.unwrap();
    let mut admitted = [0; KEYS as usize];
    assert_eq!(round(&store, &mut admitted).await, [0; 0]);
    assert!(connected(&store));

    // One that is gone, and then one that says nothing.
    for (failing, witness) in [(0, 2), (1, 2)] {
        match failing {
            0 => cluster.kill(0),
            _ => cluster.freeze(1),
        }
        let failed = round(&store, &mut admitted).await;
        assert!(failed.iter().all(|key| masters[*key as usize] == failing), "others are charged: {failed:?}");
        assert!(!failed.is_empty());
        assert!(!connected(&store));
        store.ready().await.unwrap();
        let lost = (0..KEYS).find(|key| masters[*key as usize] == failing).unwrap();
        let request =
            [Charge::new("a", address(lost), QUOTA, 1), Charge::new("safe", address(safe), Quota::per_day(3), 1)];
        assert!(store.charge(&request).await.is_err());
        assert_eq!(remaining(&store, "safe", safe, Quota::per_day(3)).await, 3, "it was given back");
        let started = Instant::now();
        while started.elapsed() < Duration::from_secs(1) {
            round(&store, &mut admitted).await;
        }
        cluster.wait_for_failover(failing, witness);
        recover(&store, &mut admitted, PATIENCE).await;
        // The outage ends with the first charge that is a second after the last failure.
        tokio::time::sleep(Duration::from_millis(1100)).await;
        assert_eq!(round(&store, &mut admitted).await, [0; 0]);
        assert!(connected(&store));
    }

    // Verdicts are exact again, and what a failover lost is at most the quota.
    let started = Instant::now();
    loop {
        let before = admitted;
        round(&store, &mut admitted).await;
        if before == admitted {
            break;
        }
        assert!(started.elapsed() < PATIENCE);
    }
    for (key, admitted) in admitted.iter().enumerate() {
        let most = if masters[key] == 2 { QUOTA.limit() } else { 2 * QUOTA.limit() };
        assert!((QUOTA.limit()..=most).contains(admitted), "{key} of {}: {admitted}", masters[key]);
    }
}
