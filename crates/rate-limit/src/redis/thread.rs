//! The thread from which commands are sent.

use std::future::pending;
use std::sync::OnceLock;

use restwright_core::{ComponentError, RuntimeThread};
use tokio::runtime::Handle;

/// A thread of its own, so that the limits of one worker do not depend on another that is busy. The first command starts it, and it
/// ends when this is dropped.
#[derive(Default)]
pub(super) struct CommandThread(OnceLock<Running>);

struct Running(RuntimeThread);

impl CommandThread {
    /// Returns the runtime of the thread.
    pub(super) fn runtime(&self) -> Result<&Handle, ComponentError> {
        let running = match self.0.get() {
            Some(running) => running,
            None => {
                let started = Running(RuntimeThread::start("restwright-limits", pending())?);
                // If another was faster, the one that was started here is dropped.
                self.0.get_or_init(|| started)
            }
        };
        Ok(running.0.runtime())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.0.main().abort();
    }
}
