//! Creates histograms with fixed buckets.

use prometheus_client::metrics::histogram::Histogram;

/// The bucket bounds of durations in seconds, as specified by OpenTelemetry's semantic conventions.
const DURATIONS: [f64; 14] = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1.0, 2.5, 5.0, 7.5, 10.0];

/// The bucket bounds of sizes in bytes, from 256 bytes to 16 MiB by factors of four.
const SIZES: [f64; 9] =
    [256.0, 1_024.0, 4_096.0, 16_384.0, 65_536.0, 262_144.0, 1_048_576.0, 4_194_304.0, 16_777_216.0];

/// Creates a histogram of durations in seconds.
pub(super) fn durations() -> Histogram {
    Histogram::new(DURATIONS)
}

/// Creates a histogram of sizes in bytes.
pub(super) fn sizes() -> Histogram {
    Histogram::new(SIZES)
}
