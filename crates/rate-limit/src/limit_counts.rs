//! Reports the metrics of rate limits.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use restwright_core::report::{Report, SampleValue};
use restwright_core::runtime::SharedLimiterStore;
use restwright_core::{Component, ComponentError};

/// The numbers of admitted, rejected and uncharged requests of all rate limits with the same name. A request is not
/// charged if the store fails.
#[derive(Debug, Default)]
pub(super) struct LimitCounts {
    admitted: AtomicU64,
    refused: AtomicU64,
    uncharged: AtomicU64,
}

impl LimitCounts {
    /// Counts a request as admitted or rejected, after the limiter store has charged it.
    pub(super) fn charged(&self, is_admitted: bool) {
        let count = if is_admitted { &self.admitted } else { &self.refused };
        count.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts a request that the limiter store could not charge.
    pub(super) fn failed(&self) {
        self.uncharged.fetch_add(1, Ordering::Relaxed);
    }
}

/// The request counts of all rate limits of an Api, by the name of the limit.
#[derive(Debug, Clone, Default)]
pub(super) struct AllCounts(Arc<Mutex<Vec<NamedCounts>>>);

type NamedCounts = (Arc<str>, Arc<LimitCounts>);

impl AllCounts {
    /// Returns the request counts of the rate limits with the name `name`.
    pub(super) fn of_limit(&self, name: &Arc<str>) -> Arc<LimitCounts> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, counts)) = all.iter().find(|(known, _)| known == name) {
            return counts.clone();
        }
        let counts = Arc::<LimitCounts>::default();
        all.push((name.clone(), counts.clone()));
        counts
    }

    fn report(&self, report: &mut Report) {
        for (name, counts) in &*self.0.lock().unwrap_or_else(PoisonError::into_inner) {
            let mut add = |metric, description, count: &AtomicU64| {
                let count = SampleValue::Counter(count.load(Ordering::Relaxed));
                report.labelled(metric, description, [("limit", name.clone())], count);
            };
            add("rate_limit_admitted_requests", "Requests that the limit admitted.", &counts.admitted);
            add("rate_limit_refused_requests", "Requests that the limit rejected.", &counts.refused);
            add("rate_limit_uncharged_requests", "Requests that the store did not charge.", &counts.uncharged);
        }
    }
}

/// A component that contains the limiter store of an Api, and reports the request counts of the rate limits.
pub(super) struct ReportedStore {
    pub(super) store: SharedLimiterStore,
    pub(super) counts: AllCounts,
}

impl Component for ReportedStore {
    fn name(&self) -> &str {
        self.store.name()
    }

    async fn start(&self) -> Result<(), ComponentError> {
        self.store.start().await
    }

    async fn ready(&self) -> Result<(), ComponentError> {
        self.store.ready().await
    }

    async fn stop(&self) {
        self.store.stop().await;
    }

    fn report(&self, report: &mut Report) {
        self.counts.report(report);
        self.store.report(report);
    }
}
