//! Tests that the Redis script and the buckets in memory make the same decisions.

use std::cell::Cell;

use proptest::prelude::*;

use super::*;
use crate::MemoryLimiter;

/// A test request, as the time in microseconds since the previous request and the costs for two limits.
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

/// Charges the requests in memory, and returns the states of the buckets.
async fn in_memory(quotas: [Quota; 2], steps: &[Step]) -> Vec<Vec<BucketState>> {
    let clock = Clock::manual(0);
    let store = MemoryLimiter::new().clock(clock.clone());
    clock.advance(Duration::from_micros(START));
    let mut verdicts = Vec::new();
    for (micros, first, second) in steps {
        clock.advance(Duration::from_micros(*micros));
        let charges = [charge("first", quotas[0], *first), charge("second", quotas[1], *second)];
        verdicts.push(store.charge(&charges).await.unwrap());
    }
    verdicts
}

/// Charges the requests on Redis, and returns the states of the buckets.
async fn on_redis(store: &RedisLimiter, quotas: [Quota; 2], steps: &[Step]) -> Vec<Vec<BucketState>> {
    let mut now = START;
    let mut verdicts = Vec::new();
    for (micros, first, second) in steps {
        now += micros;
        let charges = [charge("first", quotas[0], *first), charge("second", quotas[1], *second)];
        verdicts.push(store.run(&charges, Some(now)).await.unwrap());
    }
    verdicts
}

/// A realistic server time in microseconds. No bucket of the test expires before this time.
const START: u64 = 1_800_000_000_000_000;

/// A store on the real Redis server. Dropping this value deletes its buckets.
struct Real {
    url: String,
    prefix: String,
}

impl Real {
    fn new(test: &str) -> Option<Self> {
        let url = restwright_tests::environment("REDIS_URL")?;
        let since = std::time::SystemTime::UNIX_EPOCH.elapsed().unwrap().as_nanos();
        Some(Self { url, prefix: format!("restwright-test-{test}-{since}") })
    }

    fn store(&self, case: usize) -> RedisLimiter {
        let store = RedisLimiter::new(&self.url, WhenUnavailable::FailClosed);
        store.prefix(format!("{}-{case}", self.prefix)).timeout(Duration::from_secs(10))
    }
}

impl Drop for Real {
    fn drop(&mut self) {
        let mut connection = ::redis::Client::open(&*self.url).unwrap().get_connection().unwrap();
        let delete = "for _, key in ipairs(redis.call('KEYS', ARGV[1])) do redis.call('DEL', key) end";
        ::redis::cmd("EVAL").arg(delete).arg(0).arg(format!("{}-*", self.prefix)).exec(&mut connection).unwrap();
    }
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
}

#[test]
fn script_and_governor_decide_alike() {
    let Some(real) = Real::new("parity") else { return };
    let runtime = runtime();
    let case = Cell::new(0);
    let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig {
        cases: 300,
        failure_persistence: None,
        ..ProptestConfig::default()
    });
    let outcome = runner.run(&([quotas(), quotas()], steps()), |(quotas, steps)| {
        case.set(case.get() + 1);
        let found = runtime.block_on(on_redis(&real.store(case.get()), quotas, &steps));
        prop_assert_eq!(found, runtime.block_on(in_memory(quotas, &steps)));
        Ok(())
    });
    outcome.unwrap();
}

#[test]
fn a_clock_that_was_set_back_keeps_what_a_bucket_owes() {
    let Some(real) = Real::new("set-back") else { return };
    let quota = Quota::per_minute(60).burst(5);
    let store = real.store(0);
    let hour = 3_600_000_000;
    let second = 1_000_000;
    let steps = [
        (START, 5, true, 5 * second),
        (START, 1, false, 5 * second),
        (START - hour, 1, false, 5 * second),
        (START - hour + second, 1, true, 5 * second),
        (START - hour + second, 0, true, 5 * second),
        (START - 2 * hour, 0, true, 5 * second),
        (START - 2 * hour + 3 * second, 1, true, 3 * second),
        (START, 5, true, 5 * second),
    ];
    for (number, (now, cost, admitted, until_full)) in steps.into_iter().enumerate() {
        let state = runtime().block_on(store.run(&[charge("a", quota, cost)], Some(now))).unwrap()[0];
        assert_eq!(
            (state.is_admitted(), state.until_full()),
            (admitted, Duration::from_micros(until_full)),
            "step {number}"
        );
    }
}
