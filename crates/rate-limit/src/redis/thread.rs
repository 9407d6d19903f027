//! Defines [`CommandThread`], the thread that sends commands to Redis.

use std::future::pending;
use std::sync::OnceLock;

use restwright_core::{ComponentError, RuntimeThread};
use tokio::runtime::Handle;

/// A separate thread that sends commands to Redis, so a busy worker does not delay the limits of other workers. The
/// first command starts the thread. Dropping this value ends it.
#[derive(Default)]
pub(super) struct CommandThread(OnceLock<RunningThread>);

struct RunningThread(RuntimeThread);

impl CommandThread {
    /// Returns a handle to the tokio runtime of the thread. The first call starts the thread.
    pub(super) fn runtime(&self) -> Result<&Handle, ComponentError> {
        let running = match self.0.get() {
            Some(running) => running,
            None => {
                let started = RunningThread(RuntimeThread::start("restwright-limits", pending())?);
                // If another worker has already started a thread, this one is dropped.
                self.0.get_or_init(|| started)
            }
        };
        Ok(running.0.runtime())
    }
}

impl Drop for RunningThread {
    fn drop(&mut self) {
        self.0.main().abort();
    }
}
