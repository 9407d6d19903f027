//! Implements the generic cell rate algorithm (GCRA) with the crate `governor`. The Redis script implements the same
//! algorithm.

use std::cell::Cell;
use std::num::NonZeroU32;
use std::time::Duration;

use governor::clock::Clock;
use governor::middleware::NoOpMiddleware;
use governor::nanos::Nanos;
use governor::state::{NotKeyed, StateStore};
use governor::{Quota as GovernorQuota, RateLimiter};

use restwright_core::rate_limit::Quota;

/// Charges the cost of a request to a bucket. `full_at` is the time at which the bucket is full. If the bucket is full
/// now, this time is in the past. Returns the new `full_at`, or `None` if the bucket holds less than `cost`. All times
/// are microseconds of the same clock.
pub(super) fn charge(full_at: u64, quota: Quota, cost: u32, now: u64) -> Option<u64> {
    let Some(cost) = NonZeroU32::new(cost) else { return Some(full_at.max(now)) };
    let burst = NonZeroU32::new(quota.limit())?;
    // A full bucket never holds this cost, and governor would overflow.
    if cost > burst {
        return None;
    }
    let quota = GovernorQuota::with_period(Duration::from_micros(quota.interval_micros()))?.allow_burst(burst);
    let bucket = Bucket(Cell::new(full_at));
    let limiter: RateLimiter<_, _, _, NoOpMiddleware<Nanos>> = RateLimiter::new(quota, &bucket, FixedClock::new(now));
    limiter.check_n(cost).ok()?.ok()?;
    Some(bucket.0.get())
}

/// A state store for governor that contains one bucket. It is created for each request.
struct Bucket(Cell<u64>);

impl StateStore for &Bucket {
    type Key = NotKeyed;

    fn measure_and_replace<T, F, E>(&self, _: &NotKeyed, decide: F) -> Result<T, E>
    where
        F: Fn(Option<Nanos>) -> Result<(T, Nanos), E>,
    {
        let (outcome, full_at) = decide(Some(nanos(self.0.get())))?;
        self.0.set(full_at.as_u64() / NANOS_PER_MICRO);
        Ok(outcome)
    }
}

/// A clock for governor that returns a fixed time. Governor uses the first reading as its start and decides at the
/// second reading.
struct FixedClock {
    started: Cell<bool>,
    now: u64,
}

impl FixedClock {
    fn new(now: u64) -> Self {
        Self { started: Cell::new(false), now }
    }
}

impl Clock for FixedClock {
    type Instant = Nanos;

    fn now(&self) -> Nanos {
        if self.started.replace(true) { nanos(self.now) } else { Nanos::default() }
    }
}

const NANOS_PER_MICRO: u64 = 1000;

fn nanos(micros: u64) -> Nanos {
    Nanos::from(micros.saturating_mul(NANOS_PER_MICRO))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Charges requests in order, and checks which requests are admitted. Each request is `(time in ms, cost)`.
    fn check(quota: Quota, requests: &[(u64, u32)], expected: &str) {
        let mut full_at = 0;
        let admitted = requests.iter().map(|(millis, cost)| match charge(full_at, quota, *cost, millis * 1000) {
            Some(next) => {
                full_at = next;
                '+'
            }
            None => '-',
        });
        assert_eq!(admitted.collect::<String>(), expected, "{quota:?} {requests:?}");
    }

    #[test]
    fn a_bucket_admits_its_burst_and_then_what_refills() {
        let quota = Quota::per_minute(60).burst(3);
        check(
            quota,
            &[(0, 1), (0, 1), (0, 1), (0, 1), (999, 1), (1000, 1), (1001, 1), (3000, 1), (3000, 1)],
            "+++--+-++",
        );
        check(quota, &[(0, 3), (0, 1), (2000, 3), (3000, 3)], "+--+");
        check(quota, &[(0, 4), (1_000_000, 4), (1_000_000, 0), (1_000_000, 3)], "--++");
        check(Quota::per_second(1), &[(0, 1), (999, 1), (1000, 1), (1500, 0), (1500, 1)], "+-++-");
        check(Quota::per_second(0), &[(0, 1), (0, 0), (1_000_000, 1)], "-+-");
        check(Quota::per_day(1).burst(u32::MAX), &[(0, 36_500), (0, 1), (0, u32::MAX)], "+--");
    }
}
