//! The thread on which keys are fetched.

use std::sync::Arc;
use std::thread;

use restwright_core::{Component, ComponentError};
use tokio::runtime::Builder;

use super::provider::{KeyProvider, Task};

/// Fetches on a thread of its own, so that it depends on no host and a slow issuer slows no worker.
impl Component for KeyProvider {
    fn name(&self) -> &str {
        &self.0.name
    }

    /// Begins to fetch and does not wait for the first answer; until it is there, callers get 503.
    async fn start(&self) -> Result<(), ComponentError> {
        let mut task = self.0.task();
        if task.is_running() {
            task.users += 1;
            return Ok(());
        }
        self.0.schedule().restart();
        let (started, handle) = std::sync::mpsc::sync_channel(1);
        let inner = Arc::clone(&self.0);
        thread::Builder::new().name("restwright-keys".to_owned()).spawn(move || {
            let runtime = match Builder::new_current_thread().enable_all().build() {
                Ok(runtime) => runtime,
                Err(error) => return drop(started.send(Err(error))),
            };
            let fetching = runtime.spawn(inner.keep_fresh());
            // Whoever waits for the handle is still there, and an aborted task is no failure.
            drop(started.send(Ok(fetching.abort_handle())));
            if let Err(error) = runtime.block_on(fetching)
                && error.is_panic()
            {
                tracing::error!("keys are not fetched any more: the task that does it panicked");
            }
            // A read that hangs is left behind.
            runtime.shutdown_background();
        })?;
        *task = Task { handle: Some(handle.recv()??), users: 1 };
        Ok(())
    }

    /// Fails when there are no keys, when they are older than the hard limit, and in the last tenth of that limit when fetches
    /// fail; the reason names their age and the failures.
    ///
    /// Not earlier: an outage of the issuer strikes every instance alike, and a load balancer that takes all of them out
    /// refuses what each could still answer. The last tenth is there for an instance that alone cannot reach the issuer, so
    /// that it leaves before it answers 503. To be told of an outage in time, watch [`status`](KeyProvider::status).
    async fn ready(&self) -> Result<(), ComponentError> {
        self.ready_outage().map_or(Ok(()), |outage| Err(outage.reason.into()))
    }

    /// Ends the fetching when no other Api has started it, and returns when nothing is fetched any more.
    async fn stop(&self) {
        let handle = {
            let mut task = self.0.task();
            task.users = task.users.saturating_sub(1);
            if task.users == 0 { task.handle.take() } else { None }
        };
        let Some(handle) = handle else { return };
        handle.abort();
        // The task ends on its own thread, where it is woken at once.
        while !handle.is_finished() {
            tokio::task::yield_now().await;
        }
    }
}
