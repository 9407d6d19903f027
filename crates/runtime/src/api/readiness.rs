//! The readiness of an Api, for whoever reports it.

use std::fmt;
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::Poll;
use std::time::Duration;

use restwright_core::runtime::SharedComponent;
use restwright_core::{ComponentError, StopSignal};
use tokio::time::timeout;

use super::lifecycle::ComponentFailure;

/// How long a component may take to say whether it is ready.
const LIMIT: Duration = Duration::from_secs(5);

/// The readiness of an [`Api`](super::Api), which one of its own controllers can hold; clones share it.
#[derive(Clone)]
pub struct Readiness(Arc<State>);

struct State {
    components: Vec<SharedComponent>,
    stop_signal: StopSignal,
    is_draining: AtomicBool,
}

impl Readiness {
    pub(super) fn new(components: Vec<SharedComponent>, stop_signal: StopSignal) -> Self {
        Self(Arc::new(State { components, stop_signal, is_draining: AtomicBool::new(false) }))
    }

    /// Returns the names of the components, in the order in which they start.
    pub fn components(&self) -> impl Iterator<Item = &str> {
        self.0.components.iter().map(|component| component.name())
    }

    /// Checks whether the server serves, and every component can do its work now. All are asked at the same time; one that does not say so
    /// within 5 seconds cannot. It needs a runtime of tokio with its time.
    ///
    /// # Errors
    /// The components that cannot, with the reasons. From the beginning of a [drain](super::Api::begin_drain) or a
    /// [stop](super::Api::begin_stop) on it is `server` alone.
    pub async fn check(&self) -> Result<(), Vec<ComponentFailure>> {
        if self.0.is_draining.load(Ordering::Relaxed) || self.0.stop_signal.is_stopping() {
            return Err(vec![not_ready("server", "it is stopping".into())]);
        }
        let checks = self.0.components.iter().map(|component| Box::pin(timeout(LIMIT, component.ready())));
        let outcomes = all(checks.collect()).await.into_iter().zip(self.components());
        let failures = outcomes.filter_map(|(outcome, name)| {
            let late = |_| Err(format!("it did not say so within {LIMIT:?}").into());
            Some(not_ready(name, outcome.unwrap_or_else(late).err()?))
        });
        let failures: Vec<_> = failures.collect();
        if failures.is_empty() { Ok(()) } else { Err(failures) }
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

fn not_ready(name: &str, source: ComponentError) -> ComponentFailure {
    ComponentFailure::new(name, "is not ready", source)
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
