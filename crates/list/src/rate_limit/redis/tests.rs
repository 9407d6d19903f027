//! The script on a real server gives the verdicts of the buckets in memory.

use std::cell::Cell;
use std::io::Write;
use std::sync::Arc;
use std::time::Duration;

use proptest::prelude::*;
use restwright_core::Stage;

use super::*;
use crate::rate_limit::memory::LimitId;
use crate::rate_limit::planned::{Charge, PlannedLimit};
use crate::rate_limit::standing::Standing;
use crate::rate_limit::strategy::Global;
use crate::rate_limit::{Clock, MemoryStore, Quota, RateLimitKey};

/// One request: how long after the last, and what it costs at each of two limits.
type Step = (u64, u32, u32);

fn quotas() -> impl Strategy<Value = Quota> {
    let quota = prop_oneof![
        (1..2000_u32).prop_map(Quota::per_second),
        (1..2000_u32).prop_map(Quota::per_minute),
        (1..100_u32).prop_map(Quota::per_day),
    ];
    (quota, prop_oneof![1..10_u32, Just(u32::MAX)]).prop_map(|(quota, burst)| quota.burst(burst))
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let micros = prop_oneof![Just(0), 0..2000_u64, 0..5_000_000_u64, 0..100_000_000_000_u64];
    let cost = || prop_oneof![5 => Just(1_u32), 2 => 0..12_u32, 1 => any::<u32>()];
    prop::collection::vec((micros, cost(), cost()), 1..100)
}

/// What the buckets in memory say.
fn in_memory(quotas: [Quota; 2], steps: &[Step]) -> Vec<Vec<Standing>> {
    let clock = Clock::manual();
    let store = MemoryStore::new().clock(clock.clone());
    clock.advance(Duration::from_micros(START));
    let verdicts = steps.iter().map(|(micros, first, second)| {
        clock.advance(Duration::from_micros(*micros));
        let mut standings = Vec::new();
        for (name, quota, cost) in [("first", quotas[0], *first), ("second", quotas[1], *second)] {
            let standing = store.charge(LimitId::new(name), &RateLimitKey::whole(), quota, cost, store.now());
            standings.push(standing);
            if !standing.admitted {
                break;
            }
        }
        standings
    });
    verdicts.collect()
}

/// What the script says.
async fn on_redis(store: &RedisStore, quotas: [Quota; 2], steps: &[Step]) -> Vec<Vec<Standing>> {
    let planned = |name: &str, quota| {
        PlannedLimit::new(name.into(), LimitId::new(name), Stage::AddressLimit, Arc::new(Global(quota)))
    };
    let limits = [planned("first", quotas[0]), planned("second", quotas[1])];
    let mut now = START;
    let mut verdicts = Vec::new();
    for (micros, first, second) in steps {
        now += micros;
        let charge = |index: usize, cost| Charge {
            limit: &limits[index],
            key: RateLimitKey::whole(),
            cost,
            quota: quotas[index],
        };
        let charges = [charge(0, *first), charge(1, *second)];
        verdicts.push(store.run(&charges, Some(now)).await.unwrap());
    }
    verdicts
}

/// A time like that of a server, which no bucket of the test expires before.
const START: u64 = 1_800_000_000_000_000;

#[test]
fn script_and_governor_decide_alike() {
    let Ok(url) = std::env::var("REDIS_URL") else {
        // Past the test harness, which keeps what a passing test prints.
        writeln!(std::io::stderr(), "SKIPPED: REDIS_URL is not set").unwrap();
        return;
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let since = std::time::SystemTime::UNIX_EPOCH.elapsed().unwrap().as_nanos();
    let case = Cell::new(0);
    let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig {
        cases: 300,
        failure_persistence: None,
        ..ProptestConfig::default()
    });
    let outcome = runner.run(&([quotas(), quotas()], steps()), |(quotas, steps)| {
        case.set(case.get() + 1);
        let store = RedisStore::new(&url, WhenUnavailable::FailClosed);
        let store =
            store.prefix(format!("restwright-test-parity-{since}-{}", case.get())).timeout(Duration::from_secs(10));
        let found = runtime.block_on(on_redis(&store, quotas, &steps));
        prop_assert_eq!(found, in_memory(quotas, &steps));
        Ok(())
    });
    outcome.unwrap();
}
