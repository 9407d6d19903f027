//! Defines [`BoundServer`], a server with bound sockets that starts, serves and stops an Api.

use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use actix_server::{Server, ServerBuilder};
use restwright_runtime::Api;
use restwright_runtime::core::runtime::log;
use socket2::Socket;
use tokio::sync::Notify;
use tokio::time::sleep;

use crate::connection::{Connections, NEWCOMERS, connection_service};
#[cfg(unix)]
use crate::descriptors::{connections_within_limit, watch_descriptors};
use crate::host_settings::HostSettings;
use crate::listener::{Listener, ignore_new_connections};
use crate::serve_error::ServeError;
use crate::service_manager::{report_ready, report_stopping};
use crate::signals::Signals;

/// The minimum total time that the server allows for stopping all components.
const LEAST_FOR_COMPONENTS: Duration = Duration::from_secs(5);

/// The time for which the server still accepts connections after the drain has ended, and in which the workers then
/// receive the last connections.
const LAST_ACCEPTED: Duration = Duration::from_millis(50);

/// A server whose sockets are bound, but which does not accept connections yet. Connections of clients wait until
/// [`serve`](Self::serve) runs.
pub struct BoundServer {
    api: Api,
    settings: HostSettings,
    listeners: Vec<Listener>,
    addresses: Vec<SocketAddr>,
    stop: Arc<Notify>,
    sockets: Sockets,
}

/// Who bound the sockets of a server, which determines how it stops listening.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sockets {
    /// The server bound them.
    Own,
    /// The application bound them. Another process may have them open.
    Given,
    /// A service manager bound them. It passes them to the next server, which accepts the connections that wait.
    Passed,
}

impl BoundServer {
    pub(crate) fn new(
        api: Api,
        settings: HostSettings,
        listeners: Vec<Listener>,
        sockets: Sockets,
    ) -> Result<Self, ServeError> {
        let mut addresses = Vec::new();
        for listener in &listeners {
            if let Listener::Tcp(listener) = listener {
                addresses.push(listener.local_addr()?);
            }
        }
        Ok(Self { api, settings, listeners, addresses, stop: Arc::default(), sockets })
    }

    /// Returns the bound TCP addresses. If port 0 was requested, the address contains the port that the system chose.
    #[must_use]
    pub fn addresses(&self) -> &[SocketAddr] {
        &self.addresses
    }

    /// Returns a handle that stops this server.
    #[must_use]
    pub fn stop_handle(&self) -> StopHandle {
        StopHandle(self.stop.clone())
    }

    /// Starts the components, and serves requests until SIGTERM, SIGINT or [`StopHandle::stop`].
    ///
    /// If the components take longer than 10 seconds to start, the server accepts connections during the rest of their
    /// start. Health checks then respond, `/readyz` with 503, and all other requests get a 503 with `Retry-After`.
    ///
    /// The stop runs in these steps:
    /// 1. The Api is no longer [ready](Api::ready), and the server continues to serve for the
    ///    [drain](crate::Host::drain) time.
    /// 2. The [`StopSignal`](restwright_runtime::core::StopSignal) ends streams that listen to it. The server stops
    ///    accepting connections and closes idle ones. A new connection has two seconds for its first request.
    /// 3. Requests in progress may finish within the [grace](crate::Host::grace) period.
    /// 4. Components stop in reverse order. They share the rest of the grace period, at least 5 seconds.
    ///
    /// If the sockets come from a service manager (`LISTEN_FDS`), connections that are not accepted yet wait for the next
    /// server. If the server bound its sockets, clients that connect at this moment are rejected, on Linux after a second.
    ///
    /// A second signal ends the drain or the grace period. A signal while the components stop abandons them.
    ///
    /// # Errors
    /// Fails if a component cannot start, after stopping the others. Also fails if sockets or threads fail, or if a
    /// component does not stop in time.
    pub async fn serve(self) -> Result<(), ServeError> {
        let (api, grace) = (self.api.clone(), self.settings.grace);
        let listening = self.start().await?;
        // Created after the components have started, so a signal during their start ends the process as usual.
        let mut signals = match Signals::new() {
            Ok(signals) => signals,
            Err(error) => {
                drop(api.stop_until(sleep(LEAST_FOR_COMPONENTS)).await);
                return Err(error.into());
            }
        };
        let mut stopping = None;
        let outcome = async { listening?.accept(&mut signals, &mut stopping).await }.await;
        let begun = stopping.unwrap_or_else(Instant::now);
        let rest = grace.saturating_sub(begun.elapsed()).max(LEAST_FOR_COMPONENTS);
        let stopped = api.stop_until(async {
            tokio::select! {
                () = signals.next() => log(|| tracing::warn!("a signal ended the wait for components")),
                () = sleep(rest) => {}
            }
        });
        let stopped = stopped.await;
        outcome?;
        stopped.map_err(ServeError::Stop)
    }

