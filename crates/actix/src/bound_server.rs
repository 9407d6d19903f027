//! A server with bound sockets, from start to stop.

use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use actix_server::{Server, ServerBuilder};
use restwright_runtime::Api;
use restwright_runtime::core::runtime::log;
use tokio::sync::Notify;
use tokio::time::sleep;

use crate::connections::Connections;
use crate::host::HostSettings;
use crate::listener::Listener;
use crate::signals::Signals;
use crate::worker::connections;

/// The least time that the components have to stop, together.
const LEAST_FOR_COMPONENTS: Duration = Duration::from_secs(5);

/// How long the server accepts connections after the stop began.
const LAST_ACCEPTED: Duration = Duration::from_millis(100);

/// A server with bound sockets that does not accept connections yet; clients that connect wait.
pub struct BoundServer {
    api: Api,
    settings: HostSettings,
    listeners: Vec<Listener>,
    addresses: Vec<SocketAddr>,
    stop: Arc<Notify>,
}

impl BoundServer {
    pub(crate) fn new(api: Api, settings: HostSettings, listeners: Vec<Listener>) -> io::Result<Self> {
        let mut addresses = Vec::new();
        for listener in &listeners {
            if let Listener::Tcp(listener) = listener {
                addresses.push(listener.local_addr()?);
            }
        }
        Ok(Self { api, settings, listeners, addresses, stop: Arc::default() })
    }

    /// Returns the TCP addresses, with the chosen ports instead of port 0.
    #[must_use]
    pub fn addresses(&self) -> &[SocketAddr] {
        &self.addresses
    }

    /// Returns a handle that stops this server.
    #[must_use]
    pub fn stop_handle(&self) -> StopHandle {
        StopHandle(self.stop.clone())
    }

    /// Starts the components, and serves until SIGTERM, SIGINT or [`StopHandle::stop`].
    ///
    /// Then the Api is not [ready](Api::ready) any more. After the time to [drain](crate::Host::drain) its
    /// [`StopSignal`](restwright_runtime::core::StopSignal) ends streams that heed it, and the server accepts no more connections, closes
    /// idle ones at once, lets requests in flight finish within the [grace](crate::Host::grace), and stops the components in reverse. They
    /// have the rest of the grace, and at least 5 seconds together.
    /// A second signal ends the drain or the grace, and one while components stop gives them up.
    ///
    /// # Errors
    /// A component cannot start (the others are stopped again), the sockets or threads fail, or a component did not stop in time.
    pub async fn serve(self) -> io::Result<()> {
        self.api.start().await.map_err(io::Error::other)?;
        let (api, grace) = (self.api.clone(), self.settings.grace);
        // Only now, so that a signal ends the process as usual while the components start.
        let mut signals = match Signals::new() {
            Ok(signals) => signals,
            Err(error) => {
                drop(api.stop_until(sleep(LEAST_FOR_COMPONENTS)).await);
                return Err(error);
            }
        };
        let mut stopping = None;
        let outcome = self.accept(&mut signals, &mut stopping).await;
        let begun = stopping.unwrap_or_else(Instant::now);
        let rest = grace.saturating_sub(begun.elapsed()).max(LEAST_FOR_COMPONENTS);
        let stopped = api.stop_until(async {
            tokio::select! {
                () = signals.next() => log(|| tracing::warn!("a signal ends the time of the components")),
                () = sleep(rest) => {}
            }
        });
        let stopped = stopped.await.map_err(|failures| {
            let failures: Vec<_> = failures.iter().map(ToString::to_string).collect();
            io::Error::other(failures.join("; "))
        });
        outcome.and(stopped)
    }

    /// Serves until it is stopped, which begins at the time that it notes in `stopping`.
    async fn accept(self, signals: &mut Signals, stopping: &mut Option<Instant>) -> io::Result<()> {
        let (api, stop, settings) = (self.api.clone(), self.stop.clone(), self.settings);
        let open = Connections::new(&api, settings);
        let reported = open.clone();
        api.set_host_report(move |report| reported.report(report));
        let mut server = self.server(&open)?;
        tokio::select! {
            outcome = &mut server => return outcome,
            () = signals.next() => {}
            () = stop.notified() => {}
        }
        if !settings.drain.is_zero() {
            log(|| tracing::info!(connections = open.count(), "draining"));
            api.begin_drain();
            open.begin_drain();
            tokio::select! {
                outcome = &mut server => return outcome,
                () = signals.next() => log(|| tracing::warn!("a signal ends the drain")),
                () = sleep(settings.drain) => {}
            }
        }
        *stopping = Some(Instant::now());
        log(|| tracing::info!(connections = open.count(), "stopping"));
        // Streams end first.
        api.begin_stop();
        open.begin_drain();
        // The listener stays open while the system's queue empties. A client whose connection waits there gets its response.
        sleep(LAST_ACCEPTED).await;
        let accepted_all = server.handle().stop(true);
        tokio::select! {
            outcome = &mut server => outcome?,
            // actix-server checks its connections once a second; this completes at once.
            () = async { open.none_left().await } => {}
            () = signals.next() => log(|| tracing::warn!("a second signal ends the grace")),
            () = sleep(settings.grace) => log(|| tracing::warn!(connections = open.count(), "the grace is over")),
        }
        drop((server, accepted_all));
        Ok(())
    }

    fn server(self, open: &Arc<Connections>) -> io::Result<Server> {
        let settings = self.settings;
        let mut builder = Server::build()
            .workers(settings.workers)
            // One more, which takes the place of another.
            .max_concurrent_connections(settings.connections_per_worker().saturating_add(1))
            .shutdown_timeout(settings.grace.as_secs().saturating_add(1))
            .disable_signals();
        for listener in self.listeners {
            builder = listen(builder, listener, &self.api, settings, open)?;
        }
        for address in &self.addresses {
            log(|| tracing::info!(%address, workers = settings.workers, "listening"));
        }
        Ok(builder.run())
    }
}

fn listen(
    builder: ServerBuilder,
    listener: Listener,
    api: &Api,
    settings: HostSettings,
    open: &Arc<Connections>,
) -> io::Result<ServerBuilder> {
    let signal = builder.graceful_shutdown_signal();
    let (api, open) = (api.clone(), open.clone());
    match listener {
        Listener::Tcp(listener) => {
            builder.listen("restwright", listener, move || connections(&api, settings, &open, &signal))
        }
        #[cfg(unix)]
        Listener::Unix(listener) => {
            builder.listen_uds("restwright", listener, move || connections(&api, settings, &open, &signal))
        }
    }
}

impl fmt::Debug for BoundServer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("BoundServer")
            .field("api", &self.api)
            .field("settings", &self.settings)
            .field("listeners", &self.listeners)
            .finish_non_exhaustive()
    }
}

/// A handle that stops a server like a signal.
#[derive(Debug, Clone)]
pub struct StopHandle(Arc<Notify>);

impl StopHandle {
    /// Stops the server; [`BoundServer::serve`] returns when it has stopped.
    pub fn stop(&self) {
        self.0.notify_one();
    }
}
