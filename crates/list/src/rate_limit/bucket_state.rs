//! How a caller stands with a limit.

use super::Quota;

/// What is left of a limit after a request, and whether the request was admitted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct BucketState {
    pub(super) admitted: bool,
    /// What a full bucket holds.
    pub(super) limit: u32,
    /// What the bucket holds now.
    pub(super) remaining: u32,
    /// The microseconds until it is full.
    pub(super) until_full: u64,
}

impl BucketState {
    /// When `until_full` microseconds are left until the bucket is full.
    pub(super) fn new(quota: Quota, until_full: u64, admitted: bool) -> Self {
        let content = quota.capacity().saturating_sub(until_full);
        let remaining = u32::try_from(content / quota.micros()).unwrap_or(u32::MAX);
        Self { admitted, limit: quota.limit(), remaining, until_full }
    }

    /// The microseconds until a request of this cost is admitted; `None` for one that never is. A bucket may owe more than it
    /// holds, when it was charged by a larger quota.
    pub(super) fn wait(self, quota: Quota, cost: u32) -> Option<u64> {
        let needed = quota.micros().saturating_mul(u64::from(cost));
        (cost <= quota.limit()).then(|| self.until_full.saturating_add(needed).saturating_sub(quota.capacity()))
    }

    /// The one to report of two that admitted: the one with less left, then the one that takes longer to refill.
    pub(super) fn tightest(self, other: Self) -> Self {
        let rank = |one: &Self| (one.remaining, u64::MAX - one.until_full);
        if rank(&other) < rank(&self) { other } else { self }
    }
}

/// Microseconds as seconds, rounded up.
pub(super) fn seconds(micros: u64) -> u64 {
    micros.div_ceil(1_000_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_is_whole_requests() {
        let quota = Quota::per_minute(60).burst(10);
        for (until_full, remaining) in [(0, 10), (1, 9), (9_000_001, 0), (60_000_000, 0)] {
            assert_eq!(BucketState::new(quota, until_full, true).remaining, remaining, "{until_full}");
        }
    }

    #[test]
    fn the_wait_is_until_the_request_is_admitted() {
        let quota = Quota::per_minute(60).burst(10);
        for (cost, until_full, wait) in [
            (1, 9_000_001, Some(1)),
            (3, 8_000_000, Some(1_000_000)),
            (1, 60_000_000, Some(51_000_000)),
            (10, 60_000_000, Some(60_000_000)),
            (11, 0, None),
        ] {
            assert_eq!(BucketState::new(quota, until_full, false).wait(quota, cost), wait, "{cost} {until_full}");
        }
    }

    #[test]
    fn the_tightest_has_least_left_and_then_takes_longest_to_refill() {
        let standing = |quota, until_full| BucketState::new(quota, until_full, true);
        let (wide, narrow) = (standing(Quota::per_second(100), 0), standing(Quota::per_second(10), 0));
        assert_eq!(wide.tightest(narrow), narrow);
        assert_eq!(narrow.tightest(wide), narrow);
        let (slow, fast) = (standing(Quota::per_minute(10), 6_000_000), standing(Quota::per_second(10), 100_000));
        assert_eq!(slow.tightest(fast), slow);
        assert_eq!(fast.tightest(slow), slow);
    }
}
