//! The server's settings.

use std::fmt;
use std::io;
use std::net::{SocketAddr, TcpListener, ToSocketAddrs};
use std::num::NonZeroUsize;
use std::time::Duration;

use restwright_runtime::Api;
use restwright_runtime::core::runtime::log;
use restwright_runtime::core::runtime::why_unbound;

use crate::bound_server::BoundServer;
use crate::listener::Listener;

/// Serves an Api on an address until SIGTERM or SIGINT. [`Host`] has the settings, and [`BoundServer::serve`] the details of stopping.
///
/// # Errors
/// The address cannot be bound, or a component cannot start.
pub async fn serve(api: Api, address: impl ToSocketAddrs + fmt::Debug) -> io::Result<()> {
    Host::new(api).bind(address)?.serve().await
}

/// Serves an Api on a bound socket, TCP or Unix, until SIGTERM or SIGINT.
///
/// # Errors
/// The socket cannot be used, or a component cannot start.
pub async fn serve_on(api: Api, listener: impl Into<Listener>) -> io::Result<()> {
    Host::new(api).listen(listener)?.serve().await
}

/// A server that is not bound yet: an Api and the settings of its server.
///
/// ```no_run
/// use std::time::Duration;
///
/// use restwright_actix::{Host, run};
/// use restwright_runtime::core::Configuration;
/// use restwright_runtime::Api;
///
/// fn main() -> std::io::Result<()> {
///     let api = Api::builder(Configuration::new("animals", "1.0.0")).build().map_err(std::io::Error::other)?;
///     let bound = Host::new(api).workers(2).keep_alive(Duration::from_secs(20)).bind("127.0.0.1:8080")?;
///     println!("listening on {}", bound.addresses()[0]);
///     run(bound.serve())
/// }
/// ```
pub struct Host {
    api: Api,
    settings: HostSettings,
}

/// The settings of a server.
#[derive(Debug, Clone, Copy)]
pub(crate) struct HostSettings {
    pub(crate) workers: usize,
    pub(crate) keep_alive: Duration,
    pub(crate) head_timeout: Duration,
    pub(crate) body_timeout: Duration,
    pub(crate) minimum_rate: u64,
    pub(crate) max_connections: usize,
    pub(crate) max_connections_per_address: Option<usize>,
    pub(crate) drain: Duration,
    pub(crate) grace: Duration,
}

impl Default for HostSettings {
    fn default() -> Self {
        Self {
            workers: std::thread::available_parallelism().map_or(2, NonZeroUsize::get).min(MOST_WORKERS),
            keep_alive: Duration::from_secs(75),
            head_timeout: Duration::from_secs(10),
            body_timeout: Duration::from_secs(10),
            minimum_rate: 500,
            max_connections: 10_000,
            max_connections_per_address: None,
            drain: Duration::ZERO,
            grace: Duration::from_secs(30),
        }
    }
}

impl HostSettings {
    /// Returns the largest number of open connections of one worker.
    pub(crate) fn connections_per_worker(&self) -> usize {
        self.max_connections.div_ceil(self.workers)
    }
}

/// The largest number of workers of actix-server.
const MOST_WORKERS: usize = 512;

impl Host {
    /// Returns a server of this Api with the defaults that each setting states.
    #[must_use]
    pub fn new(api: Api) -> Self {
        Self { api, settings: HostSettings::default() }
    }

    /// Sets the number of worker threads, 1 to 512; by default the number of processors.
    #[must_use]
    pub fn workers(mut self, workers: usize) -> Self {
        self.settings.workers = workers.clamp(1, MOST_WORKERS);
        self
    }

    /// Sets how long a connection may be idle between two requests; 75 seconds by default. That is longer than proxies usually
    /// keep theirs, so that the proxy closes first. Zero closes after each request.
    #[must_use]
    pub fn keep_alive(mut self, keep_alive: Duration) -> Self {
        self.settings.keep_alive = keep_alive;
        self
    }

    /// Sets how long a client may take to send the head of a request; 10 seconds by default. On a timeout, the first request of a
    /// connection gets a 408, and a later one closes the connection.
    #[must_use]
    pub fn head_timeout(mut self, timeout: Duration) -> Self {
        self.settings.head_timeout = timeout;
        self
    }

    /// Sets how long a body may pause; 10 seconds by default. A request body that pauses longer gets a 408. A response body that
    /// the client does not read for longer closes the connection.
    #[must_use]
    pub fn body_timeout(mut self, timeout: Duration) -> Self {
        self.settings.body_timeout = timeout;
        self
    }

