//! Contains the background loop that fetches the keys of an issuer.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::{Arc, PoisonError};
use std::task::Poll;

use restwright_core::OutageSummary;
use restwright_core::runtime::log;

use super::fetch::{Fetched, Fetcher};
use super::key_set_state::KeySetState;
use super::provider::ProviderState;

impl ProviderState {
    /// Fetches the keys in a loop, at the times that the schedule determines. The loop ends when all other owners have
    /// dropped the provider.
    pub(super) async fn keep_fresh(self: Arc<Self>) {
        let mut fetcher = Fetcher::new(&self.declaration);
        let clock = &self.declaration.clock;
        while Arc::strong_count(&self) > 1 {
            // The lock is released before the pause.
            let idle = self.schedule().begin(clock.elapsed());
            if let Some(until) = idle {
                first(clock.sleep_until(until), self.woken.notified()).await;
                continue;
            }
            match fetcher.fetch().await {
                Ok(fetched) => self.succeeded(fetched),
                Err(reason) => self.failed(&reason),
            }
            self.ended.send_replace(self.schedule().begun());
        }
    }

    fn succeeded(&self, fetched: Fetched) {
        let now = self.declaration.clock.elapsed();
        let previous = self.loaded.load();
        let loaded = KeySetState::replacing(previous.as_deref(), fetched.set, now);
        let changed = previous.as_deref().is_none_or(|previous| previous.set.number() != loaded.set.number());
        let (source, keys, fresh_seconds) = (&self.declaration.source, loaded.set.len(), fetched.fresh.as_secs());
        if let Some(OutageSummary { failures, seconds }) = self.outage().ended(now) {
            log(|| tracing::info!(%source, keys, fresh_seconds, failures, seconds, "keys can be fetched again"));
        } else if changed {
            log(|| tracing::info!(%source, keys, fresh_seconds, "keys fetched"));
        } else {
            // A token with an unknown key triggers such a fetch.
            log(|| tracing::debug!(%source, keys, fresh_seconds, "keys fetched without changes"));
        }
        self.loaded.store(Some(Arc::new(loaded)));
        self.schedule().succeeded(now, fetched.fresh);
        *self.last_failure.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    fn failed(&self, reason: &str) {
        let now = self.declaration.clock.elapsed();
        let age = self.loaded.load().as_ref().map(|loaded| now.saturating_sub(loaded.confirmed).as_secs());
        // Before the failure counts, so every status with failures contains the reason of the last one.
        *self.last_failure.lock().unwrap_or_else(PoisonError::into_inner) = Some(reason.to_owned());
        let failures = {
            let mut schedule = self.schedule();
            schedule.failed(now);
            schedule.failures()
        };
        let source = &self.declaration.source;
        match self.outage().failed(now) {
            Some(OutageSummary { seconds, .. }) => {
                log(
                    || tracing::error!(%source, failures, seconds, age_seconds = age, reason, "keys could not be fetched; until they are, tokens are checked with the keys that are known"),
                );
            }
            None => log(|| tracing::debug!(%source, failures, age_seconds = age, reason, "keys could not be fetched")),
        }
    }
}

/// Waits until one of two futures completes.
async fn first(one: impl Future<Output = ()>, other: impl Future<Output = ()>) {
    let (mut one, mut other) = (pin!(one), pin!(other));
    poll_fn(|context| {
        let done = one.as_mut().poll(context).is_ready() || other.as_mut().poll(context).is_ready();
        if done { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
}
