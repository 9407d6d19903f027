//! Defines [`Host`], the builder of a server, and the settings of the server.

use std::fmt;
use std::io::{self, Write};
use std::net::ToSocketAddrs;
use std::time::Duration;

use restwright_runtime::Api;

use crate::binding::{bind, resolve};
use crate::bound_server::{BoundServer, Sockets};
use crate::host_settings::{HostSettings, MOST_WORKERS};
use crate::listener::Listener;
use crate::serve_error::ServeError;

/// Serves an Api on an address until SIGTERM or SIGINT.
///
/// Use [`Host`] to change the settings of the server. [`BoundServer::serve`] describes the steps of a stop.
///
/// If no `tracing` subscriber is installed, this function writes the address to the standard error output.
///
/// # Errors
/// Fails if the address cannot be bound, or if a component cannot start.
pub async fn serve(api: Api, address: impl ToSocketAddrs + fmt::Debug) -> Result<(), ServeError> {
    let bound = Host::new(api).bind(address)?;
    if !tracing::dispatcher::has_been_set() {
        for address in bound.addresses() {
            // A closed standard error output is no reason to stop.
            let _ = writeln!(io::stderr(), "listening on {address}; there are no logs without a tracing subscriber");
        }
    }
    bound.serve().await
}

/// Serves an Api on a bound TCP or Unix socket until SIGTERM or SIGINT.
///
/// # Errors
/// Fails if the socket cannot be used, or if a component cannot start.
pub async fn serve_on(api: Api, listener: impl Into<Listener>) -> Result<(), ServeError> {
    Host::new(api).listen(listener)?.serve().await
}

/// A builder for a server that serves an Api.
///
/// ```no_run
/// use std::time::Duration;
///
/// use restwright_actix::{Host, ServeError, run};
/// use restwright_runtime::core::Configuration;
/// use restwright_runtime::Api;
///
/// fn main() -> Result<(), ServeError> {
///     let api = Api::builder(Configuration::new("animals", "1.0.0")).build()?;
///     let bound = Host::new(api).workers(2).keep_alive(Duration::from_secs(20)).bind("127.0.0.1:8080")?;
///     println!("listening on {}", bound.addresses()[0]);
///     run(bound.serve())
/// }
/// ```
pub struct Host {
    pub(crate) api: Api,
    pub(crate) settings: HostSettings,
}

impl Host {
    /// Creates a builder for a server with default settings.
    #[must_use]
    pub fn new(api: Api) -> Self {
        Self { api, settings: HostSettings::default() }
    }

    /// Sets the number of worker threads, 1 to 512. The default is the number of processors.
    #[must_use]
    pub fn workers(mut self, workers: usize) -> Self {
        self.settings.workers = workers.clamp(1, MOST_WORKERS);
        self
    }

    /// Sets how long a connection may be idle between two requests, 75 seconds by default. Zero closes the connection
    /// after each request.
    ///
    /// The default is longer than the timeout of most proxies, so the proxy closes idle connections first.
    #[must_use]
    pub fn keep_alive(mut self, keep_alive: Duration) -> Self {
        self.settings.keep_alive = keep_alive;
        self
    }

    /// Sets the maximum time for a client to send a request head, 10 seconds by default.
    ///
    /// If the first head of a connection is late, the response is a 408. If a later head is late, the connection closes
    /// without a response.
    #[must_use]
    pub fn head_timeout(mut self, timeout: Duration) -> Self {
        self.settings.head_timeout = timeout;
        self
    }

    /// Sets how long a client may pause while it sends or reads a body, 10 seconds by default.
    ///
    /// If a client pauses longer while it sends a request body, it gets a 408. If it pauses longer while it reads a
    /// response, the connection closes.
    #[must_use]
    pub fn body_timeout(mut self, timeout: Duration) -> Self {
        self.settings.body_timeout = timeout;
        self
    }

    /// Sets the minimum rate at which a client must send or read a body, 500 bytes per second by default.
    ///
    /// The rate is checked after the server has waited for the client for [`body_timeout`](Self::body_timeout) in
    /// total. A client that sends a request body more slowly gets a 408. If a client reads a response more slowly, the
    /// connection closes.
    ///
    /// Only the time that the server waits for the client counts. The server waits when the application reads the
    /// request body, or when response bytes cannot be sent. An event stream with nothing to send is therefore never too
    /// slow.
    #[must_use]
    pub fn minimum_body_rate(mut self, bytes_per_second: u64) -> Self {
        self.settings.minimum_rate = bytes_per_second;
        self
    }

