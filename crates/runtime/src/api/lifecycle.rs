//! Starts and stops the components of an Api, and checks whether they are ready.

use std::fmt;
use std::future::{Future, poll_fn};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::task::Poll;
use std::thread;
use std::time::Duration;

use restwright_core::runtime::{SharedComponent, log, panic_message};
use restwright_core::{ComponentError, StopSignal};
use tokio::runtime::Handle;
use tokio::sync::oneshot;
use tokio::time::{Instant, sleep, timeout};

use super::seed::{SEED, Seeds};
use super::{Api, Readiness};

/// The time limit for stopping the started components after a later component has failed to start.
const STOP_AFTER_FAILURE: Duration = Duration::from_secs(5);

/// The additional time for stopping each remaining component after the common time limit has passed.
const LAST_CALL: Duration = Duration::from_millis(100);

/// The time after which a start is slow, and the time between two log lines about it.
const SLOW_START: Duration = Duration::from_secs(10);

impl Api {
    /// Starts the components in order. Runs the [seeds](super::ApiBuilder::seed) after the stores have started.
    ///
    /// A component that takes longer than 10 seconds is a line of the log, and makes the start [slow](Self::slow_start). A
    /// tokio runtime that runs the future must have timers.
    ///
    /// # Errors
    /// Returns the failure of the first component that does not start. A failed seed is reported as the component
    /// `seed`. Components that had already started are stopped in reverse order, within 5 seconds.
    pub async fn start(&self) -> Result<(), ComponentFailure> {
        if self.configuration().values().expose_internal_errors {
            log(|| {
                tracing::warn!(
                    "the configuration sets `.expose_internal_errors(true)`, so 500 responses show their causes to every client; remove it in production"
                )
            });
        }
        self.stop_signal().set(false);
        let readiness = &self.0.readiness;
        readiness.set_draining(false);
        let mut started = 0;
        let outcome = self.start_all(&mut started).await;
        readiness.end_slow_start();
        if outcome.is_err() {
            let started = readiness.parts().iter().take(started);
            // Only the failure of the start is reported.
            drop(stop_until(started.rev(), async { sleep(STOP_AFTER_FAILURE).await }).await);
        }
        outcome
    }

    /// Starts the components and runs the seeds. Stores the number of started components in `started`.
    async fn start_all(&self, started: &mut usize) -> Result<(), ComponentFailure> {
        let Seeds { position, seeds } = &self.0.seeds;
        let components = self.0.readiness.parts();
        let (stores, others) = components.split_at((*position).min(components.len()));
        for component in stores {
            self.start_one(component, started).await?;
        }
        for seed in seeds {
            let ran = self.watched(SEED, || None, *started, seed.run()).await;
            ran.map_err(|source| ComponentFailure::new(SEED, "failed", source))?;
        }
        for component in others {
            self.start_one(component, started).await?;
        }
        Ok(())
    }

    async fn start_one(&self, component: &SharedComponent, started: &mut usize) -> Result<(), ComponentFailure> {
        let outcome = self.watched(component.name(), || component.progress(), *started, component.start()).await;
        outcome.map_err(|source| ComponentFailure::new(component.name(), "cannot start", source))?;
        *started += 1;
        Ok(())
    }

    /// Runs the start of a component. A panic is its failure. While the start is slow, the log names the component.
    async fn watched(
        &self,
        name: &str,
        progress: impl Fn() -> Option<String>,
        started: usize,
        start: impl Future<Output = Result<(), ComponentError>>,
    ) -> Result<(), ComponentError> {
        let (mut start, begun) = (pin!(start), Instant::now());
        let mut caught = pin!(poll_fn(move |context| {
            catch_unwind(AssertUnwindSafe(|| start.as_mut().poll(context)))
                .unwrap_or_else(|payload| Poll::Ready(Err(format!("it panicked: {}", panic_message(&*payload)).into())))
        }));
        if Handle::try_current().is_err() {
            // Without a runtime there are no timers.
            return caught.await;
        }
        self.0.readiness.set_started(started);
        loop {
            if let Ok(outcome) = timeout(SLOW_START, caught.as_mut()).await {
                return outcome;
            }
            self.0.readiness.begin_slow_start();
            let (seconds, step) = (begun.elapsed().as_secs(), progress().unwrap_or_default());
            log(|| tracing::warn!(component = name, seconds, step, "the server waits for a component to start"));
        }
    }

    /// Waits until a [start](Self::start) has taken longer than 10 seconds. If no start runs, waits for the next one.
    ///
    /// A host then accepts connections, so a supervisor detects that the process works. Until the end of the start,
    /// health checks respond and other requests get a 503 with `Retry-After`. `serve` does this.
    pub async fn slow_start(&self) {
        self.0.readiness.slow_start().await;
    }

    /// Checks whether the server serves requests and every required component is ready. See [`Readiness::check`].
    ///
    /// # Errors
    /// Returns the components that are not ready, with the reasons.
    pub async fn ready(&self) -> Result<(), Vec<ComponentFailure>> {
        self.0.readiness.check().await
    }

    /// Returns a handle that reports readiness. A controller can store it, because it does not keep the Api alive.
    #[must_use]
    pub fn readiness(&self) -> Readiness {
        self.0.readiness.clone()
    }

