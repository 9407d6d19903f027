//! The readiness of an Api, for whoever reports it.

use std::fmt;
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::task::Poll;
use std::time::Duration;

use restwright_core::report::Report;
use restwright_core::runtime::{SharedComponent, lost_log_lines};
use restwright_core::{ComponentError, StopSignal};
use tokio::time::timeout;

use super::component_states::{Checks, ComponentStates};
use super::lifecycle::ComponentFailure;

/// The name of the server among the components.
pub(super) const SERVER: &str = "server";

/// How long a component may take to say whether it is ready.
const LIMIT: Duration = Duration::from_secs(5);

/// The readiness of an [`Api`](super::Api), which one of its own controllers can hold; clones share it.
#[derive(Clone)]
pub struct Readiness(Arc<State>);

struct State {
    components: Vec<SharedComponent>,
    stop_signal: StopSignal,
    is_draining: AtomicBool,
    checks: Checks,
    refused: AtomicU64,
    host: RwLock<Option<HostReport>>,
}

/// Adds the values that a host measures.
type HostReport = Box<dyn Fn(&mut Report) + Send + Sync>;

impl Readiness {
    pub(super) fn new(components: Vec<SharedComponent>, stop_signal: StopSignal) -> Self {
        Self(Arc::new(State {
            components,
            stop_signal,
            is_draining: AtomicBool::new(false),
            checks: Checks::default(),
            refused: AtomicU64::new(0),
            host: RwLock::default(),
        }))
    }

    /// Returns the names of the components, in the order in which they start.
    pub fn components(&self) -> impl Iterator<Item = &str> {
        self.0.components.iter().map(|component| component.name())
    }

    /// Checks whether the server serves, and every [required](restwright_core::Component::is_required) component can do its work now. All are asked at the same time; one that does not say so
    /// within 5 seconds cannot. It needs a runtime of tokio with its time.
    ///
    /// # Errors
    /// The components that cannot, with the reasons. From the beginning of a [drain](super::Api::begin_drain) or a
    /// [stop](super::Api::begin_stop) on it is `server` alone.
    pub async fn check(&self) -> Result<(), Vec<ComponentFailure>> {
        let mut failures = self.failures().await;
        failures.retain(ComponentFailure::is_required);
        if failures.is_empty() { Ok(()) } else { Err(failures) }
    }

    /// Returns the failures of all components, also of those that are not required.
    pub(super) async fn failures(&self) -> Vec<ComponentFailure> {
        if self.0.is_draining.load(Ordering::Relaxed) || self.0.stop_signal.is_stopping() {
            return vec![not_ready(SERVER, "it is stopping".into(), true)];
        }
        let checks = self.0.components.iter().map(|component| Box::pin(timeout(LIMIT, component.ready())));
        let outcomes = all(checks.collect()).await.into_iter().zip(&self.0.components);
        let failures = outcomes.filter_map(|(outcome, component)| {
            let late = |_| Err(format!("it did not say so within {LIMIT:?}").into());
            Some(not_ready(component.name(), outcome.unwrap_or_else(late).err()?, component.is_required()))
        });
        failures.collect()
    }

    /// Returns the states of the server and of the components, which are asked at most once a second, however many call this. While they are
    /// asked, which takes 5 seconds at most, other calls return the states before.
    ///
    /// A change is logged, with its reason.
    pub async fn states(&self) -> ComponentStates {
        self.0.checks.now(self).await
    }

    /// Returns the current values of the gauges and counters of the server, as those of a component `server`, and of all components. Of
    /// components with one name, each after the first has its number behind the name, such as `pool 2`.
    #[must_use]
    pub fn report(&self) -> Report {
        let mut report = Report::default();
        report.begin(SERVER);
        let refused = self.0.refused.load(Ordering::Relaxed);
        report.counter("server_refused_requests", "Requests that found their worker full, and got 503.", refused);
        report.counter("server_log_lines_lost", "Lines of the log that could not be written.", lost_log_lines());
        if let Some(add) = &*self.0.host.read().unwrap_or_else(PoisonError::into_inner) {
            add(&mut report);
        }
        for (position, component) in self.0.components.iter().enumerate() {
            let name = component.name();
            let earlier = self.components().take(position).filter(|known| *known == name).count();
            let server = usize::from(name == SERVER);
            match earlier + server {
                0 => report.begin(name),
                others => report.begin(&format!("{name} {}", others + 1)),
            }
            component.report(&mut report);
        }
        report
    }

    pub(super) fn set_host_report(&self, add: HostReport) {
        *self.0.host.write().unwrap_or_else(PoisonError::into_inner) = Some(add);
    }

    pub(crate) fn count_refused(&self) {
        self.0.refused.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn parts(&self) -> &[SharedComponent] {
        &self.0.components
    }

    pub(super) fn stop_signal(&self) -> &StopSignal {
        &self.0.stop_signal
    }

    pub(super) fn set_draining(&self, is_draining: bool) {
        self.0.is_draining.store(is_draining, Ordering::Relaxed);
    }
}

fn not_ready(name: &str, source: ComponentError, is_required: bool) -> ComponentFailure {
    ComponentFailure::new(name, "is not ready", source).required(is_required)
}

/// Returns the outputs of all futures, in their order.
async fn all<F: Future + Unpin>(mut futures: Vec<F>) -> Vec<F::Output> {
    let mut outputs: Vec<_> = futures.iter().map(|_| None).collect();
    poll_fn(|context| {
        for (future, output) in futures.iter_mut().zip(&mut outputs) {
            if output.is_none()
                && let Poll::Ready(ready) = Pin::new(future).poll(context)
            {
                *output = Some(ready);
            }
        }
        if outputs.iter().all(Option::is_some) { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
    outputs.into_iter().flatten().collect()
}

impl fmt::Debug for Readiness {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Readiness").field("components", &self.components().collect::<Vec<_>>()).finish()
    }
}
