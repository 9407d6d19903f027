//! What keeps the keys.

use std::fmt;
use std::future::poll_fn;
use std::pin::pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Poll;
use std::time::Duration;

use arc_swap::ArcSwapOption;
use tokio::sync::{Notify, watch};
use tokio::task::AbortHandle;
use tokio::time::timeout;

use super::declaration::Jwks;
use super::fetch::{Fetched, Fetcher};
use super::loaded::Loaded;
use super::schedule::{Demand, Schedule};
use super::unknown::UnknownIds;
use crate::keys::KeySet;

/// Keeps the keys of an issuer: a [`Component`](restwright_core::Component) that fetches them in the background.
///
/// The authenticator that uses it registers it. Reading keys waits for nothing once there are any. Clones share the keys.
#[derive(Clone)]
pub struct KeyProvider(pub(super) Arc<Inner>);

pub(super) struct Inner {
    pub(super) declaration: Jwks,
    pub(super) name: String,
    loaded: ArcSwapOption<Loaded>,
    pub(super) schedule: Mutex<Schedule>,
    pub(super) woken: Arc<Notify>,
    fetches: watch::Sender<u64>,
    waiting: AtomicUsize,
    unknown: UnknownIds,
    last_failure: Mutex<Option<String>>,
    pub(super) task: Mutex<Option<AbortHandle>>,
}

/// How the keys are.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct KeyProviderStatus {
    /// How many keys there are.
    pub keys: usize,
    /// How long ago they were known to be the issuer's; `None` when there have never been any.
    pub age: Option<Duration>,
    /// How many fetches have failed since the last that succeeded.
    pub failures: u32,
    /// Why the last of them failed.
    pub last_failure: Option<String>,
}

/// Keys that are not there now.
pub(crate) struct Outage {
    pub(crate) reason: String,
    pub(crate) retry_after: u64,
}

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

/// The keys that serve now.
pub(crate) struct Current(Arc<Loaded>);

impl Current {
    pub(crate) fn set(&self) -> &KeySet {
        &self.0.set
    }
}

impl KeyProvider {
    /// How many requests wait for one fetch; others are told to come again.
    const MOST_WAITING: usize = 64;
    /// The longest `Retry-After` in seconds: a new fetch for an unknown key may come before the next one.
    const LONGEST_RETRY: u64 = 60;
    /// For how many cooldowns an unknown identifier is remembered.
    const REMEMBERED: u32 = 10;

    pub(super) fn new(declaration: Jwks) -> Self {
        Self(Arc::new(Inner {
            name: format!("keys of {}", declaration.source),
            declaration,
            loaded: ArcSwapOption::empty(),
            schedule: Mutex::default(),
            woken: Arc::default(),
            fetches: watch::Sender::new(0),
            waiting: AtomicUsize::new(0),
            unknown: UnknownIds::default(),
            last_failure: Mutex::default(),
            task: Mutex::default(),
        }))
    }

    /// How the keys are.
    #[must_use]
    pub fn status(&self) -> KeyProviderStatus {
        let loaded = self.0.loaded.load();
        let now = self.0.declaration.clock.elapsed();
        KeyProviderStatus {
            keys: loaded.as_ref().map_or(0, |loaded| loaded.set.len()),
            age: loaded.as_ref().map(|loaded| now.saturating_sub(loaded.confirmed)),
            failures: self.0.schedule().failures(),
            last_failure: self.0.last_failure.lock().unwrap_or_else(PoisonError::into_inner).clone(),
        }
    }

    /// What is wrong with the declaration.
    pub(crate) fn mistakes(&self) -> Vec<String> {
        self.0.declaration.mistakes()
    }

    /// The keys that serve now.
    pub(crate) fn current(&self) -> Result<Current, Outage> {
        let Some(loaded) = self.0.loaded.load_full() else {
            return Err(self.outage("there have been none yet"));
        };
        let age = self.0.declaration.clock.elapsed().saturating_sub(loaded.confirmed);
        if age > self.0.declaration.hard_limit {
            return Err(self.outage("the last ones are past the hard limit"));
        }
        Ok(Current(loaded))
    }

