//! Defines [`Counts`], the counters and histograms of a store for metrics.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{PoisonError, RwLock};
use std::time::Duration;

use restwright_core::report::{DurationHistogram, Report, SampleValue};

/// The counters and histograms of a store for metrics. All workers share them.
#[derive(Default)]
pub(crate) struct Counts {
    /// The durations of statements, by operation and entity.
    statements: RwLock<BTreeMap<&'static str, BTreeMap<String, DurationHistogram>>>,
    /// The time until a statement has a connection.
    waits: DurationHistogram,
    /// The statements that got no connection.
    without_connection: AtomicU64,
    failures: [AtomicU64; FAILURES.len()],
    retried: AtomicU64,
}

/// The names of the classes of failed statements.
const FAILURES: [&str; 8] =
    ["unique", "reference", "value", "rejected", "too_long", "conflict", "unavailable", "other"];

impl Counts {
    pub(crate) fn statement(&self, entity: &str, operation: &'static str, duration: Duration) {
        {
            let statements = self.statements.read().unwrap_or_else(PoisonError::into_inner);
            if let Some(durations) = statements.get(operation).and_then(|entities| entities.get(entity)) {
                return durations.record(duration);
            }
        }
        let mut statements = self.statements.write().unwrap_or_else(PoisonError::into_inner);
        statements.entry(operation).or_default().entry(entity.to_owned()).or_default().record(duration);
    }

    pub(crate) fn wait(&self, duration: Duration, has_connection: bool) {
        self.waits.record(duration);
        if !has_connection {
            self.without_connection.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Counts a failed statement of the class with this name.
    pub(crate) fn failure(&self, kind: &str) {
        let position = FAILURES.iter().position(|known| *known == kind);
        if let Some(count) = position.and_then(|position| self.failures.get(position)) {
            count.fetch_add(1, Ordering::Relaxed);
        }
    }

    pub(crate) fn retry(&self) {
        self.retried.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn report(&self, report: &mut Report) {
        let help = "Durations of statements.";
        for (operation, entities) in &*self.statements.read().unwrap_or_else(PoisonError::into_inner) {
            for (entity, durations) in entities {
                let labels = [("db_collection_name", entity.as_str()), ("db_operation_name", operation)];
                let durations = SampleValue::Histogram(durations.snapshot());
                report.labelled("db_client_operation_duration_seconds", help, labels, durations);
            }
        }
        let help = "Times until a statement has a connection.";
        let none: [(&'static str, &str); 0] = [];
        let waits = SampleValue::Histogram(self.waits.snapshot());
        report.labelled("db_client_connection_wait_seconds", help, none, waits);
        let count = |count: &AtomicU64| count.load(Ordering::Relaxed);
        let help = "Statements that got no connection.";
        report.counter("db_client_connection_failures", help, count(&self.without_connection));
        for (kind, failures) in FAILURES.iter().zip(&self.failures) {
            let failures = SampleValue::Counter(count(failures));
            report.labelled("db_client_failures", "Failed statements.", [("kind", *kind)], failures);
        }
        let help = "Transactions that ran again after a conflict.";
        report.counter("db_client_transactions_retried", help, count(&self.retried));
    }
}

impl fmt::Debug for Counts {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Counts").finish_non_exhaustive()
    }
}
