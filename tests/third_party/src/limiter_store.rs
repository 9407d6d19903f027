//! A store of rate limits.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use restwright_core::rate_limit::{BucketState, Charge, LimiterStore};
use restwright_core::report::Report;
use restwright_core::{ApiState, BuildContext, BuildErrors, Component, ComponentError};

/// Counts requests in one window that never ends, and fails on request.
#[derive(Debug, Default)]
pub struct FixedWindow {
    used: Mutex<HashMap<String, u32>>,
    /// Whether charging fails.
    pub broken: AtomicBool,
    /// Whether a charge is left out of the result.
    pub incomplete: AtomicBool,
    /// Whether the component was started.
    pub started: AtomicBool,
    /// Whether the settings are wrong.
    pub invalid: AtomicBool,
}

impl Component for FixedWindow {
    fn name(&self) -> &str {
        "fixed window"
    }

    async fn start(&self) -> Result<(), ComponentError> {
        self.started.store(true, Ordering::SeqCst);
        Ok(())
    }

    fn report(&self, report: &mut Report) {
        let used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        report.gauge("window_keys", "Keys that were counted.", used.len() as f64);
    }
}

impl LimiterStore for FixedWindow {
    async fn charge(&self, charges: &[Charge<'_>]) -> Result<Vec<BucketState>, ComponentError> {
        if self.broken.load(Ordering::SeqCst) {
            return Err("broken".into());
        }
        let mut states = Vec::new();
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        for charge in charges {
            let (key, quota) = (charge.key(), charge.quota());
            let used = used.entry(format!("{}/{}/{}", charge.limit(), key.kind(), key.value())).or_default();
            let admitted = *used + charge.cost() <= quota.limit();
            *used += if admitted { charge.cost() } else { 0 };
            let until_full: Duration = quota.interval() * *used;
            if !admitted {
                states.push(BucketState::refused(quota, until_full));
                break;
            }
            states.push(BucketState::admitted(quota, until_full));
        }
        if self.incomplete.load(Ordering::SeqCst) {
            states.pop();
        }
        Ok(states)
    }

    fn plan(&self, _: &mut BuildContext<'_, ApiState>) -> Result<(), BuildErrors> {
        if self.invalid.load(Ordering::SeqCst) { Err(BuildErrors::one("the window is invalid")) } else { Ok(()) }
    }
}