    /// Why the keys do not serve, or will soon not serve any more.
    pub(super) fn ready_outage(&self) -> Option<Outage> {
        if let Err(outage) = self.current() {
            return Some(outage);
        }
        if !self.0.is_running() {
            return Some(self.outage("the component that fetches them does not run"));
        }
        let KeyProviderStatus { age, failures, .. } = self.status();
        let late = self.0.declaration.hard_limit.mul_f64(0.9);
        (failures > 0 && age > Some(late)).then(|| self.outage("the last ones are about to reach the hard limit"))
    }

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
        let mut fetches = inner.fetches.subscribe();
        let mut fetched_for_this = false;
        loop {
            if matches!(missed, Missed::Id(id) if inner.unknown.contains(id, clock.elapsed())) {
                return Ok(Refreshed::Settled);
            }
            if self.current()?.set().number() != missed_in {
                return Ok(Refreshed::Look);
            }
            if !inner.is_running() {
                return self.without_answer(missed, "the component that fetches them does not run");
            }
            let demand = inner.schedule().demand(clock.elapsed(), *cooldown);
            match demand {
                Demand::TooSoon { failed: true } => return self.without_answer(missed, "the last fetch failed"),
                Demand::TooSoon { failed: false } => {
                    // Only what a fetch was asked for is known not to be there; the last one may be older than the key.
                    if let (Missed::Id(id), true) = (missed, fetched_for_this) {
                        inner.unknown.remember(id, clock.elapsed(), cooldown.saturating_mul(Self::REMEMBERED));
                    }
                    return Ok(Refreshed::Settled);
                }
                Demand::Wait { begun } => {
                    inner.woken.notify_one();
                    let Some(_place) = Place::take(&inner.waiting, Self::MOST_WAITING) else {
                        return self.without_answer(missed, "too many requests wait for them");
                    };
                    drop(fetches.changed().await);
                    fetched_for_this |= !begun;
                }
            }
        }
    }

    fn without_answer(&self, missed: Missed<'_>, problem: &str) -> Result<Refreshed, Outage> {
        match missed {
            Missed::Id(_) => Err(self.outage(problem)),
            Missed::Signature => Ok(Refreshed::Settled),
        }
    }

    fn outage(&self, problem: &str) -> Outage {
        let KeyProviderStatus { age, failures, last_failure, .. } = self.status();
        let age = age.map(|age| {
            format!(" ({} seconds old, hard limit {})", age.as_secs(), self.0.declaration.hard_limit.as_secs())
        });
        let failure = last_failure.map(|failure| format!("; {failures} fetches failed, the last: {failure}"));
        let (age, failure) = (age.unwrap_or_default(), failure.unwrap_or_default());
        let pause = self.0.schedule().pause(self.0.declaration.clock.elapsed());
        // The next fetch may bring them; one that is under way takes moments.
        let retry_after = pause.as_secs().clamp(1, Self::LONGEST_RETRY);
        Outage { reason: format!("{}: {problem}{age}{failure}", self.0.name), retry_after }
    }
}

impl Inner {
    pub(super) fn schedule(&self) -> MutexGuard<'_, Schedule> {
        self.schedule.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_running(&self) -> bool {
        self.task.lock().unwrap_or_else(PoisonError::into_inner).as_ref().is_some_and(|task| !task.is_finished())
    }

    /// Fetches whenever it is due, until nobody else has the provider.
    pub(super) async fn keep_fresh(self: Arc<Self>) {
        let mut fetcher = Fetcher::new(&self.declaration);
        let clock = &self.declaration.clock;
        while Arc::strong_count(&self) > 1 {
            // The lock is not held over the pause.
            let idle = self.schedule().begin(clock.elapsed());
            if let Some(until) = idle {
                first(clock.sleep_until(until), self.woken.notified()).await;
                continue;
            }
            match fetcher.fetch().await {
                Ok(fetched) => self.succeeded(fetched),
                Err(reason) => self.failed(reason),
            }
            self.fetches.send_modify(|count| *count += 1);
        }
    }

    fn succeeded(&self, fetched: Fetched) {
        let now = self.declaration.clock.elapsed();
        let previous = self.loaded.load();
        let loaded = Loaded::replacing(previous.as_deref(), fetched.set, now);
        let changed = previous.as_deref().is_none_or(|previous| previous.set.number() != loaded.set.number());
        tracing::info!(
            source = %self.declaration.source,
            keys = loaded.set.len(),
            changed,
            fresh_seconds = fetched.fresh.as_secs(),
            "keys fetched"
        );
        if changed {
            self.unknown.forget();
        }
        self.loaded.store(Some(Arc::new(loaded)));
        *self.last_failure.lock().unwrap_or_else(PoisonError::into_inner) = None;
        self.schedule().succeeded(now, fetched.fresh);
    }

    fn failed(&self, reason: String) {
        let now = self.declaration.clock.elapsed();
        let age = self.loaded.load().as_ref().map(|loaded| now.saturating_sub(loaded.confirmed).as_secs());
        let failures = {
            let mut schedule = self.schedule();
            schedule.failed(now);
            schedule.failures()
        };
        tracing::warn!(source = %self.declaration.source, failures, age_seconds = age, reason, "keys could not be fetched");
        *self.last_failure.lock().unwrap_or_else(PoisonError::into_inner) = Some(reason);
    }
}

/// Waits until one of two is done.
async fn first(one: impl Future<Output = ()>, other: impl Future<Output = ()>) {
    let (mut one, mut other) = (pin!(one), pin!(other));
    poll_fn(|context| {
        let done = one.as_mut().poll(context).is_ready() || other.as_mut().poll(context).is_ready();
        if done { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
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

impl fmt::Debug for KeyProvider {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("KeyProvider").field("name", &self.0.name).field("status", &self.status()).finish()
    }
}
