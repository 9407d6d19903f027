//! Serves the metrics on a separate address and port.

use std::collections::VecDeque;
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use restwright_runtime::core::runtime::log;
use restwright_runtime::core::runtime::why_unbound;
use restwright_runtime::core::{Component, ComponentError, OutageLog};
use tokio::task::{AbortHandle, JoinHandle};
use tokio::time::sleep;

use super::connection::respond;
use super::endpoint::Scrape;

/// The maximum number of connections. A further connection replaces the oldest connection, so no client can block other
/// clients.
const MAX_CONNECTIONS: usize = 32;

/// The pause after a failed `accept`, for example because no file descriptor is free.
const PAUSE: Duration = Duration::from_millis(100);

/// A component that serves the metrics on a separate address and port.
pub(super) struct MetricsListener {
    address: SocketAddr,
    scrape: Scrape,
    task: Mutex<Option<JoinHandle<()>>>,
}

impl MetricsListener {
    pub(super) fn new(address: SocketAddr, scrape: Scrape) -> Self {
        Self { address, scrape, task: Mutex::default() }
    }

    fn replace_task(&self, task: Option<JoinHandle<()>>) -> Option<JoinHandle<()>> {
        std::mem::replace(&mut *self.task.lock().unwrap_or_else(PoisonError::into_inner), task)
    }
}

impl Component for MetricsListener {
    fn name(&self) -> &str {
        "metrics"
    }

    async fn start(&self) -> Result<(), ComponentError> {
        let listener = bind(self.address).map_err(|error| cannot_listen(self.address, &error))?;
        let address = listener.local_addr()?;
        log(|| tracing::info!(%address, "metrics at /metrics"));
        let task = tokio::spawn(accept(listener, self.scrape.clone()));
        if let Some(before) = self.replace_task(Some(task)) {
            before.abort();
        }
        Ok(())
    }

    /// Closes the listener and its connections.
    async fn stop(&self) {
        if let Some(task) = self.replace_task(None) {
            task.abort();
            // The task was aborted, so its result does not matter.
            let _ = task.await;
        }
    }
}

fn bind(address: SocketAddr) -> io::Result<tokio::net::TcpListener> {
    let listener = TcpListener::bind(address)?;
    listener.set_nonblocking(true)?;
    tokio::net::TcpListener::from_std(listener)
}

fn cannot_listen(address: SocketAddr, error: &io::Error) -> String {
    let why = why_unbound(error);
    format!(
        "cannot listen at {address} for the metrics: {error}; {why}; choose another address with `Metrics::listener_at`"
    )
}

async fn accept(listener: tokio::net::TcpListener, scrape: Scrape) {
    let (start, mut outage) = (Instant::now(), OutageLog::default());
    let mut connections = OpenConnections::default();
    loop {
        match listener.accept().await {
            Ok((stream, _)) => {
                if outage.ended(start.elapsed()).is_some() {
                    log(|| tracing::info!("metrics accept connections again"));
                }
                let task = tokio::spawn(respond(stream, scrape.clone()));
                connections.add(task.abort_handle());
            }
            Err(error) => {
                if let Some(summary) = outage.failed(start.elapsed()) {
                    let (failures, seconds) = (summary.failures, summary.seconds);
                    log(|| tracing::warn!(%error, failures, seconds, "metrics cannot accept connections"));
                }
                sleep(PAUSE).await;
            }
        }
    }
}

/// The open connections, with the oldest first. They are closed on drop.
#[derive(Default)]
struct OpenConnections(VecDeque<AbortHandle>);

impl OpenConnections {
    fn add(&mut self, connection: AbortHandle) {
        self.0.retain(|known| !known.is_finished());
        if self.0.len() >= MAX_CONNECTIONS
            && let Some(oldest) = self.0.pop_front()
        {
            oldest.abort();
        }
        self.0.push_back(connection);
    }
}

impl Drop for OpenConnections {
    fn drop(&mut self) {
        self.0.iter().for_each(AbortHandle::abort);
    }
}
