//! Defines reports of the gauges and counters of components.

use std::sync::Arc;

pub use crate::histogram::{DurationHistogram, HistogramSnapshot};

/// The current values of the gauges and counters of components, in the order of the components.
///
/// A component adds its values in [`Component::report`](crate::Component::report). `Api::report` collects the values of
/// all components.
///
/// ```
/// use restwright_core::report::{Report, SampleValue};
/// use restwright_core::Component;
///
/// struct Pool;
///
/// impl Component for Pool {
///     fn name(&self) -> &str {
///         "database"
///     }
///
///     fn report(&self, report: &mut Report) {
///         report.gauge("pool_connections", "Open connections.", 4.0);
///         report.counter("pool_timeouts", "Requests that got no connection in time.", 2);
///     }
/// }
///
/// let mut report = Report::default();
/// Pool.report(&mut report);
/// let [connections, timeouts] = report.samples() else { panic!("two samples") };
/// assert_eq!(connections.name(), "pool_connections");
/// assert_eq!(timeouts.value(), SampleValue::Counter(2));
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Report {
    component: Arc<str>,
    samples: Vec<Sample>,
}

/// The current value of a gauge, a counter or a histogram, with its component, name, description and labels.
#[derive(Debug, Clone, PartialEq)]
pub struct Sample {
    component: Arc<str>,
    name: &'static str,
    description: &'static str,
    labels: Vec<Label>,
    value: SampleValue,
}

type Label = (&'static str, Arc<str>);

/// The value of a [`Sample`].
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum SampleValue {
    /// A value that can increase and decrease.
    Gauge(f64),
    /// The number of events since the process started. It never decreases.
    Counter(u64),
    /// Durations since the process started, in seconds.
    Histogram(HistogramSnapshot),
}

impl Report {
    /// Adds a gauge to the report.
    ///
    /// A name consists of lower-case letters, digits and underscores. It ends with its unit if it has one, such as
    /// `key_age_seconds`. Across all components a name is used either for gauges or for counters.
    pub fn gauge(&mut self, name: &'static str, description: &'static str, value: f64) {
        self.push(name, description, Vec::new(), SampleValue::Gauge(value));
    }

    /// Adds a counter to the report. Omit suffixes such as `_total` from the name, because metrics formats add them.
    pub fn counter(&mut self, name: &'static str, description: &'static str, value: u64) {
        self.push(name, description, Vec::new(), SampleValue::Counter(value));
    }

    /// Adds a value with labels to the report. An example of a label is `("limit", "logins")`. Use only values that the
    /// application declares as labels, never values from clients.
    pub fn labelled<V: Into<Arc<str>>>(
        &mut self,
        name: &'static str,
        description: &'static str,
        labels: impl IntoIterator<Item = (&'static str, V)>,
        value: SampleValue,
    ) {
        let labels = labels.into_iter().map(|(label, value)| (label, value.into())).collect();
        self.push(name, description, labels, value);
    }

    /// Returns all values of the report.
    #[must_use]
    pub fn samples(&self) -> &[Sample] {
        &self.samples
    }

    /// Sets the component name of all values that are added after this call.
    pub fn begin(&mut self, component: &str) {
        self.component = component.into();
    }

    fn push(&mut self, name: &'static str, description: &'static str, labels: Vec<Label>, value: SampleValue) {
        self.samples.push(Sample { component: self.component.clone(), name, description, labels, value });
    }
}

impl Sample {
    /// Returns the name of the component that added the value.
    #[must_use]
    pub fn component(&self) -> &str {
        &self.component
    }

    /// Returns the name of the gauge, counter or histogram.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Returns the description of the value, as a sentence.
    #[must_use]
    pub fn description(&self) -> &'static str {
        self.description
    }

    /// Returns the name and the value of each label.
    pub fn labels(&self) -> impl Iterator<Item = (&'static str, &str)> {
        self.labels.iter().map(|(name, value)| (*name, &**value))
    }

    /// Returns the value of the gauge, counter or histogram.
    #[must_use]
    pub fn value(&self) -> SampleValue {
        self.value
    }
}
