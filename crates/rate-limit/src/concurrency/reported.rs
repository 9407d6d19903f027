//! Reports the metrics of concurrency limits.

use std::sync::{Arc, Mutex, PoisonError};

use restwright_core::Component;
use restwright_core::report::{Report, SampleValue};

use super::places::RequestPlaces;

/// A component that reports how many requests each concurrency limit of an Api admitted and rejected.
#[derive(Clone, Default)]
pub(super) struct ReportedPlaces(Arc<Mutex<Vec<NamedPlaces>>>);

type NamedPlaces = (Arc<str>, Arc<RequestPlaces>);

impl ReportedPlaces {
    pub(super) fn push(&self, name: Arc<str>, places: Arc<RequestPlaces>) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push((name, places));
    }
}

impl Component for ReportedPlaces {
    fn name(&self) -> &str {
        "concurrency limits"
    }

    fn report(&self, report: &mut Report) {
        for (name, places) in &*self.0.lock().unwrap_or_else(PoisonError::into_inner) {
            let mut add = |metric, description, count| {
                report.labelled(metric, description, [("limit", name.clone())], SampleValue::Counter(count));
            };
            add("concurrency_limit_admitted_requests", "Requests that were admitted.", places.admitted());
            add("concurrency_limit_refused_requests", "Requests that were rejected.", places.refused());
        }
    }
}
