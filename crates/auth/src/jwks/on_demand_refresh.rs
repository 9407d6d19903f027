//! Fetches newer keys when the current keys do not verify a token.

use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::time::timeout;

use super::declaration::Jwks;
use super::provider::{KeyOutage, KeyProvider};
use super::schedule::EarlyFetch;

/// The reason why the current keys do not verify a token.
#[derive(Clone, Copy)]
pub(crate) enum RefreshReason {
    /// No key in the set has the `kid` of the token.
    Id,
    /// No key in the set verifies the signature of the token. The issuer may have new keys with the same `kid`, or
    /// without a `kid`.
    Signature,
}

/// The result of fetching newer keys for a token.
pub(crate) enum RefreshOutcome {
    /// The fetch returned new keys.
    Changed,
    /// The issuer has no newer keys, so the token is rejected.
    Final,
}

impl KeyProvider {
    /// The maximum number of requests that wait for one fetch. Further requests receive 503.
    const MOST_WAITING: usize = 64;

    /// Fetches newer keys for a token that the current keys do not verify. `known_set` is the number of the key set
    /// that was tried. All callers share at most one fetch per cooldown.
    ///
    /// Tokens with a new key are therefore rejected for at most one cooldown after the issuer publishes the key. While
    /// fetches fail, an unknown `kid` is a [`KeyOutage`], but a wrong signature is still rejected.
    pub(crate) async fn refresh_for(&self, reason: RefreshReason, known_set: u64) -> Result<RefreshOutcome, KeyOutage> {
        let fetching = self.fetch_for(reason, known_set);
        match timeout(self.0.declaration.timeout, fetching).await {
            Ok(outcome) => outcome,
            Err(_elapsed) => self.without_keys(reason, "the fetch did not complete in time"),
        }
    }

    async fn fetch_for(&self, reason: RefreshReason, known_set: u64) -> Result<RefreshOutcome, KeyOutage> {
        let state = &*self.0;
        let Jwks { clock, cooldown, .. } = &state.declaration;
        loop {
            if !state.is_running() {
                return self.without_keys(reason, "the component that fetches them is not running");
            }
            let demand = state.schedule().demand(clock.elapsed(), *cooldown);
            // Another fetch may have replaced the set `known_set` in the meantime.
            if self.current()?.set().number() != known_set {
                return Ok(RefreshOutcome::Changed);
            }
            match demand {
                EarlyFetch::TooSoon => return self.unchanged(reason),
                EarlyFetch::Wait { fetch, begun } => {
                    state.woken.notify_one();
                    let Some(_slot) = WaitingSlot::take(&state.waiting, Self::MOST_WAITING) else {
                        return self.without_keys(reason, "too many requests are waiting for the keys");
                    };
                    // The provider owns the sender, so the sender outlives the wait.
                    drop(state.ended.subscribe().wait_for(|ended| *ended >= fetch).await);
                    // A fetch that had already begun may have missed the new key, so the loop requests another fetch.
                    if !begun {
                        return self.fetched(reason, known_set);
                    }
                }
            }
        }
    }

    /// Returns the outcome of a completed fetch. The outcome is `Changed` if the fetch replaced the key set with the
    /// number `known_set`.
    fn fetched(&self, reason: RefreshReason, known_set: u64) -> Result<RefreshOutcome, KeyOutage> {
        if self.current()?.set().number() != known_set {
            return Ok(RefreshOutcome::Changed);
        }
        self.unchanged(reason)
    }

    fn unchanged(&self, reason: RefreshReason) -> Result<RefreshOutcome, KeyOutage> {
        let failed = self.0.schedule().failures() > 0;
        if failed { self.without_keys(reason, "the last fetch failed") } else { Ok(RefreshOutcome::Final) }
    }

    fn without_keys(&self, reason: RefreshReason, problem: &str) -> Result<RefreshOutcome, KeyOutage> {
        match reason {
            RefreshReason::Id => Err(self.outage(problem)),
            RefreshReason::Signature => Ok(RefreshOutcome::Final),
        }
    }
}

/// Counts one request as waiting for a fetch until this value is dropped. The number of waiting requests is limited.
struct WaitingSlot<'a>(&'a AtomicUsize);

impl<'a> WaitingSlot<'a> {
    fn take(waiting: &'a AtomicUsize, most: usize) -> Option<Self> {
        let slot = Self(waiting);
        (waiting.fetch_add(1, Ordering::Relaxed) < most).then_some(slot)
    }
}

impl Drop for WaitingSlot<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}
