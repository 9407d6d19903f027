//! The lifecycle of a provider: its thread and its readiness.

use std::sync::Arc;

use restwright_core::report::Report;
use restwright_core::{Component, ComponentError, RuntimeThread};

use super::provider::{FetchTask, KeyProvider, KeyProviderStatus};

/// Fetches on a thread of its own, so that it depends on no host and a slow issuer slows no worker.
impl Component for KeyProvider {
    fn name(&self) -> &str {
        &self.0.name
    }

    /// Starts the fetching without waiting for the first response; until it arrives, callers get 503.
    async fn start(&self) -> Result<(), ComponentError> {
        let mut task = self.0.task();
        if task.is_running() {
            task.users += 1;
            return Ok(());
        }
        self.0.schedule().restart();
        let thread = RuntimeThread::start("restwright-keys", Arc::clone(&self.0).keep_fresh())?;
        *task = FetchTask { thread: Some(thread), users: 1 };
        Ok(())
    }

    /// Fails if there are no keys, if they are older than the hard limit, and in the last tenth of that limit while fetches fail. The
    /// reason has their age and the failures.
    ///
    /// It does not fail earlier: an outage of the issuer affects every instance alike, and a load balancer that removes all of them
    /// rejects requests that each could still serve. The last tenth is for an instance that alone cannot reach the issuer, so that it is
    /// removed before it responds with 503. To notice an outage early, monitor [`status`](KeyProvider::status).
    async fn ready(&self) -> Result<(), ComponentError> {
        self.ready_outage().map_or(Ok(()), |outage| Err(outage.reason.into()))
    }

    /// Stops the fetching unless another Api has started it, and returns when it has stopped.
    async fn stop(&self) {
        let thread = {
            let mut task = self.0.task();
            task.users = task.users.saturating_sub(1);
            if task.users == 0 { task.thread.take() } else { None }
        };
        if let Some(thread) = thread {
            thread.stop().await;
        }
    }

    fn report(&self, report: &mut Report) {
        let KeyProviderStatus { keys, age, failures, .. } = self.status();
        report.gauge("jwks_keys", "Keys of the issuer.", keys as f64);
        if let Some(age) = age {
            report.gauge("jwks_age_seconds", "Time since the keys were last confirmed.", age.as_secs_f64());
        }
        report.gauge("jwks_failed_fetches", "Fetches that failed since the last one that succeeded.", failures.into());
    }
}
