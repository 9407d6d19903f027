//! How a caller stands with a limit.

use super::Quota;

/// What is left of a limit after a request, and whether the request was admitted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Standing {
    /// What a full bucket holds.
    pub(super) limit: u32,
    /// What the bucket holds now.
    pub(super) remaining: u32,
    /// The microseconds until it is full.
    pub(super) until_full: u64,
    /// For a refused request, the microseconds until it would be admitted.
    pub(super) wait: Option<u64>,
}

impl Standing {
    /// After a request of this cost, when `until_full` microseconds are left until the bucket is full.
    pub(super) fn new(quota: Quota, cost: u32, until_full: u64, admitted: bool) -> Self {
        let content = quota.capacity().saturating_sub(until_full);
        let remaining = u32::try_from(content / quota.micros()).unwrap_or(u32::MAX);
        let needed = quota.micros().saturating_mul(u64::from(cost.min(quota.limit())));
        let wait = (!admitted).then(|| needed.saturating_sub(content));
        Self { limit: quota.limit(), remaining, until_full, wait }
    }

    pub(super) fn is_refused(&self) -> bool {
        self.wait.is_some()
    }

    /// The one to report: a refusal, then the one with less left, then the one that takes longer to refill.
    pub(super) fn tightest(self, other: Self) -> Self {
        let rank = |one: &Self| (!one.is_refused(), one.remaining, u64::MAX - one.until_full);
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
        for (cost, until_full, admitted, remaining, wait) in [
            (1, 0, true, 10, None),
            (1, 1, true, 9, None),
            (1, 9_000_001, true, 0, None),
            (1, 9_000_001, false, 0, Some(1)),
            (3, 8_000_000, false, 2, Some(1_000_000)),
            (11, 0, false, 10, Some(0)),
        ] {
            let standing = Standing::new(quota, cost, until_full, admitted);
            assert_eq!((standing.remaining, standing.wait), (remaining, wait), "{cost} {until_full} {admitted}");
        }
    }

    #[test]
    fn the_tightest_is_a_refusal_or_has_least_left() {
        let standing = |limit, until_full, admitted| Standing::new(Quota::per_second(limit), 1, until_full, admitted);
        let (wide, narrow, refused) = (standing(100, 0, true), standing(10, 0, true), standing(200, 0, false));
        assert_eq!(wide.tightest(narrow), narrow);
        assert_eq!(narrow.tightest(refused), refused);
        assert_eq!(refused.tightest(narrow), refused);
    }
}
