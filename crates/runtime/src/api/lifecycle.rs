//! Starting an Api, its readiness, and stopping it.

use std::fmt;
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::task::Poll;
use std::thread;
use std::time::Duration;

use restwright_core::runtime::SharedComponent;
use restwright_core::runtime::log;
use restwright_core::{ComponentError, StopSignal};
use tokio::runtime::Handle;
use tokio::sync::oneshot;
use tokio::time::{sleep, timeout};

use super::seed::{SEED, Seeds};
use super::{Api, Readiness};

/// How long components may take to stop after another one could not start.
const STOP_AFTER_FAILURE: Duration = Duration::from_secs(5);

/// How long a component may take to stop when the time is over.
const LAST_CALL: Duration = Duration::from_millis(100);

impl Api {
    /// Starts the components in their order, and runs the [seeds](super::ApiBuilder::seed) after the stores.
    ///
    /// # Errors
    /// The first component that cannot start, or the failure of a seed, as that of a component `seed`. Those components that had started are stopped again, in reverse and within 5 seconds.
    pub async fn start(&self) -> Result<(), ComponentFailure> {
        if self.configuration().values().expose_internal_errors {
            log(|| {
                tracing::warn!(
                    "every client sees the causes of a 500, since the configuration says `.expose_internal_errors(true)`; leave that out in production"
                )
            });
        }
        self.stop_signal().set(false);
        self.0.readiness.set_draining(false);
        let mut started = 0;
        let outcome = self.start_all(&mut started).await;
        if outcome.is_err() {
            let started = self.0.readiness.parts().iter().take(started);
            // The failure of the start is the one to report.
            drop(stop_until(started.rev(), async { sleep(STOP_AFTER_FAILURE).await }).await);
        }
        outcome
    }

    /// Starts the components and runs the seeds, and counts the components that have started.
    async fn start_all(&self, started: &mut usize) -> Result<(), ComponentFailure> {
        let Seeds { position, seeds } = &self.0.seeds;
        let components = self.0.readiness.parts();
        let (stores, others) = components.split_at((*position).min(components.len()));
        for component in stores {
            start(component, started).await?;
        }
        for seed in seeds {
            seed().await.map_err(|source| ComponentFailure::new(SEED, "failed", source))?;
        }
        for component in others {
            start(component, started).await?;
        }
        Ok(())
    }

    /// Checks whether the server serves, and every required component can do its work now; as [`Readiness::check`].
    ///
    /// # Errors
    /// The components that cannot, with the reasons.
    pub async fn ready(&self) -> Result<(), Vec<ComponentFailure>> {
        self.0.readiness.check().await
    }

    /// Returns the readiness, for a controller of this Api; it does not keep the Api alive.
    #[must_use]
    pub fn readiness(&self) -> Readiness {
        self.0.readiness.clone()
    }

    /// Returns the signal that the server is stopping.
    #[must_use]
    pub fn stop_signal(&self) -> &StopSignal {
        self.0.readiness.stop_signal()
    }

    /// Begins to drain: the Api is not [ready](Self::ready) any more, so that whoever spreads requests sends none here, and is otherwise as
    /// before.
    ///
    /// `serve` does so for the time of `Host::drain`, and only then [begins to stop](Self::begin_stop).
    /// [`start`](Self::start) takes it back.
    pub fn begin_drain(&self) {
        self.0.readiness.set_draining(true);
    }

    /// Begins to stop: the Api is not [ready](Self::ready) any more, and its [`StopSignal`] says so to streams and handlers. Requests are
    /// handled as before.
    ///
    /// `serve` does so before it closes connections. [`start`](Self::start) takes it back.
    pub fn begin_stop(&self) {
        self.stop_signal().set(true);
    }

    /// Stops the components in reverse, and waits for each as long as it takes; [`stop_until`](Self::stop_until) has an end.
    pub async fn stop(&self) {
        self.begin_stop();
        for component in self.0.readiness.parts().iter().rev() {
            component.stop().await;
        }
    }

    /// Stops the components in reverse until `end` completes. From then on a component that does not stop within 100 ms is given up.
    ///
    /// Each component stops on a thread of its own, so that one that blocks its thread is given up too. It needs a runtime of tokio.
    ///
    /// # Errors
    /// The components that did not stop. Each of them is logged at the level `error`.
    pub async fn stop_until(&self, end: impl Future<Output = ()>) -> Result<(), Vec<ComponentFailure>> {
        self.begin_stop();
        stop_until(self.0.readiness.parts().iter().rev(), end).await
    }
}

async fn start(component: &SharedComponent, started: &mut usize) -> Result<(), ComponentFailure> {
    let outcome = component.start().await;
    outcome.map_err(|source| ComponentFailure::new(component.name(), "cannot start", source))?;
    *started += 1;
    Ok(())
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
            let failure = ComponentFailure::new(component.name(), "was given up while it stopped", source);
            log(|| tracing::error!(component = component.name(), "{failure}"));
            failures.push(failure);
        }
    }
    if failures.is_empty() { Ok(()) } else { Err(failures) }
}

/// Stops a component on a thread of its own, in the runtime of this one. When the wait is given up, so is the component, unless it blocks
/// its thread.
async fn stop_on_thread(component: SharedComponent) -> Result<(), ComponentError> {
    let runtime = Handle::try_current()?;
    let (mut sender, receiver) = oneshot::channel();
    thread::Builder::new().name("restwright-stop".to_owned()).spawn(move || {
        runtime.block_on(async {
            if first(component.stop(), sender.closed()).await.is_some() {
                // The wait may have been given up just now.
                let _ = sender.send(());
            }
        });
    })?;
    receiver.await.map_err(|_closed| "it panicked".into())
}

/// Returns the output of a future, or `None` if the other completes before.
async fn first<T>(one: impl Future<Output = T>, other: impl Future<Output = ()>) -> Option<T> {
    let (mut one, mut other) = (pin!(one), pin!(other));
    poll_fn(|context| match one.as_mut().poll(context) {
        Poll::Ready(output) => Poll::Ready(Some(output)),
        Poll::Pending => other.as_mut().poll(context).map(|()| None),
    })
    .await
}

/// The failure of a component that cannot start, is not ready, or does not stop. `Display` shows the causes of its error as well.
///
/// `Debug` prints the same sentence as `Display`, so that `fn main() -> Result<(), ..>` shows it as it is.
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
            // Some errors show their causes themselves.
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
