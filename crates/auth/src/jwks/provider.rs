//! Defines [`KeyProvider`], which fetches keys and stores the current keys.

use std::fmt;
use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use arc_swap::ArcSwapOption;
use restwright_core::{ApiState, BuildContext, BuildErrors, OutageLog, RuntimeThread};
use tokio::sync::{Notify, watch};

use super::declaration::Jwks;
use super::key_set_state::KeySetState;
use super::schedule::Schedule;
use crate::keys::KeySet;

/// The [`Component`](restwright_core::Component) that fetches an issuer's keys in the background.
///
/// The authenticator registers this component. Reading keys never waits. Clones share the keys.
#[derive(Clone)]
pub struct KeyProvider(pub(super) Arc<ProviderState>);

pub(super) struct ProviderState {
    pub(super) declaration: Jwks,
    pub(super) name: String,
    pub(super) loaded: ArcSwapOption<KeySetState>,
    pub(super) schedule: Mutex<Schedule>,
    pub(super) woken: Notify,
    /// The sequence number of the last completed fetch.
    pub(super) ended: watch::Sender<u64>,
    /// The number of requests that currently wait for a fetch of keys.
    pub(super) waiting: AtomicUsize,
    pub(super) last_failure: Mutex<Option<String>>,
    pub(super) outage: Mutex<OutageLog>,
    pub(super) task: Mutex<FetchTask>,
}

/// The thread that fetches keys, and the number of Apis that use the thread.
#[derive(Default)]
pub(super) struct FetchTask {
    pub(super) thread: Option<RuntimeThread>,
    pub(super) users: usize,
}

impl FetchTask {
    pub(super) fn is_running(&self) -> bool {
        self.thread.as_ref().is_some_and(|thread| !thread.main().is_finished())
    }
}

/// The status of a [`KeyProvider`], with the number and age of its keys and the number of failed fetches.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct KeyProviderStatus {
    /// The number of keys in the current set.
    pub keys: usize,
    /// The time since the last successful fetch, or `None` if no fetch has succeeded.
    pub age: Option<Duration>,
    /// The number of failed fetches since the last successful fetch.
    pub failures: u32,
    /// The reason why the last fetch failed. It is `None` if the last fetch succeeded, or before the first fetch.
    pub last_failure: Option<String>,
}

/// The reason why no keys are available.
pub(crate) struct KeyOutage {
    pub(crate) reason: String,
    pub(crate) retry_after: u64,
}

/// The keys that are currently valid.
pub(crate) struct CurrentKeys(Arc<KeySetState>);

impl CurrentKeys {
    pub(crate) fn set(&self) -> &KeySet {
        &self.0.set
    }
}

impl KeyProvider {
    /// The maximum number of seconds in `Retry-After` while no keys are available. The scheduled fetch may be an hour
    /// away, but a token can trigger an earlier fetch.
    const LONGEST_RETRY: u64 = 60;

    pub(super) fn new(declaration: Jwks) -> Self {
        Self(Arc::new(ProviderState {
            name: format!("keys of {}", declaration.source),
            declaration,
            loaded: ArcSwapOption::empty(),
            schedule: Mutex::default(),
            woken: Notify::new(),
            ended: watch::Sender::new(0),
            waiting: AtomicUsize::new(0),
            last_failure: Mutex::default(),
            outage: Mutex::default(),
            task: Mutex::default(),
        }))
    }

    /// Returns the number and age of the keys, and the number of failed fetches.
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

    /// Registers the provider as a component of the Api, and passes the clock of the Api to it.
    pub(crate) fn plan(&self, context: &mut BuildContext<'_, ApiState>) -> Result<(), BuildErrors> {
        context.component(self.clone());
        self.0.declaration.clock.plan(context).map_err(|errors| errors.at(&self.0.name))
    }

    /// Returns an error message for each invalid setting.
    pub(crate) fn mistakes(&self) -> Vec<String> {
        self.0.declaration.mistakes()
    }

    /// Returns the current keys. Fails if no keys are available, or if the keys are older than the hard limit.
    pub(crate) fn current(&self) -> Result<CurrentKeys, KeyOutage> {
        let Some(loaded) = self.0.loaded.load_full() else {
            return Err(self.outage("no keys have been fetched yet"));
        };
        let age = self.0.declaration.clock.elapsed().saturating_sub(loaded.confirmed);
        if age > self.0.declaration.hard_limit {
            return Err(self.outage("the keys are older than the hard limit"));
        }
        Ok(CurrentKeys(loaded))
    }

    /// Returns the reason why the provider is not ready, or `None` if it is ready. It is not ready if it has no keys,
    /// if its component is not running, or if fetches fail and the keys are about to reach the hard limit.
    pub(super) fn ready_outage(&self) -> Option<KeyOutage> {
        if let Err(outage) = self.current() {
            return Some(outage);
        }
        if !self.0.is_running() {
            return Some(self.outage("the component that fetches them is not running"));
        }
        let KeyProviderStatus { age, failures, .. } = self.status();
        let late = self.0.declaration.hard_limit.mul_f64(0.9);
        (failures > 0 && age > Some(late)).then(|| self.outage("the keys are about to reach the hard limit"))
    }

    pub(super) fn outage(&self, problem: &str) -> KeyOutage {
        let KeyProviderStatus { age, failures, last_failure, .. } = self.status();
        let age = age.map(|age| {
            format!(" ({} seconds old, hard limit {})", age.as_secs(), self.0.declaration.hard_limit.as_secs())
        });
        let failure = last_failure.map(|failure| format!("; {failures} fetches failed, the last: {failure}"));
        let (age, failure) = (age.unwrap_or_default(), failure.unwrap_or_default());
        let pause = self.0.schedule().pause(self.0.declaration.clock.elapsed());
        // The next scheduled fetch may succeed, so clients retry after it.
        let retry_after = pause.as_secs().clamp(1, Self::LONGEST_RETRY);
        KeyOutage { reason: format!("{}: {problem}{age}{failure}", self.0.name), retry_after }
    }
}

impl ProviderState {
    pub(super) fn schedule(&self) -> MutexGuard<'_, Schedule> {
        self.schedule.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn outage(&self) -> MutexGuard<'_, OutageLog> {
        self.outage.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn task(&self) -> MutexGuard<'_, FetchTask> {
        self.task.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn is_running(&self) -> bool {
        self.task().is_running()
    }
}

impl fmt::Debug for KeyProvider {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("KeyProvider").field("name", &self.0.name).field("status", &self.status()).finish()
    }
}
