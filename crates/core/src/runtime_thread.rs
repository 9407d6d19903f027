//! Starts a thread with a tokio runtime.

use std::future::Future;
use std::io;
use std::sync::mpsc;
use std::thread;

use crate::log::log;

use tokio::runtime::{Builder, Handle};
use tokio::sync::oneshot;
use tokio::task::AbortHandle;

/// A thread with a separate tokio runtime, for background work that must not wait for a busy worker.
///
/// It runs until its main task ends, even if this value is dropped.
#[derive(Debug)]
pub struct RuntimeThread {
    runtime: Handle,
    main: AbortHandle,
    /// A channel that closes when the main task has ended.
    ended: oneshot::Receiver<()>,
}

impl RuntimeThread {
    /// Starts a thread and runs the main task on it.
    ///
    /// # Errors
    /// The system cannot start a thread or a runtime.
    pub fn start(name: &'static str, main: impl Future<Output = ()> + Send + 'static) -> io::Result<Self> {
        Self::start_with(Builder::new_current_thread(), name, main)
    }

    /// Starts a runtime thread that checks for expired timers and aborted tasks after every task poll. A busy task
    /// then delays them by only one poll.
    ///
    /// # Errors
    /// The errors of [`start`](Self::start).
    pub fn start_attentive(name: &'static str, main: impl Future<Output = ()> + Send + 'static) -> io::Result<Self> {
        let mut builder = Builder::new_current_thread();
        builder.event_interval(1).global_queue_interval(1);
        Self::start_with(builder, name, main)
    }

    fn start_with(
        mut builder: Builder,
        name: &'static str,
        main: impl Future<Output = ()> + Send + 'static,
    ) -> io::Result<Self> {
        let (started, handles) = mpsc::sync_channel(1);
        thread::Builder::new().name(name.to_owned()).spawn(move || {
            let runtime = match builder.enable_all().build() {
                Ok(runtime) => runtime,
                Err(error) => return drop(started.send(Err(error))),
            };
            let main = runtime.spawn(main);
            let (ending, ended) = oneshot::channel();
            let this = Self { runtime: runtime.handle().clone(), main: main.abort_handle(), ended };
            // The receiver waits for this message, so sending cannot fail.
            drop(started.send(Ok(this)));
            if let Err(error) = runtime.block_on(main)
                && error.is_panic()
            {
                log(|| tracing::error!(thread = name, "a background thread ended: its main task panicked"));
            }
            drop(ending);
            // Does not wait for blocking calls that hang.
            runtime.shutdown_background();
        })?;
        handles.recv().map_err(io::Error::other)?
    }

    /// Returns the runtime, to spawn further tasks.
    #[must_use]
    pub fn runtime(&self) -> &Handle {
        &self.runtime
    }

    /// Returns a handle that aborts the main task, which ends the thread.
    #[must_use]
    pub fn main(&self) -> &AbortHandle {
        &self.main
    }

    /// Aborts the main task and waits until the task has ended.
    pub async fn stop(self) {
        self.main.abort();
        // The channel closes without a message.
        let _ = self.ended.await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_thread_ends_with_its_main_task() {
        let started = RuntimeThread::start("test", std::future::pending()).unwrap();
        let (sender, receiver) = mpsc::channel();
        let task = started.runtime().spawn(async move {
            sender.send(thread::current().name().map(str::to_owned)).unwrap();
            std::future::pending::<()>().await;
        });
        assert_eq!(receiver.recv().unwrap().as_deref(), Some("test"));
        assert!(!task.is_finished());
        started.main().abort();
        while !(started.main().is_finished() && task.is_finished()) {
            thread::yield_now();
        }
    }

    #[test]
    fn stopping_waits_for_the_main_task() {
        let started = RuntimeThread::start("test", std::future::pending()).unwrap();
        let main = started.main().clone();
        Builder::new_current_thread().build().unwrap().block_on(started.stop());
        assert!(main.is_finished());
    }
}
