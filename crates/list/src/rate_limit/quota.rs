//! How many requests a bucket admits.

use std::time::Duration;

/// A hundred years: the longest time in which a bucket may refill, so that no sum of times overflows.
const LONGEST_REFILL: u64 = 100 * 365 * 24 * 3600 * MICROSECONDS;

const MICROSECONDS: u64 = 1_000_000;

/// How many requests a bucket holds, and how fast it refills.
///
/// The bucket refills evenly, one request at a time (the generic cell rate algorithm), and not at the turn of the minute:
/// whoever has used up 600 a minute gets the next one after 100 ms. The time between two requests is rounded up to whole
/// microseconds, so that never more are admitted than the quota says.
///
/// A quota of 0 requests, at once or in its time, admits none. A limit that has it is a mistake, and the Api is not built;
/// where a [strategy](crate::rate_limit::RateLimitStrategy) says so for a request, that is refused.
/// ```
/// use restwright_list::rate_limit::Quota;
///
/// let quota = Quota::per_minute(600).burst(50);
/// assert_eq!((quota.limit(), quota.interval().as_millis()), (50, 100));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Quota {
    burst: u32,
    interval: u64,
}

impl Quota {
    /// So many requests a second, and as many at once.
    #[must_use]
    pub const fn per_second(requests: u32) -> Self {
        Self::per(1, requests)
    }

    /// So many requests a minute, and as many at once.
    #[must_use]
    pub const fn per_minute(requests: u32) -> Self {
        Self::per(60, requests)
    }

    /// So many requests an hour, and as many at once.
    #[must_use]
    pub const fn per_hour(requests: u32) -> Self {
        Self::per(3600, requests)
    }

    /// So many requests a day, and as many at once.
    #[must_use]
    pub const fn per_day(requests: u32) -> Self {
        Self::per(24 * 3600, requests)
    }

    /// Sets how many requests are admitted at once, which is what a full bucket holds; a bucket that would take more than a
    /// hundred years to refill holds what refills in that time. A quota of 0 requests stays that.
    #[must_use]
    pub const fn burst(mut self, requests: u32) -> Self {
        let most = LONGEST_REFILL / self.interval;
        self.burst = if self.burst == 0 { 0 } else { requests };
        // The quotient is smaller than a `u32` then.
        #[expect(clippy::cast_possible_truncation, reason = "it is smaller than the burst")]
        if (self.burst as u64) > most {
            self.burst = most as u32;
        }
        self
    }

    /// How many requests a full bucket holds: what `X-RateLimit-Limit` says.
    #[must_use]
    pub const fn limit(&self) -> u32 {
        self.burst
    }

    /// After how long the bucket holds one request more.
    #[must_use]
    pub const fn interval(&self) -> Duration {
        Duration::from_micros(self.interval)
    }

    const fn per(seconds: u64, requests: u32) -> Self {
        let divisor = if requests == 0 { 1 } else { requests as u64 };
        Self { burst: 1, interval: (seconds * MICROSECONDS).div_ceil(divisor) }.burst(requests)
    }

    /// The interval in microseconds.
    pub(crate) fn micros(self) -> u64 {
        self.interval
    }

    /// What a full bucket holds, in microseconds.
    pub(crate) fn capacity(self) -> u64 {
        self.interval.saturating_mul(u64::from(self.burst))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_are_rounded_up() {
        for (quota, limit, micros) in [
            (Quota::per_second(1), 1, 1_000_000),
            (Quota::per_second(3), 3, 333_334),
            (Quota::per_second(2_000_000), 2_000_000, 1),
            (Quota::per_minute(600), 600, 100_000),
            (Quota::per_minute(7), 7, 8_571_429),
            (Quota::per_hour(0), 0, 3_600_000_000),
            (Quota::per_hour(0).burst(5), 0, 3_600_000_000),
            (Quota::per_day(1).burst(0), 0, 86_400_000_000),
            (Quota::per_day(1).burst(u32::MAX), 36_500, 86_400_000_000),
        ] {
            assert_eq!((quota.limit(), quota.micros()), (limit, micros), "{quota:?}");
        }
    }
}
