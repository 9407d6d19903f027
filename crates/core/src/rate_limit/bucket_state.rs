//! Defines the state of a rate limit bucket after a request.

use std::time::Duration;

use super::Quota;

/// The state of a rate limit bucket after a request, and whether the request was admitted.
///
/// ```
/// use std::time::Duration;
///
/// use restwright_core::rate_limit::{BucketState, Quota};
///
/// let state = BucketState::admitted(Quota::per_minute(60).burst(10), Duration::from_secs(4));
/// assert_eq!((state.limit(), state.remaining()), (10, 6));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BucketState {
    admitted: bool,
    limit: u32,
    remaining: u32,
    /// The time until the bucket is full, in microseconds.
    until_full: u64,
}

impl BucketState {
    /// Creates the state of a bucket after a request was admitted and charged. `until_full` is the time until the
    /// bucket is full again.
    #[must_use]
    pub fn admitted(quota: Quota, until_full: Duration) -> Self {
        Self::new(quota, micros(until_full), true)
    }

    /// Creates the state of a bucket after a request was rejected and not charged. `until_full` is the time until the
    /// bucket is full again.
    #[must_use]
    pub fn refused(quota: Quota, until_full: Duration) -> Self {
        Self::new(quota, micros(until_full), false)
    }

    /// Returns `true` if the request was admitted.
    #[must_use]
    pub fn is_admitted(&self) -> bool {
        self.admitted
    }

    /// Returns the bucket size, which is the number of requests in a full bucket.
    #[must_use]
    pub fn limit(&self) -> u32 {
        self.limit
    }

    /// Returns the number of requests that remain in the bucket.
    #[must_use]
    pub fn remaining(&self) -> u32 {
        self.remaining
    }

    /// Returns the time until the bucket is full.
    #[must_use]
    pub fn until_full(&self) -> Duration {
        Duration::from_micros(self.until_full)
    }

    fn new(quota: Quota, until_full: u64, admitted: bool) -> Self {
        let content = quota.capacity_micros().saturating_sub(until_full);
        let remaining = u32::try_from(content / quota.interval_micros()).unwrap_or(u32::MAX);
        Self { admitted, limit: quota.limit(), remaining, until_full }
    }

    /// Returns the time until the bucket admits a request with the cost `cost`. Returns `None` if the cost is larger
    /// than the bucket.
    ///
    /// The time may exceed the refill time of `quota` if an earlier charge used a larger quota.
    #[must_use]
    pub fn wait(&self, quota: Quota, cost: u32) -> Option<Duration> {
        let needed = quota.interval_micros().saturating_mul(u64::from(cost));
        let wait = || self.until_full.saturating_add(needed).saturating_sub(quota.capacity_micros());
        (cost <= quota.limit()).then(|| Duration::from_micros(wait()))
    }

    /// Compares two states and returns the state with fewer remaining requests. If the numbers are equal, returns the
    /// state that takes longer to refill.
    #[must_use]
    pub fn tightest(self, other: Self) -> Self {
        let rank = |state: &Self| (state.remaining, u64::MAX - state.until_full);
        if rank(&other) < rank(&self) { other } else { self }
    }
}

fn micros(duration: Duration) -> u64 {
    u64::try_from(duration.as_micros()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remaining_counts_whole_requests() {
        let quota = Quota::per_minute(60).burst(10);
        for (until_full, remaining) in [(0, 10), (1, 9), (9_000_001, 0), (60_000_000, 0)] {
            assert_eq!(BucketState::new(quota, until_full, true).remaining, remaining, "{until_full}");
        }
    }

    #[test]
    fn waits_until_the_request_is_allowed() {
        let quota = Quota::per_minute(60).burst(10);
        for (cost, until_full, wait) in [
            (1, 9_000_001, Some(1)),
            (3, 8_000_000, Some(1_000_000)),
            (1, 60_000_000, Some(51_000_000)),
            (10, 60_000_000, Some(60_000_000)),
            (11, 0, None),
        ] {
            let expected = wait.map(Duration::from_micros);
            assert_eq!(BucketState::new(quota, until_full, false).wait(quota, cost), expected, "{cost} {until_full}");
        }
    }

    #[test]
    fn compares_remaining_requests_before_refill_times() {
        let state = |quota, until_full| BucketState::new(quota, until_full, true);
        let (wide, narrow) = (state(Quota::per_second(100), 0), state(Quota::per_second(10), 0));
        assert_eq!(wide.tightest(narrow), narrow);
        assert_eq!(narrow.tightest(wide), narrow);
        let (slow, fast) = (state(Quota::per_minute(10), 6_000_000), state(Quota::per_second(10), 100_000));
        assert_eq!(slow.tightest(fast), slow);
        assert_eq!(fast.tightest(slow), slow);
    }
}
