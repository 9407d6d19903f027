//! Buckets on Redis.

mod bucket_name;
mod client;
mod cluster;
mod connection;
mod outage;
mod script;
mod thread;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use restwright_core::rate_limit::{BucketState, Charge, LimiterStore, Quota, RateLimitKey, WhenUnavailable};
use restwright_core::report::Report;
use restwright_core::{ApiState, BuildContext, BuildErrors, Clock, Component, ComponentError};

use bucket_name::bucket_name;
use client::RedisServer;
use cluster::RedisCluster;
use script::CHARGE;

/// Keeps buckets on a Redis server, for an application that runs in several processes or on several machines.
///
/// The algorithm is that of [`MemoryLimiter`](super::MemoryLimiter). It runs in one script on the server, by the server's clock:
/// limits of a request that are charged together take one round trip, atomically. A route with limits both before and after
/// authentication takes two, unless the former are charged [after authentication](super::RateLimit::after_authentication) too.
///
/// A request waits for at most 100 ms per round trip, unless [`timeout`](Self::timeout) sets another time. [`WhenUnavailable`]
/// decides what happens if the server is down, slower, or refuses to write. After a failure no command is sent for 100 ms, then one
/// over another connection, and finally one per second, so that an outage delays few requests. A connection that was closed is no
/// failure: the command is sent again over another one, within the same bound, and at worst the request is charged twice. Buckets
/// expire on the server when they are full.
///
/// If it [fails closed](WhenUnavailable::FailClosed), the Api starts only if the server charges, and is ready only as long as it
/// does. Use one server, one behind a proxy or a name that fails over, or a [cluster](Self::cluster).
///
/// ```no_run
/// use restwright::{Api, Configuration};
/// use restwright_rate_limit::{Quota, RateLimit, RedisLimiter, WhenUnavailable};
///
/// let store = RedisLimiter::new("redis://127.0.0.1:6379", WhenUnavailable::FailOpen).prefix("shop");
/// let api = Api::builder(Configuration::new("shop", "1.0.0").limiter_store(store))
///     .middleware(RateLimit::per_ip("clients", Quota::per_minute(600)))
///     .build()?;
/// # Ok::<(), restwright::BuildErrors>(())
/// ```
#[derive(Clone)]
pub struct RedisLimiter {
    servers: Servers,
    unavailable: WhenUnavailable,
    prefix: String,
    timeout: Duration,
}

/// The servers that keep the buckets.
#[derive(Clone)]
enum Servers {
    One(Arc<RedisServer>),
    Cluster(Arc<RedisCluster>),
}

/// The number of buckets of a cluster that are charged to see whether a node works. They are on most nodes.
const READY_BUCKETS: usize = 8;

impl RedisLimiter {
    /// A store on the server at a URL such as `redis://user:password@host:6379/0`. Building an Api with a limit fails if the URL is
    /// invalid.
    ///
    /// `rediss://` is TLS and needs the feature `tls`. The server's certificate must be valid for the host, and issued by an
    /// authority that the system trusts, or by one in the file that the environment variable `SSL_CERT_FILE` names instead.
    #[must_use]
    pub fn new(url: &str, unavailable: WhenUnavailable) -> Self {
        Self::over(Servers::One(Arc::new(RedisServer::new(url, Clock::system()))), unavailable)
    }

    /// A store on the nodes of a Redis Cluster. One URL suffices to find the others; name several, since one may be down. Building an Api
    /// with a limit fails if a URL is invalid, or if they differ in user, password or TLS, which all nodes share.
    ///
    /// A bucket is on the node that has its slot, so a request takes a round trip for each of its limits, the strictest first: the
    /// one that admits the fewest requests at once. If one refuses, what the others were charged is given back, unlike on one server.
    /// Meanwhile other requests find one request less in these buckets, and it stays charged if a node fails in between. So a refused
    /// request shifts each of its limits by at most its own cost. The bound of [`timeout`](Self::timeout) is for all round trips of a
    /// request, and again for giving back. Connecting to a node may take a quarter of it: set a longer one if the nodes are far away.
    ///
    /// Slots that move, and replicas that become masters, are found by themselves: `MOVED` and `ASK` are followed at once, and a request
    /// after a failover finds the new master, at most a second later. [`WhenUnavailable`] decides on the requests to the slots of a
    /// node that failed until then. They wait for at most the bound. The other nodes charge, but while a node is silent their requests may
    /// wait for about half of the bound. A failover loses charges that were not replicated. A bucket then admits at most its quota a second time. The Api
    /// is ready as long as some node charges.
    ///
    /// A command is sent again, up to three times, if its node closes the connection before it responds. If the node had charged the
    /// bucket already, the request is charged twice, and at most four times.
    ///
    /// ```no_run
    /// use restwright_rate_limit::{RedisLimiter, WhenUnavailable};
    ///
    /// let store = RedisLimiter::cluster(["redis://10.0.0.1:6379", "redis://10.0.0.2:6379"], WhenUnavailable::FailOpen);
    /// ```
    #[must_use]
    pub fn cluster<U: AsRef<str>>(urls: impl IntoIterator<Item = U>, unavailable: WhenUnavailable) -> Self {
        Self::over(Servers::Cluster(Arc::new(RedisCluster::new(urls))), unavailable)
    }

