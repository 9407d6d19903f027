//! Defines [`DurationHistogram`], which counts durations in buckets.

use std::array;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// The upper bounds of the buckets in seconds, as specified by OpenTelemetry's semantic conventions for database clients.
const BOUNDS: [f64; 9] = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1.0, 5.0, 10.0];

/// The number of buckets, with the bucket above the last bound.
const BUCKETS: usize = BOUNDS.len() + 1;

/// A histogram of durations, such as the times of statements. A component records durations in it, and adds it to its
/// [report](crate::report::Report::labelled). It needs no lock.
///
/// The upper bounds of the buckets are 1, 5, 10, 50, 100 and 500 milliseconds and 1, 5 and 10 seconds.
///
/// ```
/// use std::time::Duration;
///
/// use restwright_core::report::DurationHistogram;
///
/// let waits = DurationHistogram::default();
/// waits.record(Duration::from_millis(7));
/// assert_eq!((waits.snapshot().count(), waits.snapshot().sum()), (1, 0.007));
/// ```
#[derive(Debug)]
pub struct DurationHistogram {
    buckets: [AtomicU64; BUCKETS],
    nanoseconds: AtomicU64,
}

/// The values of a [`DurationHistogram`] at one time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HistogramSnapshot {
    counts: [u64; BUCKETS],
    sum: f64,
}

impl DurationHistogram {
    /// Counts a duration.
    pub fn record(&self, duration: Duration) {
        let seconds = duration.as_secs_f64();
        let bucket = BOUNDS.iter().position(|bound| seconds <= *bound).unwrap_or(BOUNDS.len());
        if let Some(bucket) = self.buckets.get(bucket) {
            bucket.fetch_add(1, Ordering::Relaxed);
        }
        let nanoseconds = u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX);
        self.nanoseconds.fetch_add(nanoseconds, Ordering::Relaxed);
    }

    /// Returns the current values.
    #[must_use]
    pub fn snapshot(&self) -> HistogramSnapshot {
        let counts = array::from_fn(|bucket| self.buckets.get(bucket).map_or(0, |count| count.load(Ordering::Relaxed)));
        HistogramSnapshot { counts, sum: Duration::from_nanos(self.nanoseconds.load(Ordering::Relaxed)).as_secs_f64() }
    }
}

impl Default for DurationHistogram {
    fn default() -> Self {
        Self { buckets: array::from_fn(|_| AtomicU64::new(0)), nanoseconds: AtomicU64::new(0) }
    }
}

impl HistogramSnapshot {
    /// Returns each bucket with its upper bound in seconds and the number of durations in it. The bound of the last
    /// bucket is infinite.
    pub fn buckets(&self) -> impl Iterator<Item = (f64, u64)> {
        BOUNDS.into_iter().chain([f64::INFINITY]).zip(self.counts)
    }

    /// Returns the number of durations.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// Returns the sum of the durations in seconds.
    #[must_use]
    pub fn sum(&self) -> f64 {
        self.sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bucket_contains_its_upper_bound() {
        let histogram = DurationHistogram::default();
        for milliseconds in [0, 1, 2, 5, 10_000, 10_001, 100_000] {
            histogram.record(Duration::from_millis(milliseconds));
        }
        let counts: Vec<_> = histogram.snapshot().buckets().map(|(_, count)| count).collect();
        assert_eq!(counts, [2, 2, 0, 0, 0, 0, 0, 0, 1, 2]);
        assert_eq!((histogram.snapshot().count(), histogram.snapshot().sum()), (7, 120.009));
    }
}
