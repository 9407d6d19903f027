//! Defines [`StopSignal`], which signals that the server is stopping.

use std::fmt;
use std::sync::Arc;

use tokio::sync::watch;

/// A signal that the server is stopping. Streams and handlers use it to end early instead of delaying the shutdown for
/// the whole grace period.
///
/// It is a [`Part`](crate::Part), so a field of a request can have this type without an attribute. It adds nothing to
/// the OpenAPI document. A `plan` method gets the signal from
/// [`BuildContext::stop_signal`](crate::BuildContext::stop_signal). Clones share the signal.
///
/// ```
/// use std::time::Duration;
///
/// use restwright_core::StopSignal;
///
/// /// Waits for an event, a minute at most, and not while the server stops.
/// async fn next_event(stop: &StopSignal, event: impl Future<Output = String>) -> Option<String> {
///     tokio::select! {
///         event = event => Some(event),
///         () = stop.stopping() => None,
///         () = tokio::time::sleep(Duration::from_secs(60)) => None,
///     }
/// }
/// ```
#[derive(Clone)]
pub struct StopSignal(Arc<watch::Sender<bool>>);

impl StopSignal {
    /// Returns `true` if the server is stopping.
    #[must_use]
    pub fn is_stopping(&self) -> bool {
        *self.0.borrow()
    }

    /// Waits until the server is stopping. Completes immediately if the server is already stopping.
    ///
    /// If nothing stops the Api, for example in a test, it never completes.
    pub async fn stopping(&self) {
        // The sender belongs to this signal and outlives the wait.
        drop(self.0.subscribe().wait_for(|stopping| *stopping).await);
    }
}

/// Contains methods that only the runtime calls.
#[doc(hidden)]
impl StopSignal {
    pub fn set(&self, stopping: bool) {
        self.0.send_replace(stopping);
    }
}

impl Default for StopSignal {
    /// Creates the stop signal of a running server.
    fn default() -> Self {
        Self(Arc::new(watch::Sender::new(false)))
    }
}

impl fmt::Debug for StopSignal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("StopSignal").field("is_stopping", &self.is_stopping()).finish()
    }
}
