//! The server's settings.

use std::fmt;
use std::io;
use std::net::{TcpListener, ToSocketAddrs};
use std::num::NonZeroUsize;
use std::time::Duration;

use restwright_core::Api;

use crate::bound::Bound;
use crate::listener::Listener;

/// Serves an Api on an address, until SIGTERM or SIGINT; [`Host`] has the settings and says what happens then.
///
/// # Errors
/// The address cannot be bound, or a component cannot start.
pub async fn serve(api: Api, address: impl ToSocketAddrs) -> io::Result<()> {
    Host::new(api).bind(address)?.serve().await
}

/// Serves an Api on a socket that is bound already, TCP or Unix, until SIGTERM or SIGINT.
///
/// # Errors
/// The socket cannot be used, or a component cannot start.
pub async fn serve_on(api: Api, listener: impl Into<Listener>) -> io::Result<()> {
    Host::new(api).listen(listener)?.serve().await
}

/// A server before it is bound: an Api and how it is served.
///
/// ```no_run
/// use std::time::Duration;
///
/// use restwright_actix::{Host, run};
/// use restwright_core::{Api, Configuration};
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
    settings: Settings,
}

/// How an Api is served.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Settings {
    pub(crate) workers: usize,
    pub(crate) keep_alive: Duration,
    pub(crate) head_timeout: Duration,
    pub(crate) body_timeout: Duration,
    pub(crate) minimum_body_rate: u64,
    pub(crate) max_connections: usize,
    pub(crate) grace: Duration,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            workers: std::thread::available_parallelism().map_or(2, NonZeroUsize::get).min(MOST_WORKERS),
            keep_alive: Duration::from_secs(75),
            head_timeout: Duration::from_secs(10),
            body_timeout: Duration::from_secs(10),
            minimum_body_rate: 500,
            max_connections: 10_000,
            grace: Duration::from_secs(30),
        }
    }
}

/// What actix-server admits.
const MOST_WORKERS: usize = 512;

impl Host {
    /// A server of this Api with the defaults that each setting names.
    #[must_use]
    pub fn new(api: Api) -> Self {
        Self { api, settings: Settings::default() }
    }

    /// Sets the number of worker threads, 1 to 512; as many as there are processors by default.
    #[must_use]
    pub fn workers(mut self, workers: usize) -> Self {
        self.settings.workers = workers.clamp(1, MOST_WORKERS);
        self
    }

    /// Sets how long a connection may be idle between two requests; 75 seconds by default, longer than the proxies in
    /// front usually keep theirs, so that it is they who close. Zero closes after each request.
    #[must_use]
    pub fn keep_alive(mut self, keep_alive: Duration) -> Self {
        self.settings.keep_alive = keep_alive;
        self
    }

    /// Sets how long a client may take for the head of a request; 10 seconds by default. The first on a connection is
    /// answered 408, a later one ends the connection.
    #[must_use]
    pub fn head_timeout(mut self, timeout: Duration) -> Self {
        self.settings.head_timeout = timeout;
        self
    }

    /// Sets how long a body may pause, the client's (408) as well as the answer when the client does not take it (the
    /// connection ends); 10 seconds by default.
    #[must_use]
    pub fn body_timeout(mut self, timeout: Duration) -> Self {
        self.settings.body_timeout = timeout;
        self
    }

    /// Sets how many bytes per second a body has to bring on average, once it has been waited for longer than the
    /// [`body_timeout`](Self::body_timeout) in all; 500 by default. A slower one is answered 408. Only the time in which
    /// the application waits for the client counts.
    #[must_use]
    pub fn minimum_body_rate(mut self, bytes_per_second: u64) -> Self {
        self.settings.minimum_body_rate = bytes_per_second;
        self
    }

    /// Sets how many connections are open at once, 10,000 by default; further ones wait in the system's queue. Each
    /// worker has an equal share, rounded up.
    #[must_use]
    pub fn max_connections(mut self, connections: usize) -> Self {
        self.settings.max_connections = connections.max(1);
        self
    }

    /// Sets how long requests in flight may take to finish when the server stops; 30 seconds by default.
    #[must_use]
    pub fn grace(mut self, grace: Duration) -> Self {
        self.settings.grace = grace;
        self
    }

    /// Binds every address that `address` resolves to; port 0 takes one that is free. Each worker counts the requests that
    /// it handles at once for each of the addresses.
    ///
    /// # Errors
    /// None of them can be bound.
    pub fn bind(self, address: impl ToSocketAddrs) -> io::Result<Bound> {
        let mut listeners = Vec::new();
        let mut failure = None;
        for address in address.to_socket_addrs()? {
            match TcpListener::bind(address) {
                Ok(listener) => listeners.push(Listener::from(listener)),
                Err(error) => {
                    failure = Some(io::Error::new(error.kind(), format!("cannot listen at {address}: {error}")));
                }
            }
        }
        match failure {
            Some(error) if listeners.is_empty() => Err(error),
            _ => Bound::new(self.api, self.settings, listeners),
        }
    }

    /// Takes a socket that is bound already.
    ///
    /// # Errors
    /// Its address cannot be read.
    pub fn listen(self, listener: impl Into<Listener>) -> io::Result<Bound> {
        Bound::new(self.api, self.settings, vec![listener.into()])
    }
}

impl fmt::Debug for Host {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Host").field("api", &self.api).field("settings", &self.settings).finish()
    }
}
