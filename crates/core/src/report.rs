//! Values that components measure.

use std::sync::Arc;

/// The current values of the gauges and counters of components, in the order of the components.
///
/// A component adds its values in [`Component::report`](crate::Component::report); `Api::report` collects
/// those of all components.
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

/// A value that a component measures.
#[derive(Debug, Clone, PartialEq)]
pub struct Sample {
    component: Arc<str>,
    name: &'static str,
    description: &'static str,
    value: SampleValue,
}

/// The value of a [`Sample`] with its type.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum SampleValue {
    /// A value that goes up and down.
    Gauge(f64),
    /// A number of events since the process started; it never goes down.
    Counter(u64),
}

impl Report {
    /// Adds a gauge.
    ///
    /// A name consists of lower-case letters, digits and underscores, and ends with its unit if it has one, such as
    /// `key_age_seconds`.
    pub fn gauge(&mut self, name: &'static str, description: &'static str, value: f64) {
        self.push(name, description, SampleValue::Gauge(value));
    }

    /// Adds a counter. Its name has no suffix such as `_total`, which formats add by themselves.
    pub fn counter(&mut self, name: &'static str, description: &'static str, value: u64) {
        self.push(name, description, SampleValue::Counter(value));
    }

    /// Returns the values that were added.
    #[must_use]
    pub fn samples(&self) -> &[Sample] {
        &self.samples
    }

    /// Attributes the values that follow to a component.
    #[doc(hidden)]
    pub fn begin(&mut self, component: &str) {
        self.component = component.into();
    }

    fn push(&mut self, name: &'static str, description: &'static str, value: SampleValue) {
        self.samples.push(Sample { component: self.component.clone(), name, description, value });
    }
}

impl Sample {
    /// Returns the name of the component.
    #[must_use]
    pub fn component(&self) -> &str {
        &self.component
    }

    /// Returns the name of the value.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Returns what the value measures, as a sentence.
    #[must_use]
    pub fn description(&self) -> &'static str {
        self.description
    }

    /// Returns the value.
    #[must_use]
    pub fn value(&self) -> SampleValue {
        self.value
    }
}
