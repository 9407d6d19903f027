//! Defines reports of the gauges and counters of components.

use std::sync::Arc;

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

/// The current value of a gauge or a counter, with its component, name, description and label.
#[derive(Debug, Clone, PartialEq)]
pub struct Sample {
    component: Arc<str>,
    name: &'static str,
    description: &'static str,
    label: Option<(&'static str, Arc<str>)>,
    value: SampleValue,
}

/// The value of a [`Sample`], which is a gauge or a counter.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum SampleValue {
    /// A value that can increase and decrease.
    Gauge(f64),
    /// The number of events since the process started. It never decreases.
    Counter(u64),
}

impl Report {
    /// Adds a gauge to the report.
    ///
    /// A name consists of lower-case letters, digits and underscores. It ends with its unit if it has one, such as
    /// `key_age_seconds`. Across all components a name is used either for gauges or for counters.
    pub fn gauge(&mut self, name: &'static str, description: &'static str, value: f64) {
        self.push(name, description, None, SampleValue::Gauge(value));
    }

    /// Adds a counter to the report. Omit suffixes such as `_total` from the name, because metrics formats add them.
    pub fn counter(&mut self, name: &'static str, description: &'static str, value: u64) {
        self.push(name, description, None, SampleValue::Counter(value));
    }

    /// Adds a counter with a label to the report. An example of a label is `("limit", "logins")`. Use only values that
    /// the application declares as labels, never values from clients.
    pub fn labelled_counter(
        &mut self,
        name: &'static str,
        description: &'static str,
        label: (&'static str, impl Into<Arc<str>>),
        value: u64,
    ) {
        let label = (label.0, label.1.into());
        self.push(name, description, Some(label), SampleValue::Counter(value));
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

    fn push(
        &mut self,
        name: &'static str,
        description: &'static str,
        label: Option<(&'static str, Arc<str>)>,
        value: SampleValue,
    ) {
        self.samples.push(Sample { component: self.component.clone(), name, description, label, value });
    }
}

impl Sample {
    /// Returns the name of the component that added the value.
    #[must_use]
    pub fn component(&self) -> &str {
        &self.component
    }

    /// Returns the name of the gauge or counter.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Returns the description of the value, as a sentence.
    #[must_use]
    pub fn description(&self) -> &'static str {
        self.description
    }

    /// Returns the name and the value of the label, or `None` if the value has no label.
    #[must_use]
    pub fn label(&self) -> Option<(&'static str, &str)> {
        self.label.as_ref().map(|(name, value)| (*name, &**value))
    }

    /// Returns the value of the gauge or counter.
    #[must_use]
    pub fn value(&self) -> SampleValue {
        self.value
    }
}
