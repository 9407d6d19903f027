//! Implements [`Component`] for [`KeyProvider`], with start, stop, readiness and metrics.

use std::sync::Arc;

use restwright_core::report::Report;
use restwright_core::{Component, ComponentError, RuntimeThread};

use super::provider::{FetchTask, KeyProvider, KeyProviderStatus};

/// Fetches keys on a separate thread, so a slow issuer does not delay requests.
impl Component for KeyProvider {
    fn name(&self) -> &str {
        &self.0.name
    }

    /// Starts to fetch keys, without waiting for the first response. Until the first response arrives, requests receive
    /// 503.
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

    /// Fails if no keys are available, or if the keys are older than [`Jwks::hard_limit`](crate::Jwks::hard_limit).
    /// While fetches fail, readiness already fails at 90 % of this limit. The reason contains the age of the keys and
    /// the number of failed fetches.
    ///
    /// An outage of the issuer affects every instance alike. If all instances failed early, a load balancer would
    /// reject requests that they can still serve. If only one instance cannot reach the issuer, it is removed before it
    /// responds with 503. To detect an outage early, monitor [`status`](KeyProvider::status).
    async fn ready(&self) -> Result<(), ComponentError> {
        self.ready_outage().map_or(Ok(()), |outage| Err(outage.reason.into()))
    }

    /// Stops fetching keys, unless another Api uses the provider. Returns after the thread has ended.
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
        report.gauge("jwks_failed_fetches", "Failed fetches since the last successful one.", failures.into());
    }
}
