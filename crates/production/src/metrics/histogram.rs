//! A histogram that is counted without a lock.

use std::sync::atomic::{AtomicU64, Ordering};

/// The number of observations up to each of some bounds, in a unit of which the format has another.
#[derive(Debug)]
pub(super) struct Histogram {
    scale: &'static Scale,
    /// One for each bound, and one beyond all.
    buckets: Box<[AtomicU64]>,
    sum: AtomicU64,
}

/// The bounds of a histogram.
#[derive(Debug)]
pub(super) struct Scale {
    /// The largest value of each bucket.
    bounds: &'static [u64],
    /// How many of what is observed are one in the format.
    per_unit: f64,
}

/// Durations in nanoseconds, by the bounds of the semantic conventions: from 5 ms to 10 s.
pub(super) static DURATIONS: Scale = Scale {
    bounds: &[
        5_000_000,
        10_000_000,
        25_000_000,
        50_000_000,
        75_000_000,
        100_000_000,
        250_000_000,
        500_000_000,
        750_000_000,
        1_000_000_000,
        2_500_000_000,
        5_000_000_000,
        7_500_000_000,
        10_000_000_000,
    ],
    per_unit: 1e9,
};

/// Sizes in bytes, each bound four times the one before: from 256 bytes to 16 MiB.
pub(super) static SIZES: Scale =
    Scale { bounds: &[256, 1_024, 4_096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304, 16_777_216], per_unit: 1.0 };

/// The state of a histogram, in the unit of the format.
pub(super) struct HistogramState {
    pub(super) sum: f64,
    pub(super) count: u64,
    /// The upper bounds, and the observations of each bucket alone.
    pub(super) buckets: Vec<(f64, u64)>,
}

impl Histogram {
    pub(super) fn new(scale: &'static Scale) -> Self {
        let buckets = (0..=scale.bounds.len()).map(|_| AtomicU64::new(0)).collect();
        Self { scale, buckets, sum: AtomicU64::new(0) }
    }

    pub(super) fn observe(&self, value: u64) {
        let position = self.scale.bounds.iter().position(|bound| value <= *bound);
        if let Some(bucket) = self.buckets.get(position.unwrap_or(self.scale.bounds.len())) {
            bucket.fetch_add(1, Ordering::Relaxed);
        }
        self.sum.fetch_add(value, Ordering::Relaxed);
    }

    /// Returns the state, whose count is the sum of its buckets whatever is observed meanwhile.
    #[expect(clippy::cast_precision_loss, reason = "the format has doubles")]
    pub(super) fn state(&self) -> HistogramState {
        let bounds = self.scale.bounds.iter().map(|bound| *bound as f64 / self.scale.per_unit);
        let counts = self.buckets.iter().map(|bucket| bucket.load(Ordering::Relaxed));
        let buckets: Vec<_> = bounds.chain([f64::INFINITY]).zip(counts).collect();
        let count = buckets.iter().map(|(_, count)| count).sum();
        HistogramState { sum: self.sum.load(Ordering::Relaxed) as f64 / self.scale.per_unit, count, buckets }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bound_belongs_to_its_bucket() {
        let histogram = Histogram::new(&SIZES);
        [0, 256, 257, 16_777_216, 16_777_217].into_iter().for_each(|size| histogram.observe(size));
        let state = histogram.state();
        assert_eq!((state.count, state.sum), (5, 33_554_946.0));
        let filled: Vec<_> = state.buckets.into_iter().filter(|(_, count)| *count > 0).collect();
        assert_eq!(filled, [(256.0, 2), (1_024.0, 1), (16_777_216.0, 1), (f64::INFINITY, 1)]);
    }

    #[test]
    fn durations_are_in_seconds() {
        let histogram = Histogram::new(&DURATIONS);
        histogram.observe(1_500_000_000);
        let state = histogram.state();
        assert_eq!(state.sum, 1.5);
        assert_eq!(state.buckets.iter().find(|(_, count)| *count > 0), Some(&(2.5, 1)));
        assert_eq!(state.buckets.first().map(|(bound, _)| *bound), Some(0.005));
    }
}
