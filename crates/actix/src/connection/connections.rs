//! Counts the open connections of all workers.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use restwright_runtime::Api;
use restwright_runtime::core::OutageLog;
use restwright_runtime::core::client_address::TrustedProxies;
use restwright_runtime::core::rate_limit::RateLimitKey;
use restwright_runtime::core::report::Report;
use restwright_runtime::core::runtime::Ipv6Prefix;
use restwright_runtime::core::runtime::log;
use tokio::sync::Notify;

use crate::host_settings::HostSettings;

/// Counts the open and waiting connections of all workers, and stores the connection limits.
pub(crate) struct Connections {
    settings: HostSettings,
    count: AtomicUsize,
    none_left: Notify,
    is_draining: AtomicBool,
    /// The number of new connections that wait because their worker has reached its connection limit. `waited` is the
    /// total number since the start.
    waiting: AtomicUsize,
    waited: AtomicU64,
    shortage: Mutex<OutageLog>,
    /// Counts the clients that began a TLS handshake on this port, for the log.
    tls: Mutex<OutageLog>,
    begun: Instant,
    addresses: Option<AddressCounts>,
}

/// The number of open connections per client address, with the limit per address.
struct AddressCounts {
    limit: usize,
    prefix: Ipv6Prefix,
    proxies: Option<TrustedProxies>,
    counts: Mutex<HashMap<RateLimitKey, usize>>,
    refused: AtomicU64,
}

impl Connections {
    pub(crate) fn new(api: &Api, settings: HostSettings) -> Arc<Self> {
        let configuration = api.configuration();
        let addresses = settings.max_connections_per_address.map(|limit| AddressCounts {
            limit,
            prefix: Ipv6Prefix::from_configuration(configuration).unwrap_or_default(),
            proxies: configuration.get::<TrustedProxies>().cloned(),
            counts: Mutex::default(),
            refused: AtomicU64::new(0),
        });
        Arc::new(Self {
            settings,
            count: AtomicUsize::new(0),
            none_left: Notify::new(),
            is_draining: AtomicBool::new(false),
            waiting: AtomicUsize::new(0),
            waited: AtomicU64::new(0),
            shortage: Mutex::default(),
            tls: Mutex::default(),
            begun: Instant::now(),
            addresses,
        })
    }

    pub(crate) fn count(&self) -> usize {
        self.count.load(Ordering::Acquire)
    }

    /// Counts a new connection as open. Returns `None` if the client address has reached its limit.
    pub(crate) fn enter(self: &Arc<Self>, address: Option<IpAddr>) -> Option<Seat> {
        let counted = match (&self.addresses, address) {
            (Some(addresses), Some(address)) => addresses.enter(address)?,
            _ => None,
        };
        self.count.fetch_add(1, Ordering::Relaxed);
        Some(Seat { connections: self.clone(), counted })
    }

    /// Starts the drain of the server. Each connection closes after its next response, which contains
    /// `Connection: close`.
    pub(crate) fn begin_drain(&self) {
        self.is_draining.store(true, Ordering::Relaxed);
    }

    /// Waits until the last connection has closed.
    pub(crate) async fn none_left(&self) {
        loop {
            let closed = self.none_left.notified();
            if self.count() == 0 {
                return;
            }
            closed.await;
        }
    }

