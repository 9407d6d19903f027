//! Binds the sockets that the environment of the process declares.

use std::io;
use std::net::SocketAddr;

use restwright_runtime::core::runtime::log;
use restwright_runtime::core::{Settings, SetupError};

use crate::binding::{bind, resolve};
use crate::bound_server::{BoundServer, Sockets};
use crate::host::Host;
use crate::host_settings::{HostSettings, MOST_WORKERS};
use crate::listener::Listener;
use crate::serve_error::ServeError;

/// The address of a server whose environment declares no other.
const DEFAULT_ADDRESS: &str = "127.0.0.1:8080";

/// The prefix of the path of a Unix socket in `LISTEN`.
const UNIX: &str = "unix:";

impl Host {
    /// Binds the sockets that the environment declares, and sets the limits that it contains.
    ///
    /// - If a service manager passes sockets with `LISTEN_FDS` (`sd_listen_fds(3)`), the server uses them, and `LISTEN`
    ///   has no effect.
    /// - Otherwise, `LISTEN` is a list of addresses, such as `0.0.0.0:8080,[::]:8080`, and of Unix sockets, such as
    ///   `unix:/run/shop/http.sock`. The default is `127.0.0.1:8080`. The file of a Unix socket of a server that has
    ///   ended is replaced.
    /// - `WORKERS`, `MAX_CONNECTIONS`, `MAX_CONNECTIONS_PER_ADDRESS`, and `DRAIN` and `GRACE` in seconds replace the
    ///   limits of this builder.
    ///
    /// `LISTEN` and the limits have the prefix of the settings. The messages of [`Settings::unread`] are logged as
    /// warnings, so call this function after every other part has read its settings.
    ///
    /// ```no_run
    /// use std::time::Duration;
    ///
    /// use restwright_actix::{Host, ServeError, run};
    /// use restwright_runtime::Api;
    /// use restwright_runtime::core::{Configuration, Settings};
    ///
    /// fn main() -> Result<(), ServeError> {
    ///     let settings = Settings::from_environment("SHOP");
    ///     let api = Api::builder(Configuration::new("shop", "1.0.0").settings(&settings)?).build()?;
    ///     run(Host::new(api).drain(Duration::from_secs(5)).bind_environment(&settings)?.serve())
    /// }
    /// ```
    ///
    /// # Errors
    /// Fails if a variable is invalid, or if a socket cannot be bound.
    pub fn bind_environment(self, settings: &Settings) -> Result<BoundServer, ServeError> {
        let limits = limits(self.settings, settings)?;
        let places = settings.list("LISTEN")?;
        let passed = passed_sockets()?;
        for message in settings.unread() {
            log(|| tracing::warn!("{message}"));
        }
        if passed.is_empty() {
            BoundServer::new(self.api, limits, bind_all(places, settings)?, Sockets::Own)
        } else {
            BoundServer::new(self.api, limits, passed, Sockets::Passed)
        }
    }
}

/// Returns the limits of the builder with the limits of the environment.
fn limits(mut limits: HostSettings, settings: &Settings) -> Result<HostSettings, SetupError> {
    let number = |number| usize::try_from(number).unwrap_or(usize::MAX);
    limits.workers = settings.number("WORKERS", 1..=MOST_WORKERS as u64)?.map_or(limits.workers, number);
    let connections = settings.number("MAX_CONNECTIONS", 1..=10_000_000)?;
    limits.max_connections = connections.map_or(limits.max_connections, number);
    let per_address = settings.number("MAX_CONNECTIONS_PER_ADDRESS", 1..=10_000_000)?.map(number);
    limits.max_connections_per_address = per_address.or(limits.max_connections_per_address);
    limits.drain = settings.seconds("DRAIN")?.unwrap_or(limits.drain);
    limits.grace = settings.seconds("GRACE")?.unwrap_or(limits.grace);
    Ok(limits)
}

fn bind_all(places: Vec<String>, settings: &Settings) -> Result<Vec<Listener>, ServeError> {
    let places = if places.is_empty() { vec![DEFAULT_ADDRESS.to_owned()] } else { places };
    let (paths, addresses): (Vec<_>, Vec<_>) = places.into_iter().partition(|place| place.starts_with(UNIX));
    if paths.iter().any(|path| path == UNIX) {
        return Err(settings.invalid("LISTEN", "must contain a path after `unix:`").into());
    }
    let resolve = |address: String| match resolve(&address) {
        Ok(resolved) => Ok((address, resolved)),
        Err(error) => Err(settings.invalid("LISTEN", &format!("cannot be used: {error}"))),
    };
    let resolved = addresses.into_iter().map(resolve).collect::<Result<Vec<_>, _>>()?;
    let all: Vec<SocketAddr> = resolved.iter().flat_map(|(_, resolved)| resolved).copied().collect();
    let mut listeners = Vec::new();
    for (address, resolved) in &resolved {
        listeners.extend(bind(address, resolved, &all)?);
    }
    for path in paths {
        listeners.push(bind_unix(path.strip_prefix(UNIX).unwrap_or_default())?);
    }
    Ok(listeners)
}

#[cfg(unix)]
fn bind_unix(path: &str) -> io::Result<Listener> {
    Listener::unix(path)
}

#[cfg(not(unix))]
fn bind_unix(path: &str) -> io::Result<Listener> {
    let message = format!("cannot listen at `{UNIX}{path}`: this system has no Unix sockets");
    Err(io::Error::new(io::ErrorKind::Unsupported, message))
}

/// Returns the sockets that a service manager has passed to this process.
#[cfg(unix)]
fn passed_sockets() -> io::Result<Vec<Listener>> {
    let mut passed = listenfd::ListenFd::from_env();
    let mut listeners = Vec::new();
    for index in 0..passed.len() {
        let listener = match passed.take_tcp_listener(index) {
            Ok(listener) => listener.map(Listener::from),
            Err(_) => passed.take_unix_listener(index).map(|listener| listener.map(Listener::from)).map_err(|error| {
                let message = format!(
                    "socket {} of `LISTEN_FDS` cannot be used: {error}; pass a TCP or Unix socket, such as by `ListenStream=` of systemd",
                    index + 1
                );
                io::Error::new(error.kind(), message)
            })?,
        };
        listeners.extend(listener);
    }
    Ok(listeners)
}

#[cfg(not(unix))]
fn passed_sockets() -> io::Result<Vec<Listener>> {
    Ok(Vec::new())
}