    /// Sets the maximum number of open connections, 10,000 by default. Each worker has an equal share, rounded up.
    ///
    /// At the maximum, a new connection replaces the connection that has been idle for the longest time. A connection
    /// is idle between two requests, or after two seconds without a first byte. If no connection is idle, the new
    /// connection replaces the slowest client. A client counts as slow below four times the [minimum
    /// rate](Self::minimum_body_rate), after the server has waited for it for two seconds.
    ///
    /// Each connection needs a file descriptor. The server raises the soft limit of the process (`RLIMIT_NOFILE`) if
    /// needed. If the hard limit is too low, the maximum is lower, and the log contains a warning.
    ///
    /// If no client is slow, new connections wait until a response is complete. Each worker accepts four of them; the
    /// others stay in the system's accept queue. The log contains a warning, and the metric
    /// `server_connections_waiting` their number.
    ///
    /// A connection that waits must send the head of its first request within one second, or it is closed. If the request is
    /// a health check or a request for metrics, the response is sent immediately, and the connection closes. Every other
    /// request gets a 503 with `Retry-After` if no request has been completed for five seconds.
    #[must_use]
    pub fn max_connections(mut self, connections: usize) -> Self {
        self.settings.max_connections = connections.max(1);
        self
    }

    /// Sets the maximum number of open event streams, WebSockets and streams with
    /// [`until_stop`](restwright_runtime::core::body::StreamingBody::until_stop), half of the maximum number of connections
    /// by default. Each worker has an equal share, rounded up. Beyond the maximum, the response is a 503 with
    /// `Retry-After`, and a WebSocket is not accepted.
    ///
    /// These responses never give way to new connections, so they must not use all connections.
    #[must_use]
    pub fn max_long_lived(mut self, responses: usize) -> Self {
        self.settings.max_long_lived = Some(responses);
        self
    }

    /// Sets the maximum number of open connections per client address, unlimited by default. Further connections are
    /// closed immediately.
    ///
    /// All IPv6 addresses of a [network](restwright_runtime::core::Configuration::ipv6_prefix) count as one address.
    /// [Trusted proxies](restwright_runtime::core::client_address::TrustedProxies) and Unix sockets are exempt.
    #[must_use]
    pub fn max_connections_per_address(mut self, connections: usize) -> Self {
        self.settings.max_connections_per_address = Some(connections.max(1));
        self
    }

    /// Sets how long the server continues to serve requests after a stop signal, zero by default. The grace period
    /// starts after this drain. A second signal ends the drain.
    ///
    /// During the drain, the Api is not [ready](Api::ready), and responses have `Connection: close`. Clients then lose
    /// no requests.
    ///
    /// Choose a time of a few readiness checks. A load balancer then stops sending requests before the drain ends.
    #[must_use]
    pub fn drain(mut self, drain: Duration) -> Self {
        self.settings.drain = drain;
        self
    }

    /// Sets how long requests in progress may take after a stop signal, 30 seconds by default.
    ///
    /// Components stop in the rest of this time, but have at least 5 seconds. After the drain, a stop therefore takes
    /// at most the grace period plus 5 seconds.
    #[must_use]
    pub fn grace(mut self, grace: Duration) -> Self {
        self.settings.grace = grace;
        self
    }

    /// Binds a socket to every address that `address` resolves to. Port 0 selects a free port.
    ///
    /// If only some addresses can be bound, the others are logged as warnings.
    ///
    /// # Errors
    /// Fails if the address cannot be resolved, or if none of its addresses can be bound. The message contains the
    /// reason for each address.
    pub fn bind(self, address: impl ToSocketAddrs + fmt::Debug) -> Result<BoundServer, ServeError> {
        let resolved = resolve(&address)?;
        let listeners = bind(&address, &resolved, &resolved)?;
        BoundServer::new(self.api, self.settings, listeners, Sockets::Own)
    }

    /// Creates a server on a socket that is already bound.
    ///
    /// # Errors
    /// Fails if the address of the socket cannot be read.
    pub fn listen(self, listener: impl Into<Listener>) -> Result<BoundServer, ServeError> {
        BoundServer::new(self.api, self.settings, vec![listener.into()], Sockets::Given)
    }
}

impl fmt::Debug for Host {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Host").field("api", &self.api).field("settings", &self.settings).finish()
    }
}