    /// Returns the signal that notifies streams and handlers when the server stops.
    #[must_use]
    pub fn stop_signal(&self) -> &StopSignal {
        self.0.readiness.stop_signal()
    }

    /// Marks the Api as draining. It is then no longer [ready](Self::ready). Load balancers then stop sending requests.
    /// Requests are still handled as before.
    ///
    /// `serve` calls this method at the start of the `Host::drain` time, and calls [`begin_stop`](Self::begin_stop) at
    /// its end. [`start`](Self::start) ends the draining.
    pub fn begin_drain(&self) {
        self.0.readiness.set_draining(true);
    }

    /// Marks the Api as stopping. It is then no longer [ready](Self::ready), and its [`StopSignal`] notifies streams
    /// and handlers. Requests are still handled as before.
    ///
    /// `serve` calls this method before it closes connections. [`start`](Self::start) clears the mark.
    pub fn begin_stop(&self) {
        self.stop_signal().set(true);
    }

    /// Stops the components in reverse order, without a time limit. To set a limit, use
    /// [`stop_until`](Self::stop_until).
    pub async fn stop(&self) {
        self.begin_stop();
        for component in self.0.readiness.parts().iter().rev() {
            component.stop().await;
        }
    }

    /// Stops the components in reverse order. The time limit ends when the future `end` completes. After that, each
    /// component that does not stop within 100 ms is abandoned.
    ///
    /// Each component stops on a separate thread, so a component that blocks its thread can be abandoned too. Requires a tokio
    /// runtime.
    ///
    /// # Errors
    /// Returns the components that did not stop. Each of them is also logged at level `error`.
    pub async fn stop_until(&self, end: impl Future<Output = ()>) -> Result<(), Vec<ComponentFailure>> {
        self.begin_stop();
        stop_until(self.0.readiness.parts().iter().rev(), end).await
    }
}

async fn stop_until(
    components: impl Iterator<Item = &SharedComponent>,
    end: impl Future<Output = ()>,
) -> Result<(), Vec<ComponentFailure>> {
    let (mut end, mut is_over) = (pin!(end), false);
    let mut failures = Vec::new();
    for component in components {
        let mut stopped = pin!(stop_on_thread(component.clone()));
        let mut outcome = None;
        if !is_over {
            outcome = first(stopped.as_mut(), end.as_mut()).await;
            is_over = outcome.is_none();
        }
        if is_over {
            outcome = timeout(LAST_CALL, stopped).await.ok();
        }
        let failure = outcome.unwrap_or_else(|| Err("it did not stop in time".into()));
        if let Err(source) = failure {
            let failure = ComponentFailure::new(component.name(), "was abandoned while stopping", source);
            log(|| tracing::error!(component = component.name(), "{failure}"));
            failures.push(failure);
        }
    }
    if failures.is_empty() { Ok(()) } else { Err(failures) }
}

/// Stops a component on a separate thread, with the current tokio runtime. Dropping the returned future cancels the
/// stop, unless the component blocks its thread.
async fn stop_on_thread(component: SharedComponent) -> Result<(), ComponentError> {
    let runtime = Handle::try_current()?;
    let (mut sender, receiver) = oneshot::channel();
    thread::Builder::new().name("restwright-stop".to_owned()).spawn(move || {
        runtime.block_on(async {
            if first(component.stop(), sender.closed()).await.is_some() {
                // The wait may just have been abandoned.
                let _ = sender.send(());
            }
        });
    })?;
    receiver.await.map_err(|_closed| "it panicked".into())
}

/// Returns the output of the future `one`, or `None` if the future `other` completes first.
async fn first<T>(one: impl Future<Output = T>, other: impl Future<Output = ()>) -> Option<T> {
    let (mut one, mut other) = (pin!(one), pin!(other));
    poll_fn(|context| match one.as_mut().poll(context) {
        Poll::Ready(output) => Poll::Ready(Some(output)),
        Poll::Pending => other.as_mut().poll(context).map(|()| None),
    })
    .await
}

/// An error of a component that does not start, is not ready, or does not stop. `Display` includes the causes.
///
/// `Debug` prints the same sentence as `Display`, so `fn main() -> Result<(), ..>` prints a readable error.
pub struct ComponentFailure {
    component: String,
    failure: &'static str,
    source: ComponentError,
    is_required: bool,
}

impl ComponentFailure {
    pub(super) fn new(component: &str, failure: &'static str, source: ComponentError) -> Self {
        Self { component: component.to_owned(), failure, source, is_required: true }
    }

    pub(super) fn required(self, is_required: bool) -> Self {
        Self { is_required, ..self }
    }

    pub(super) fn is_required(&self) -> bool {
        self.is_required
    }

    /// Returns the name of the component.
    #[must_use]
    pub fn component(&self) -> &str {
        &self.component
    }
}

impl fmt::Display for ComponentFailure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "the component `{}` {}: {}", self.component, self.failure, self.source)?;
        let (mut shown, mut cause) = (self.source.to_string(), self.source.source());
        while let Some(error) = cause {
            // Some errors already include their causes in their message.
            let message = error.to_string();
            if !shown.contains(&message) {
                write!(formatter, ": {message}")?;
            }
            (shown, cause) = (message, error.source());
        }
        Ok(())
    }
}

impl fmt::Debug for ComponentFailure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}

impl std::error::Error for ComponentFailure {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&*self.source)
    }
}
