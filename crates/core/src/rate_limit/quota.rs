//! Defines the quota of a rate limit, which consists of the bucket size and the refill rate.

use std::time::Duration;

/// The maximum refill time of a bucket in microseconds. It is 100 years, so sums of times cannot overflow.
const LONGEST_REFILL: u64 = 100 * 365 * 24 * 3600 * MICROSECONDS;

const MICROSECONDS: u64 = 1_000_000;

/// The size of a rate limit bucket and its refill rate.
///
/// A bucket refills evenly, one request at a time (generic cell rate algorithm). A client that has used up 600 requests
/// per minute gets the next request after 100 ms. The time between two requests is rounded up to whole microseconds, so
/// a bucket never admits more than its quota.
///
/// A quota of 0 requests admits nothing. Building the Api fails if a limit declares this quota. If a strategy returns
/// this quota for a request, the request is rejected.
///
/// ```
/// use restwright_core::rate_limit::Quota;
///
/// let quota = Quota::per_minute(600).burst(50);
/// assert_eq!((quota.limit(), quota.interval().as_millis()), (50, 100));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Quota {
    burst: u32,
    /// The time in which the bucket refills by one request, in microseconds.
    interval: u64,
}

impl Quota {
    /// Creates a quota of `requests` per second, with a bucket of the same size.
    #[must_use]
    pub const fn per_second(requests: u32) -> Self {
        Self::per(1, requests)
    }

    /// Creates a quota of `requests` per minute, with a bucket of the same size.
    #[must_use]
    pub const fn per_minute(requests: u32) -> Self {
        Self::per(60, requests)
    }

    /// Creates a quota of `requests` per hour, with a bucket of the same size.
    #[must_use]
    pub const fn per_hour(requests: u32) -> Self {
        Self::per(3600, requests)
    }

    /// Creates a quota of `requests` per day, with a bucket of the same size.
    #[must_use]
    pub const fn per_day(requests: u32) -> Self {
        Self::per(24 * 3600, requests)
    }

    /// Sets the bucket size, which is the maximum number of requests in a burst.
    ///
    /// If refilling would take more than 100 years, the size is reduced. A quota of 0 requests stays 0.
    #[must_use]
    pub const fn burst(mut self, requests: u32) -> Self {
        let most = LONGEST_REFILL / self.interval;
        self.burst = if self.burst == 0 { 0 } else { requests };
        #[expect(clippy::cast_possible_truncation, reason = "it is smaller than the burst")]
        if (self.burst as u64) > most {
            self.burst = most as u32;
        }
        self
    }

    /// Returns the bucket size, which is the number of requests in a full bucket.
    ///
    /// This number is the value of the header `X-RateLimit-Limit`.
    #[must_use]
    pub const fn limit(&self) -> u32 {
        self.burst
    }

    /// Returns the time that the bucket takes to refill by one request.
    #[must_use]
    pub const fn interval(&self) -> Duration {
        Duration::from_micros(self.interval)
    }

    const fn per(seconds: u64, requests: u32) -> Self {
        let divisor = if requests == 0 { 1 } else { requests as u64 };
        Self { burst: 1, interval: (seconds * MICROSECONDS).div_ceil(divisor) }.burst(requests)
    }

    /// Returns the [interval](Self::interval) in microseconds.
    #[must_use]
    pub const fn interval_micros(&self) -> u64 {
        self.interval
    }

    /// Returns the time in which an empty bucket refills completely, in microseconds.
    #[must_use]
    pub(super) fn capacity_micros(self) -> u64 {
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
            assert_eq!((quota.limit(), quota.interval_micros()), (limit, micros), "{quota:?}");
        }
    }
}
