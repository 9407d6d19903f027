//! The states of the components, asked for at most once a second.

use std::iter;
use std::sync::{OnceLock, PoisonError, RwLock};
use std::time::Duration;

use jiff::Timestamp;
use restwright_runtime::Readiness;
use restwright_runtime::core::{Problem, Result};
use serde_json::{Value, json};
use tokio::sync::Mutex;
use tokio::time::Instant;

/// The name under which the runtime reports that it drains or stops.
const SERVER: &str = "server";

/// How old a check may be that is used again.
const MAX_AGE: Duration = Duration::from_secs(1);

/// The checks of an Api, which all workers share.
#[derive(Default)]
pub(super) struct Checks {
    readiness: OnceLock<Readiness>,
    last: RwLock<Option<Check>>,
    /// Held during a check, so that there is one at a time.
    running: Mutex<()>,
}

#[derive(Clone)]
struct Check {
    at: Instant,
    is_ready: bool,
    components: Vec<ComponentState>,
}

/// The state of a component, or of the server.
#[derive(Clone)]
pub(super) struct ComponentState {
    name: String,
    is_ready: bool,
    since: Timestamp,
}

impl Checks {
    /// Takes the readiness of the Api that is built.
    pub(super) fn begin(&self, readiness: Readiness) {
        // An Api is built once.
        let _ = self.readiness.set(readiness);
    }

    /// Returns whether the Api is ready, and the components with their states.
    ///
    /// While a check runs, which a component can delay, others have the last one: their requests would else hold places of those in flight.
    pub(super) async fn now(&self) -> Result<(bool, Vec<ComponentState>)> {
        let readiness = self.readiness.get().ok_or_else(|| Problem::internal("the Api is not built yet"))?;
        if let Some(check) = self.last().filter(Check::is_new) {
            return Ok(check.states());
        }
        let running = match (self.running.try_lock(), self.last()) {
            (Ok(running), _) => running,
            (Err(_running), Some(check)) => return Ok(check.states()),
            (Err(_running), None) => self.running.lock().await,
        };
        let check = match self.last() {
            // It was made while this waited.
            Some(check) if check.is_new() => check,
            before => Check::new(readiness, before.map(|check| check.components).unwrap_or_default()).await,
        };
        let states = check.states();
        *self.last.write().unwrap_or_else(PoisonError::into_inner) = Some(check);
        drop(running);
        Ok(states)
    }

    fn last(&self) -> Option<Check> {
        self.last.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Check {
    fn is_new(&self) -> bool {
        self.at.elapsed() < MAX_AGE
    }

    fn states(&self) -> (bool, Vec<ComponentState>) {
        (self.is_ready, self.components.clone())
    }

    /// Asks the components; those that are as they were before have been so since then.
    async fn new(readiness: &Readiness, before: Vec<ComponentState>) -> Self {
        let failures = readiness.check().await.err().unwrap_or_default();
        let is_stopping = failures.iter().any(|failure| failure.component() == SERVER);
        let now = Timestamp::now();
        let mut components = Vec::new();
        for (position, name) in iter::once(SERVER).chain(readiness.components()).enumerate() {
            let known = before.get(position);
            let failure = failures.iter().find(|failure| failure.component() == name);
            // A server that stops asks nobody.
            let is_ready = match known {
                Some(known) if is_stopping && name != SERVER => known.is_ready,
                _ => failure.is_none(),
            };
            let is_new = known.is_none_or(|known| known.is_ready != is_ready);
            match failure {
                Some(failure) if is_new => tracing::warn!(component = name, "{failure}"),
                None if is_new && known.is_some() => tracing::info!(component = name, "ready again"),
                _ => {}
            }
            let since = known.filter(|_| !is_new).map_or(now, |known| known.since);
            components.push(ComponentState { name: name.to_owned(), is_ready, since });
        }
        Self { at: Instant::now(), is_ready: failures.is_empty(), components }
    }
}

impl From<ComponentState> for Value {
    fn from(state: ComponentState) -> Self {
        let status = if state.is_ready { "ready" } else { "not ready" };
        json!({ "name": state.name, "status": status, "since": state.since.to_string() })
    }
}