    /// Counts a new connection as waiting until the returned value is dropped.
    pub(super) fn wait(&self) -> impl Drop + use<'_> {
        self.waiting.fetch_add(1, Ordering::Relaxed);
        self.waited.fetch_add(1, Ordering::Relaxed);
        let outage = self.shortage.lock().unwrap_or_else(PoisonError::into_inner).failed(self.begun.elapsed());
        if let Some(outage) = outage {
            let (most, newcomers) = (self.settings.max_connections, outage.failures);
            log(|| {
                tracing::warn!(
                    max_connections = most,
                    newcomers,
                    "new connections are waiting because all connections have requests"
                )
            });
        }
        Newcomer(self)
    }

    /// Logs that new connections no longer wait. The line is logged one minute after the last connection had to wait.
    pub(super) fn log_ended(&self) {
        let mut shortage = self.shortage.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(outage) = shortage.ended_by_itself(self.begun.elapsed()) {
            let (newcomers, seconds) = (outage.failures, outage.seconds);
            log(|| tracing::info!(newcomers, seconds, "new connections no longer wait"));
        }
    }

    /// Adds the connection counts to a metrics report.
    #[expect(clippy::cast_precision_loss, reason = "counts of connections are far below 2^52")]
    pub(crate) fn report(&self, report: &mut Report) {
        let waiting = self.waiting.load(Ordering::Relaxed);
        report.gauge("server_connections", "Open connections.", self.count() as f64);
        let most = self.settings.max_connections;
        report.gauge("server_connections_max", "The maximum number of connections.", most as f64);
        report.gauge("server_connections_waiting", "Connections that are waiting to be accepted.", waiting as f64);
        let waited = self.waited.load(Ordering::Relaxed);
        report.counter("server_connections_waited", "Connections that had to wait before they were accepted.", waited);
        if let Some(addresses) = &self.addresses {
            let refused = addresses.refused.load(Ordering::Relaxed);
            report.counter("server_connections_refused", "Connections rejected by the limit per address.", refused);
        }
        report.gauge("server_workers", "Worker threads.", self.settings.workers as f64);
    }
}

impl AddressCounts {
    /// Counts a new connection against the limit of the client's network, and returns the network. Returns `None` if
    /// the limit is reached, and `Some(None)` for a trusted proxy.
    fn enter(&self, address: IpAddr) -> Option<Option<RateLimitKey>> {
        if self.proxies.as_ref().is_some_and(|proxies| proxies.trusts(address)) {
            return Some(None);
        }
        let network = RateLimitKey::network(address, self.prefix.bits());
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        let count = counts.entry(network.clone()).or_default();
        if *count >= self.limit {
            self.refused.fetch_add(1, Ordering::Relaxed);
            return None;
        }
        *count += 1;
        Some(Some(network))
    }

    fn leave(&self, network: RateLimitKey) {
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        if let Entry::Occupied(mut count) = counts.entry(network) {
            *count.get_mut() -= 1;
            if *count.get() == 0 {
                count.remove();
            }
        }
    }
}

/// A connection that is counted as open until this value is dropped.
pub(crate) struct Seat {
    connections: Arc<Connections>,
    counted: Option<RateLimitKey>,
}

impl Seat {
    /// Returns whether the server is draining. Each connection then closes after its next response.
    pub(super) fn is_draining(&self) -> bool {
        self.connections.is_draining.load(Ordering::Relaxed)
    }

    /// Logs that the client began a TLS handshake, at most once a minute for all clients.
    pub(super) fn log_tls(&self) {
        let Connections { tls, begun, .. } = &*self.connections;
        let outage = tls.lock().unwrap_or_else(PoisonError::into_inner).failed(begun.elapsed());
        if let Some(outage) = outage {
            let clients = outage.failures;
            log(|| {
                tracing::info!(
                    clients,
                    "a client began a TLS handshake, but this port serves HTTP without TLS; use `http://`, or a proxy that terminates TLS"
                )
            });
        }
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        let connections = &self.connections;
        if let (Some(addresses), Some(network)) = (&connections.addresses, self.counted.take()) {
            addresses.leave(network);
        }
        if connections.count.fetch_sub(1, Ordering::AcqRel) == 1 {
            connections.none_left.notify_waiters();
        }
    }
}

/// A new connection that is counted as waiting until this value is dropped.
struct Newcomer<'a>(&'a Connections);

impl Drop for Newcomer<'_> {
    fn drop(&mut self) {
        self.0.waiting.fetch_sub(1, Ordering::Relaxed);
    }
}