    /// Starts the components. The server listens when they have started, and earlier if their start takes long.
    async fn start(self) -> Result<io::Result<Listening>, ServeError> {
        let api = self.api.clone();
        let mut starting = pin!(api.start());
        tokio::select! {
            started = &mut starting => {
                started?;
                return Ok(self.listen());
            }
            () = api.slow_start() => {}
        }
        let mut early = self.listen();
        let started = match &mut early {
            Ok(early) => tokio::select! {
                started = starting => started,
                // The server ended without a stop.
                ended = &mut early.server => {
                    drop(api.stop_until(sleep(LEAST_FOR_COMPONENTS)).await);
                    return Err(ended.err().unwrap_or_else(|| io::Error::other("the server ended during the start")).into());
                }
            },
            Err(_) => starting.await,
        };
        if let (Err(_), Ok(early)) = (&started, &mut early) {
            let stopped = early.server.handle().stop(false);
            // The server handles its stop only while it is polled.
            let ((), _) = tokio::join!(stopped, &mut early.server);
        }
        started?;
        Ok(early)
    }

    /// Begins to accept connections.
    fn listen(self) -> io::Result<Listening> {
        let (api, stop, settings, sockets) = (self.api.clone(), self.stop.clone(), self.settings, self.sockets);
        let own: Vec<Socket> = match sockets {
            Sockets::Own => self.listeners.iter().filter_map(Listener::tcp_socket).collect::<io::Result<_>>()?,
            Sockets::Given | Sockets::Passed => Vec::new(),
        };
        #[cfg(unix)]
        let settings = HostSettings { max_connections: connections_within_limit(settings.max_connections), ..settings };
        let open = Connections::new(&api, settings);
        let reported = open.clone();
        api.set_host_report(move |report| reported.report(report));
        let server = self.server(settings, &open)?;
        Ok(Listening { api, settings, stop, sockets, own, open, server })
    }

    fn server(self, settings: HostSettings, open: &Arc<Connections>) -> io::Result<Server> {
        let mut builder = Server::build()
            .workers(settings.workers)
            .max_concurrent_connections(settings.connections_per_worker().saturating_add(NEWCOMERS))
            .shutdown_timeout(settings.grace.as_secs().saturating_add(1))
            .disable_signals();
        for listener in self.listeners {
            log(|| tracing::info!(address = %listener.place(), workers = settings.workers, "listening"));
            builder = listen(builder, listener, &self.api, settings, open)?;
        }
        Ok(builder.run())
    }
}

/// A server that accepts connections.
struct Listening {
    api: Api,
    settings: HostSettings,
    stop: Arc<Notify>,
    sockets: Sockets,
    /// The TCP sockets that the server bound.
    own: Vec<Socket>,
    open: Arc<Connections>,
    server: Server,
}

impl Listening {
    /// Serves requests until a stop signal arrives, and then during the drain and the grace period. Stores the time at
    /// which the grace period begins in `stopping`.
    async fn accept(self, signals: &mut Signals, stopping: &mut Option<Instant>) -> io::Result<()> {
        let Self { api, settings, stop, sockets, own, open, mut server } = self;
        let mut descriptors = pin!(watch_descriptors(server.handle()));
        report_ready();
        tokio::select! {
            outcome = &mut server => return outcome,
            never = &mut descriptors => match never {},
            () = signals.next() => {}
            () = stop.notified() => {}
        }
        report_stopping();
        if !settings.drain.is_zero() {
            log(|| tracing::info!(connections = open.count(), "draining"));
            api.begin_drain();
            open.begin_drain();
            tokio::select! {
                outcome = &mut server => return outcome,
                never = &mut descriptors => match never {},
                () = signals.next() => log(|| tracing::warn!("a signal ended the drain")),
                () = sleep(settings.drain) => {}
            }
        }
        *stopping = Some(Instant::now());
        log(|| tracing::info!(connections = open.count(), "stopping"));
        // Streams end first.
        api.begin_stop();
        open.begin_drain();
        let handle = server.handle();
        let last_accepted = async {
            if sockets != Sockets::Passed {
                own.iter().for_each(ignore_new_connections);
                // Clients in the system's accept queue get their responses.
                sleep(LAST_ACCEPTED).await;
            }
            if sockets != Sockets::Given {
                // A worker that stops drops the connections that it has not received.
                handle.pause().await;
                sleep(LAST_ACCEPTED).await;
            }
        };
        tokio::select! {
            outcome = &mut server => return outcome,
            () = last_accepted => {}
        }
        drop(own);
        let accepted_all = handle.stop(true);
        tokio::select! {
            outcome = &mut server => outcome?,
            // actix-server checks its connections once per second. This future completes immediately.
            () = async { open.none_left().await } => {}
            () = signals.next() => log(|| tracing::warn!("a second signal ended the grace period")),
            () = sleep(settings.grace) => log(|| tracing::warn!(connections = open.count(), "the grace period is over")),
        }
        drop((server, accepted_all));
        Ok(())
    }
}

/// Other systems have no `RLIMIT_NOFILE`.
#[cfg(not(unix))]
async fn watch_descriptors(_: actix_server::ServerHandle) -> std::convert::Infallible {
    std::future::pending().await
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
            builder.listen("restwright", listener, move || connection_service(&api, settings, &open, &signal))
        }
        #[cfg(unix)]
        Listener::Unix(listener) => {
            builder.listen_uds("restwright", listener, move || connection_service(&api, settings, &open, &signal))
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

/// A handle that stops a server in the same way as SIGTERM.
#[derive(Debug, Clone)]
pub struct StopHandle(Arc<Notify>);

impl StopHandle {
    /// Requests that the server stops. [`BoundServer::serve`] returns when the server has stopped.
    pub fn stop(&self) {
        self.0.notify_one();
    }
}
