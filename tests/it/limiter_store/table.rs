//! A custom store of limits that uses only the facade. It stores rows in a table, as in a database.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use restwright::extend::core::rate_limit::{BucketState, Charge, LimiterStore};
use restwright::extend::core::{ApiState, ComponentClock};
use restwright::rate_limit::WhenUnavailable;
use restwright::report::Report;
use restwright::{BuildContext, BuildErrors, Component, ComponentError};

/// Stores buckets in a table.
pub(crate) struct TableLimiter {
    /// The time at which each bucket is full, by the name of the bucket.
    rows: Mutex<BTreeMap<String, Duration>>,
    most_rows: usize,
    clock: ComponentClock,
    unavailable: WhenUnavailable,
    /// `true` while the database is not reachable.
    pub(crate) is_away: AtomicBool,
    pub(crate) starts: AtomicUsize,
    pub(crate) stops: AtomicUsize,
}

impl TableLimiter {
    pub(crate) fn new(most_rows: usize, unavailable: WhenUnavailable) -> Self {
        Self {
            rows: Mutex::default(),
            most_rows,
            clock: ComponentClock::default(),
            unavailable,
            is_away: AtomicBool::new(false),
            starts: AtomicUsize::new(0),
            stops: AtomicUsize::new(0),
        }
    }

    fn check_connection(&self) -> Result<(), ComponentError> {
        if self.is_away.load(Ordering::SeqCst) { Err("the table is away".into()) } else { Ok(()) }
    }
}

impl Component for TableLimiter {
    fn name(&self) -> &str {
        "rate limits in a table"
    }

    async fn start(&self) -> Result<(), ComponentError> {
        self.starts.fetch_add(1, Ordering::SeqCst);
        if self.unavailable == WhenUnavailable::FailOpen { Ok(()) } else { self.check_connection() }
    }

    async fn stop(&self) {
        self.stops.fetch_add(1, Ordering::SeqCst);
    }

    fn report(&self, report: &mut Report) {
        let rows = self.rows.lock().unwrap_or_else(PoisonError::into_inner).len();
        report.gauge("rate_limit_rows", "Rows of the table.", rows as f64);
    }
}

impl LimiterStore for TableLimiter {
    async fn charge(&self, charges: &[Charge<'_>]) -> Result<Vec<BucketState>, ComponentError> {
        self.check_connection()?;
        let now = self.clock.elapsed();
        let mut rows = self.rows.lock().unwrap_or_else(PoisonError::into_inner);
        let mut states = Vec::new();
        for charge in charges {
            let (quota, cost) = (charge.quota(), charge.cost());
            let name = format!("{}/{}/{}", charge.limit(), charge.key().kind(), charge.key().value());
            let until_full = rows.get(&name).copied().unwrap_or_default().saturating_sub(now);
            // In integers of a type that is large enough for them.
            let micros = quota.interval().as_micros();
            let charged = until_full.as_micros() + micros * u128::from(cost);
            let admitted = cost == 0 || charged <= micros * u128::from(quota.limit());
            if !admitted {
                states.push(BucketState::refused(quota, until_full));
                break;
            }
            let charged = Duration::from_micros(u64::try_from(charged)?);
            if cost > 0 {
                rows.retain(|_, full_at| *full_at > now);
                if rows.len() >= self.most_rows && !rows.contains_key(&name) {
                    return Err("the table is full".into());
                }
                rows.insert(name, now + charged);
            }
            states.push(BucketState::admitted(quota, charged));
        }
        Ok(states)
    }

    fn when_unavailable(&self) -> WhenUnavailable {
        self.unavailable
    }

    fn plan(&self, context: &mut BuildContext<'_, ApiState>) -> Result<(), BuildErrors> {
        if self.most_rows == 0 {
            return Err(BuildErrors::one("the table of limits has no room; admit at least one row"));
        }
        self.clock.plan(context)
    }
}
