//! Defines [`ComponentStates`], the states of the components, which are checked at most once a second.

use std::iter;
use std::sync::{PoisonError, RwLock};
use std::time::{Duration, SystemTime};

use restwright_core::runtime::log;
use tokio::sync::Mutex;
use tokio::time::Instant;

use super::Readiness;
use super::lifecycle::ComponentFailure;
use super::readiness::SERVER;

/// The maximum age of a check result that is reused.
const MAX_AGE: Duration = Duration::from_secs(1);

/// The states of the server and of all components of an Api, as [`Readiness::states`] returns them. The state of the
/// server has the name `server`.
#[derive(Debug, Clone)]
pub struct ComponentStates {
    at: Instant,
    is_ready: bool,
    components: Vec<ComponentState>,
}

/// The state of a component or of the server, which is ready or not ready.
#[derive(Debug, Clone)]
pub struct ComponentState {
    name: String,
    is_ready: bool,
    since: SystemTime,
    step: Option<String>,
}

/// The result of the last readiness check, which all workers share.
#[derive(Default)]
pub(super) struct LastReadinessCheck {
    last: RwLock<Option<ComponentStates>>,
    /// A lock that is held during a check, so only one check runs at a time.
    running: Mutex<()>,
}

impl LastReadinessCheck {
    /// Returns the states from the last check, or checks the components if the last check is too old. While a check
    /// runs, other callers receive the states from the last check. They do not wait for slow components, because their
    /// requests would count as requests in flight.
    pub(super) async fn now(&self, readiness: &Readiness) -> ComponentStates {
        if let Some(check) = self.last().filter(ComponentStates::is_new) {
            return check;
        }
        let running = match (self.running.try_lock(), self.last()) {
            (Ok(running), _) => running,
            (Err(_running), Some(check)) => return check,
            (Err(_running), None) => self.running.lock().await,
        };
        let check = match self.last() {
            // Another caller ran the check while this caller waited.
            Some(check) if check.is_new() => check,
            before => {
                let before = before.map(|check| check.components).unwrap_or_default();
                ComponentStates::new(readiness, &before).await
            }
        };
        *self.last.write().unwrap_or_else(PoisonError::into_inner) = Some(check.clone());
        drop(running);
        check
    }

    fn last(&self) -> Option<ComponentStates> {
        self.last.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl ComponentStates {
    /// Returns `true` if the Api is ready. It is ready if the server serves requests and all
    /// [required](restwright_core::Component::is_required) components are ready.
    #[must_use]
    pub fn is_ready(&self) -> bool {
        self.is_ready
    }

    /// Returns the state of the server, followed by the states of the components in their start order.
    #[must_use]
    pub fn components(&self) -> &[ComponentState] {
        &self.components
    }

    fn is_new(&self) -> bool {
        self.at.elapsed() < MAX_AGE
    }

    /// Checks the components and returns their states. A component with the same state as in `before` keeps the time of
    /// its last change.
    async fn new(readiness: &Readiness, before: &[ComponentState]) -> Self {
        let failures = readiness.failures().await;
        let is_stopping = failures.iter().any(|failure| failure.component() == SERVER);
        let now = SystemTime::now();
        let mut components = Vec::new();
        for (position, name) in iter::once(SERVER).chain(readiness.components()).enumerate() {
            let known = before.get(position);
            let failure = failures.iter().find(|failure| failure.component() == name);
            // A server that is stopping does not check its components.
            let is_ready = match known {
                Some(known) if is_stopping && name != SERVER => known.is_ready,
                _ => failure.is_none(),
            };
            let is_new = known.is_none_or(|known| known.is_ready != is_ready);
            match failure {
                Some(failure) if is_new => log(|| tracing::warn!(component = name, "{failure}")),
                None if is_new && known.is_some() => log(|| tracing::info!(component = name, "ready again")),
                _ => {}
            }
            let since = known.filter(|_| !is_new).map_or(now, |known| known.since);
            let step = position.checked_sub(1).and_then(|position| readiness.step(position));
            components.push(ComponentState { name: name.to_owned(), is_ready, since, step });
        }
        Self { at: Instant::now(), is_ready: !failures.iter().any(ComponentFailure::is_required), components }
    }
}

impl ComponentState {
    /// Returns the name of the component, or `server`.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns `true` if the component is ready.
    #[must_use]
    pub fn is_ready(&self) -> bool {
        self.is_ready
    }

    /// Returns the [step](restwright_core::Component::progress) of a slow start. Returns `None` if the component has started.
    #[must_use]
    pub fn step(&self) -> Option<&str> {
        self.step.as_deref()
    }

    /// Returns the time of the first check that found the component in its current state.
    #[must_use]
    pub fn since(&self) -> SystemTime {
        self.since
    }
}
