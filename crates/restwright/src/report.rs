//! Contains reports of the gauges and counters of components.

#[doc(inline)]
pub use restwright_core::report::{DurationHistogram, HistogramSnapshot, Report, Sample, SampleValue};
