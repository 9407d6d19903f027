//! Defines [`Readiness`], a handle that reports whether an Api and its components are ready.

use std::fmt;
use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock, Weak};
use std::task::Poll;
use std::time::Duration;

use restwright_core::report::Report;
use restwright_core::runtime::{MemoryAccount, SharedComponent, lost_log_lines, panics};
use restwright_core::{ComponentError, StopSignal};
use tokio::sync::Notify;
use tokio::time::timeout;

use super::component_states::{ComponentStates, LastReadinessCheck};
use super::lifecycle::ComponentFailure;

/// The name of the server in readiness reports, where it appears as a component.
pub(super) const SERVER: &str = "server";

/// The time limit for the readiness check of a component.
const LIMIT: Duration = Duration::from_secs(5);

/// A handle that reports whether an [`Api`](super::Api) and its components are ready. The handle does not keep the Api
/// alive, so controllers of the Api can store the handle.
#[derive(Clone)]
pub struct Readiness(Arc<ReadinessState>);

struct ReadinessState {
    components: Vec<SharedComponent>,
    stop_signal: StopSignal,
    is_draining: AtomicBool,
    start: SlowStart,
    checks: LastReadinessCheck,
    refused: AtomicU64,
    /// The bytes in use and the limit of the memory account of each worker.
    memory: Mutex<Vec<(Weak<AtomicUsize>, usize)>>,
    host: RwLock<Option<HostReport>>,
}

/// The state of a start that takes long.
#[derive(Default)]
struct SlowStart {
    is_running: Arc<AtomicBool>,
    begun: Notify,
    /// The number of started components.
    started: AtomicUsize,
}

/// A function that adds the gauges and counters of the host to a metric report.
type HostReport = Box<dyn Fn(&mut Report) + Send + Sync>;

impl Readiness {
    pub(super) fn new(components: Vec<SharedComponent>, stop_signal: StopSignal) -> Self {
        Self(Arc::new(ReadinessState {
            components,
            stop_signal,
            is_draining: AtomicBool::new(false),
            start: SlowStart::default(),
            checks: LastReadinessCheck::default(),
            refused: AtomicU64::new(0),
            memory: Mutex::default(),
            host: RwLock::default(),
        }))
    }

    /// Returns the names of the components in the order in which they start.
    pub fn components(&self) -> impl Iterator<Item = &str> {
        self.0.components.iter().map(|component| component.name())
    }

    /// Checks whether the server serves requests and every [required](restwright_core::Component::is_required)
    /// component is ready.
    ///
    /// All components are checked in parallel. A component that does not respond within 5 seconds is not ready.
    /// Requires a tokio runtime with its timer enabled.
    ///
    /// # Errors
    /// Returns the components that are not ready, with the reasons. During a [drain](super::Api::begin_drain) or a
    /// [stop](super::Api::begin_stop), the only entry is `server`. During a [slow start](super::Api::slow_start), components that have not started are
    /// not ready.
    pub async fn check(&self) -> Result<(), Vec<ComponentFailure>> {
        let mut failures = self.failures().await;
        failures.retain(ComponentFailure::is_required);
        if failures.is_empty() { Ok(()) } else { Err(failures) }
    }

    /// Returns the failures of all components that are not ready, including components that are not required.
    pub(super) async fn failures(&self) -> Vec<ComponentFailure> {
        if self.0.is_draining.load(Ordering::Relaxed) || self.0.stop_signal.is_stopping() {
            return vec![not_ready(SERVER, "the server is stopping".into(), true)];
        }
        let (started, unstarted) = self.started();
        let checks = started.iter().map(|component| Box::pin(timeout(LIMIT, component.ready())));
        let outcomes = all(checks.collect()).await.into_iter().zip(started);
        let failures = outcomes.filter_map(|(outcome, component)| {
            let late = |_| Err(format!("its check did not complete within {LIMIT:?}").into());
            Some(not_ready(component.name(), outcome.unwrap_or_else(late).err()?, component.is_required()))
        });
        let unstarted = unstarted.iter().map(|component| {
            let reason = component.progress().unwrap_or_else(|| "it has not started".to_owned());
            not_ready(component.name(), reason.into(), component.is_required())
        });
        failures.chain(unstarted).collect()
    }

