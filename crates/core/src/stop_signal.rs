//! The signal that the server is stopping.

use std::fmt;
use std::sync::Arc;

use tokio::sync::watch;

/// The signal of an Api that its server is stopping, for streams and handlers that would otherwise hold the stop for its whole grace.
///
/// A request has it as a part, without an attribute, which adds nothing to the document. A plan keeps that of
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
    /// Returns whether the server is stopping.
    #[must_use]
    pub fn is_stopping(&self) -> bool {
        *self.0.borrow()
    }

    /// Waits until the server is stopping, and completes at once if it is. Without a server that stops it never completes.
    pub async fn stopping(&self) {
        // The sender is this signal's own and outlives the wait.
        drop(self.0.subscribe().wait_for(|stopping| *stopping).await);
    }
}

/// For the runtime.
#[doc(hidden)]
impl StopSignal {
    pub fn set(&self, stopping: bool) {
        self.0.send_replace(stopping);
    }
}

impl Default for StopSignal {
    /// A signal of a server that runs.
    fn default() -> Self {
        Self(Arc::new(watch::Sender::new(false)))
    }
}

impl fmt::Debug for StopSignal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("StopSignal").field("is_stopping", &self.is_stopping()).finish()
    }
}
