//! Looking for keys that are not there.

use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::time::timeout;

use super::declaration::Jwks;
use super::provider::{KeyProvider, Outage};
use super::schedule::Demand;

/// Why a token may need other keys than those that are there.
#[derive(Clone, Copy)]
pub(crate) enum Missed<'a> {
    /// No key has this identifier.
    Id(&'a str),
    /// The keys that it may mean did not sign it; perhaps the issuer has others under the same identifier, or under none.
    Signature,
}

/// What comes of looking for other keys.
pub(crate) enum Refreshed {
    /// There are other keys now.
    Look,
    /// What the keys that are there say is final.
    Settled,
}

impl KeyProvider {
    /// How many requests wait for one fetch; others are told to come again.
    const MOST_WAITING: usize = 64;
    /// For how many cooldowns an unknown identifier is remembered.
    const REMEMBERED: u32 = 10;

    /// Fetches the keys because those of the set of this number do not do; at most once per cooldown, whoever asks.
    ///
    /// While fetching fails, an identifier that is not known is an [`Outage`]. A signature that is wrong by the keys that are
    /// known is wrong then too, and it is never remembered: its identifier may be that of a key.
    pub(crate) async fn look_for(&self, missed: Missed<'_>, missed_in: u64) -> Result<Refreshed, Outage> {
        let looking = self.fetch_for(missed, missed_in);
        match timeout(self.0.declaration.timeout, looking).await {
            Ok(found) => found,
            Err(_elapsed) => self.without_answer(missed, "they did not come in time"),
        }
    }

    async fn fetch_for(&self, missed: Missed<'_>, missed_in: u64) -> Result<Refreshed, Outage> {
        let inner = &*self.0;
        let Jwks { clock, cooldown, .. } = &inner.declaration;
        if matches!(missed, Missed::Id(id) if inner.unknown.contains(id, clock.elapsed())) {
            return Ok(Refreshed::Settled);
        }
        loop {
            if !inner.is_running() {
                return self.without_answer(missed, "the component that fetches them does not run");
            }
            let demand = inner.schedule().demand(clock.elapsed(), *cooldown);
            // A fetch may have ended since the keys were looked at.
            if self.current()?.set().number() != missed_in {
                return Ok(Refreshed::Look);
            }
            match demand {
                Demand::TooSoon => return self.settled(missed),
                Demand::Wait { fetch, begun } => {
                    inner.woken.notify_one();
                    let Some(_place) = Place::take(&inner.waiting, Self::MOST_WAITING) else {
                        return self.without_answer(missed, "too many requests wait for them");
                    };
                    // The sender is this provider's own, so that it is there.
                    drop(inner.ended.subscribe().wait_for(|ended| *ended >= fetch).await);
                    // What had begun before may be too early to find a new key.
                    if !begun {
                        return self.fetched(missed, missed_in);
                    }
                }
            }
        }
    }

    /// What a fetch came to that was asked for.
    fn fetched(&self, missed: Missed<'_>, missed_in: u64) -> Result<Refreshed, Outage> {
        let inner = &*self.0;
        if self.current()?.set().number() != missed_in {
            return Ok(Refreshed::Look);
        }
        let Jwks { clock, cooldown, .. } = &inner.declaration;
        // Nothing else is known not to be there: an earlier fetch may be older than the key.
        if let (Missed::Id(id), 0) = (missed, inner.schedule().failures()) {
            inner.unknown.remember(id, clock.elapsed(), cooldown.saturating_mul(Self::REMEMBERED));
        }
        self.settled(missed)
    }

    fn settled(&self, missed: Missed<'_>) -> Result<Refreshed, Outage> {
        let failed = self.0.schedule().failures() > 0;
        if failed { self.without_answer(missed, "the last fetch failed") } else { Ok(Refreshed::Settled) }
    }

    fn without_answer(&self, missed: Missed<'_>, problem: &str) -> Result<Refreshed, Outage> {
        match missed {
            Missed::Id(_) => Err(self.outage(problem)),
            Missed::Signature => Ok(Refreshed::Settled),
        }
    }
}

/// A place among those who wait.
struct Place<'a>(&'a AtomicUsize);

impl<'a> Place<'a> {
    fn take(waiting: &'a AtomicUsize, most: usize) -> Option<Self> {
        let place = Self(waiting);
        (waiting.fetch_add(1, Ordering::Relaxed) < most).then_some(place)
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}