    fn over(servers: Servers, unavailable: WhenUnavailable) -> Self {
        Self { servers, unavailable, prefix: "restwright".to_owned(), timeout: Duration::from_millis(100) }
    }

    /// Sets the prefix of the names of all buckets, `restwright` by default. Services that share a server need different prefixes.
    #[must_use]
    pub fn prefix(mut self, prefix: impl Into<String>) -> Self {
        self.prefix = prefix.into();
        self
    }

    /// Sets the longest time that a request waits for the server per round trip; 100 ms by default.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// Runs the script, at the server's time unless a time in microseconds is given. Returns the state of each bucket up to the
    /// first that refuses.
    async fn run(&self, charges: &[Charge<'_>], now: Option<u64>) -> Result<Vec<BucketState>, ComponentError> {
        let server = match &self.servers {
            Servers::Cluster(cluster) => return cluster.charge(charges, &self.prefix, now, self.timeout).await,
            Servers::One(server) => server,
        };
        let mut run = CHARGE.run(now);
        for charge in charges {
            let quota = charge.quota();
            let name = bucket_name(&self.prefix, charge.limit(), charge.key());
            run.bucket(name, [quota.interval_micros(), quota.limit().into(), charge.cost().into()]);
        }
        let response = server.run(run, self.timeout).await;
        let states = response.and_then(|response| bucket_states(&response, charges));
        match &states {
            Ok(_) => server.outage.end(),
            Err(error) => server.outage.begin(error),
        }
        states
    }

    /// Charges a bucket of its own, since a server that responds may still refuse to write.
    async fn check_writable(&self) -> Result<(), ComponentError> {
        let check = async |key| {
            let charge = Charge::new("ready", key, Quota::per_second(1_000_000), 1);
            self.run(&[charge], None).await.map(drop)
        };
        let outcome = check(RateLimitKey::global()).await;
        if outcome.is_err() && matches!(self.servers, Servers::Cluster(_)) {
            for bucket in 1..READY_BUCKETS {
                if check(RateLimitKey::text(bucket.to_string())).await.is_ok() {
                    return Ok(());
                }
            }
        }
        outcome
    }

    #[cfg(test)]
    fn clock(mut self, clock: Clock) -> Self {
        if let Servers::One(server) = &mut self.servers
            && let Some(server) = Arc::get_mut(server)
        {
            server.outage = outage::Outage::new(clock);
        }
        self
    }
}

impl Component for RedisLimiter {
    fn name(&self) -> &str {
        "rate limits on Redis"
    }

    async fn start(&self) -> Result<(), ComponentError> {
        let outcome = self.check_writable().await;
        // Also run if it fails open: the outage is then known and logged before the first request.
        if self.unavailable == WhenUnavailable::FailOpen { Ok(()) } else { outcome }
    }

    async fn ready(&self) -> Result<(), ComponentError> {
        if self.unavailable == WhenUnavailable::FailOpen { Ok(()) } else { self.check_writable().await }
    }

    fn report(&self, report: &mut Report) {
        let (is_connected, failures) = match &self.servers {
            Servers::One(server) => (!server.outage.is_ongoing(), server.outage.failures()),
            Servers::Cluster(cluster) => (cluster.is_connected(), cluster.failures()),
        };
        let connected = if is_connected { 1.0 } else { 0.0 };
        report.gauge("rate_limit_redis_connected", "1, or 0 after a failure until Redis charges again.", connected);
        report.counter("rate_limit_redis_failures", "Commands that Redis did not execute in time.", failures);
    }
}

impl LimiterStore for RedisLimiter {
    async fn charge(&self, charges: &[Charge<'_>]) -> Result<Vec<BucketState>, ComponentError> {
        match &self.servers {
            Servers::One(server) if !server.outage.may_send() => Err("Redis failed just now".into()),
            _ => self.run(charges, None).await,
        }
    }

    fn when_unavailable(&self) -> WhenUnavailable {
        self.unavailable
    }

    fn plan(&self, _: &mut BuildContext<'_, ApiState>) -> Result<(), BuildErrors> {
        let error = match &self.servers {
            Servers::One(server) => server.error(),
            Servers::Cluster(cluster) => cluster.error(),
        };
        match error {
            None => Ok(()),
            Some(error) => Err(BuildErrors::one(format!("the Redis limiter has no valid URL: {error}"))),
        }
    }
}

/// Reads the response of the script, which has a pair of numbers for each bucket up to the first that refuses. A bucket that is left
/// out was not charged.
fn bucket_states(response: &[u64], charges: &[Charge<'_>]) -> Result<Vec<BucketState>, ComponentError> {
    let (pairs, rest) = response.as_chunks::<2>();
    let refused = pairs.last().is_some_and(|[admitted, _]| *admitted == 0);
    let complete = rest.is_empty() && (pairs.len() == charges.len() || refused && pairs.len() < charges.len());
    if !complete {
        return Err("the response is not that of the script".into());
    }
    let states = pairs.iter().zip(charges).map(|([admitted, until_full], charge)| {
        let until_full = Duration::from_micros(*until_full);
        match admitted {
            1 => BucketState::admitted(charge.quota(), until_full),
            _ => BucketState::refused(charge.quota(), until_full),
        }
    });
    Ok(states.collect())
}

impl fmt::Debug for RedisLimiter {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("RedisLimiter")
            .field("unavailable", &self.unavailable)
            .field("prefix", &self.prefix)
            .field("timeout", &self.timeout)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