    /// Returns the started components, and the other components during a slow start.
    fn started(&self) -> (&[SharedComponent], &[SharedComponent]) {
        let components = self.0.components.as_slice();
        let SlowStart { is_running, started, .. } = &self.0.start;
        let started =
            if is_running.load(Ordering::Relaxed) { started.load(Ordering::Relaxed) } else { components.len() };
        components.split_at(started.min(components.len()))
    }

    /// Returns the steps of the components that have not started, in the order of all components.
    pub(super) fn step(&self, position: usize) -> Option<String> {
        let (started, unstarted) = self.started();
        unstarted.get(position.checked_sub(started.len())?)?.progress()
    }

    /// Returns a flag that is `true` during a slow start.
    pub(super) fn starting(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.0.start.is_running)
    }

    pub(super) fn set_started(&self, started: usize) {
        self.0.start.started.store(started, Ordering::Relaxed);
    }

    pub(super) fn begin_slow_start(&self) {
        self.0.start.is_running.store(true, Ordering::SeqCst);
        self.0.start.begun.notify_waiters();
    }

    pub(super) fn end_slow_start(&self) {
        self.0.start.is_running.store(false, Ordering::SeqCst);
    }

    pub(super) async fn slow_start(&self) {
        let mut begun = pin!(self.0.start.begun.notified());
        begun.as_mut().enable();
        if !self.0.start.is_running.load(Ordering::SeqCst) {
            begun.await;
        }
    }

    /// Returns the states of the server and the components.
    ///
    /// The components are checked at most once a second, regardless of the number of callers. A check takes at most 5
    /// seconds. During a check, other callers get the previous states.
    ///
    /// Each change of a state is logged with its reason.
    pub async fn states(&self) -> ComponentStates {
        self.0.checks.now(self).await
    }

    /// Returns the current metrics (gauges and counters) of all components, and of the server under the name `server`.
    /// If several components have the same name, a number is appended, such as `pool 2`.
    #[must_use]
    pub fn report(&self) -> Report {
        let mut report = Report::default();
        report.begin(SERVER);
        let refused = self.0.refused.load(Ordering::Relaxed);
        report.counter("server_refused_requests", "Requests rejected with 503 because their worker was full.", refused);
        report.counter("server_log_lines_lost", "Log lines that could not be written.", lost_log_lines());
        report.counter("server_panics", "Panics in handlers and middlewares.", panics());
        let (used, limit) = self.memory();
        report.gauge("server_memory_bytes", "Bytes that all workers use for heads, bodies and unsent responses.", used);
        report.gauge("server_memory_max_bytes", "The sum of the limits of all workers in bytes.", limit);
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

    pub(super) fn add_memory_account(&self, account: &MemoryAccount) {
        let mut accounts = self.0.memory.lock().unwrap_or_else(PoisonError::into_inner);
        accounts.retain(|(total, _)| total.strong_count() > 0);
        accounts.push((Arc::downgrade(account.total()), account.limit()));
    }

    /// Returns the bytes in use and the limit of all workers.
    #[expect(clippy::cast_precision_loss, reason = "the format has doubles")]
    fn memory(&self) -> (f64, f64) {
        let accounts = self.0.memory.lock().unwrap_or_else(PoisonError::into_inner);
        let living = accounts.iter().filter_map(|(total, limit)| Some((total.upgrade()?, limit)));
        living.fold((0.0, 0.0), |(used, limits), (total, limit)| {
            (used + total.load(Ordering::Relaxed) as f64, limits + *limit as f64)
        })
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

/// Runs all futures concurrently, and returns their outputs in the same order.
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