    /// Sets the minimum rate of bodies in bytes per second; 500 by default. It applies once the client of a body was awaited for the
    /// [`body_timeout`](Self::body_timeout) in total. A slower request gets a 408, and the connection of a client that reads more slowly closes.
    ///
    /// Only the time in which the client is awaited counts: that in which the application wants more of a request, or in which bytes of the
    /// response cannot be sent. So a stream of events with nothing to send is never too slow.
    #[must_use]
    pub fn minimum_body_rate(mut self, bytes_per_second: u64) -> Self {
        self.settings.minimum_rate = bytes_per_second;
        self
    }

    /// Sets the largest number of open connections, 10,000 by default. Each worker has an equal share, rounded up.
    ///
    /// A connection beyond it takes the place of the one that has been idle for longest, which closes: one between two requests,
    /// or one that is open for two seconds and has not sent a byte. While none is idle, it takes that of the client which sends or reads most
    /// slowly, if that was awaited for two seconds and is below four times the [minimum rate](Self::minimum_body_rate). While there is none
    /// either, new ones wait until a response is complete: one of each worker has been accepted, the others are in the system's queue. The log
    /// then has a warning, and the metric `server_connections_waiting` their number.
    #[must_use]
    pub fn max_connections(mut self, connections: usize) -> Self {
        self.settings.max_connections = connections.max(1);
        self
    }

    /// Sets the largest number of open connections of one address; unlimited by default. A connection beyond it is closed at once.
    ///
    /// An IPv6 address counts by its [network](restwright_runtime::core::Configuration::ipv6_prefix).
    /// [Trusted proxies](restwright_runtime::core::client_address::TrustedProxies) and Unix sockets are exempt.
    #[must_use]
    pub fn max_connections_per_address(mut self, connections: usize) -> Self {
        self.settings.max_connections_per_address = Some(connections.max(1));
        self
    }

    /// Sets how long the server continues to serve after it was stopped, while the Api is not [ready](Api::ready); zero by default. Responses
    /// say `Connection: close`, so clients lose no request on a kept connection. The grace begins after the drain, and a second signal ends it.
    ///
    /// A balancer that asks whether the server is ready sends no more requests by then. Give it the time of a few of its checks.
    #[must_use]
    pub fn drain(mut self, drain: Duration) -> Self {
        self.settings.drain = drain;
        self
    }

    /// Sets how long requests in flight may take to finish after the server was stopped; 30 seconds by default. Components then have what
    /// is left of it to stop, and at least 5 seconds, so that a stop takes at most the grace and 5 seconds.
    #[must_use]
    pub fn grace(mut self, grace: Duration) -> Self {
        self.settings.grace = grace;
        self
    }

    /// Binds every address that `address` resolves to; port 0 takes a free port.
    ///
    /// An address that cannot be bound is a warning in the log if another one can.
    ///
    /// # Errors
    /// The address cannot be resolved, or none of its addresses can be bound. The message names each address with its reason.
    pub fn bind(self, address: impl ToSocketAddrs + fmt::Debug) -> io::Result<BoundServer> {
        let resolved = address.to_socket_addrs().map_err(|error| {
            io::Error::new(error.kind(), format!("cannot listen at {address:?}: it cannot be resolved: {error}"))
        })?;
        let (mut listeners, mut failures) = (Vec::new(), Vec::new());
        for resolved in resolved {
            match TcpListener::bind(resolved) {
                Ok(listener) => listeners.push(Listener::from(listener)),
                Err(error) => failures.push((resolved, error)),
            }
        }
        if listeners.is_empty() {
            return Err(bind_error(&address, &failures));
        }
        for (address, error) in failures {
            log(|| tracing::warn!(%address, %error, "cannot listen at an address"));
        }
        BoundServer::new(self.api, self.settings, listeners)
    }

    /// Uses a bound socket.
    ///
    /// # Errors
    /// Its address cannot be read.
    pub fn listen(self, listener: impl Into<Listener>) -> io::Result<BoundServer> {
        BoundServer::new(self.api, self.settings, vec![listener.into()])
    }
}

/// Returns an error that names every address that could not be bound.
fn bind_error(address: &impl fmt::Debug, failures: &[(SocketAddr, io::Error)]) -> io::Error {
    let Some((_, first)) = failures.first() else {
        let message = format!("cannot listen at {address:?}: it resolves to no address");
        return io::Error::new(io::ErrorKind::InvalidInput, message);
    };
    let reason = |(address, error): &(SocketAddr, io::Error)| format!("{address}: {error}; {}", why_unbound(error));
    let reasons: Vec<_> = failures.iter().map(reason).collect();
    io::Error::new(first.kind(), format!("cannot listen at {}; choose another address", reasons.join(", ")))
}

impl fmt::Debug for Host {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Host").field("api", &self.api).field("settings", &self.settings).finish()
    }
}
