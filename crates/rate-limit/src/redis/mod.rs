//! Defines [`RedisLimiter`], which stores rate limit buckets on Redis.

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

/// A store that keeps rate limit buckets on a Redis server. Use it if the application runs in several processes or on
/// several machines.
///
/// It uses the algorithm of [`MemoryLimiter`](super::MemoryLimiter), in one script on the server, with the server's
/// clock. Limits that are charged together need one round trip, and are charged atomically. A route with limits before
/// and after authentication needs two round trips.
/// [`RateLimit::after_authentication`](super::RateLimit::after_authentication) reduces them to one.
///
/// A request waits at most 100 ms per round trip, unless [`timeout`](Self::timeout) sets another time.
/// [`WhenUnavailable`] decides the response if the server is down, too slow, or rejects the write. After a failure, no
/// command is sent for 100 ms. Then the pauses between attempts double up to 1 s, so an outage delays few requests.
///
/// A closed connection does not count as a failure. The command is sent again over a new connection, within the same
/// timeout. The request may then be charged twice. Buckets expire on the server when they are full.
///
/// A store that [fails closed](WhenUnavailable::FailClosed) affects the Api: the Api starts only if the server can
/// charge buckets, and it is ready only while the server can charge buckets. Use one server, a proxy or host name that
/// fails over, or a [cluster](Self::cluster).
///
#[cfg_attr(not(doctest), doc = include_str!("../doc_examples/redis_limiter.md"))]
#[derive(Clone)]
pub struct RedisLimiter {
    servers: Servers,
    unavailable: WhenUnavailable,
    prefix: String,
    timeout: Duration,
}

/// The Redis server or Redis Cluster that stores the buckets.
#[derive(Clone)]
enum Servers {
    One(Arc<RedisServer>),
    Cluster(Arc<RedisCluster>),
}

/// The number of test buckets in the readiness check of a cluster. Their hash slots are spread over the nodes.
const READY_BUCKETS: usize = 8;

impl RedisLimiter {
    /// Creates a store on the Redis server at a URL such as `redis://user:password@host:6379/0`. Building an Api with a
    /// limit fails if the URL is invalid.
    ///
    /// `rediss://` uses TLS and requires the feature `tls`. The server's certificate must be valid for the host. Its
    /// issuer must be an authority that the system trusts, or an authority in the file that `SSL_CERT_FILE` names.
    #[must_use]
    pub fn new(url: &str, unavailable: WhenUnavailable) -> Self {
        Self::over(Servers::One(Arc::new(RedisServer::new(url, Clock::system()))), unavailable)
    }

    /// Creates a store on the nodes of a Redis Cluster.
    ///
    /// The client finds all nodes from one URL. Pass several URLs, because one node may be down. Building an Api with a
    /// limit fails if a URL is invalid, or if the URLs differ in user, password or TLS.
    ///
    /// A bucket is on the node of its slot, so a request needs one round trip per limit. The strictest limit, which
    /// admits the fewest requests in a burst, is charged first. If a limit rejects the request, the earlier charges are
    /// refunded, unlike on one server. Until then, other requests find these buckets lower by the cost of the request.
    /// The charge stays if a node fails in between. A rejected request therefore shifts each of its limits by at most
    /// its own cost.
    ///
    /// The [`timeout`](Self::timeout) bounds all round trips of a request together, and once more the refund.
    /// Connecting to a node may use a quarter of it. Set a longer timeout if the nodes are far away.
    ///
    /// The client follows `MOVED` and `ASK` redirections immediately. After a failover, requests use the new master
    /// within a second. Until then, [`WhenUnavailable`] decides the response to requests for slots of the failed node,
    /// which wait at most the timeout. The other nodes continue to charge. While a node does not respond, requests to
    /// other nodes may wait for about half of the timeout. A failover loses charges that were not replicated, so a
    /// bucket may admit its quota a second time. The Api is ready while some node charges.
    ///
    /// A command is sent again, up to three times, if its node closes the connection before the response. If the node
    /// had already charged the bucket, the request is charged twice, and at most four times.
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

    /// Sets the prefix of all Redis keys, `restwright` by default. Services on the same server need different prefixes.
    #[must_use]
    pub fn prefix(mut self, prefix: impl Into<String>) -> Self {
        self.prefix = prefix.into();
        self
    }

    /// Sets the maximum time to wait for a response from the server, 100 ms by default. It applies to each round trip
    /// of a request.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// Charges buckets with the Lua script at the time `now`, in microseconds. If `now` is `None`, the script uses the
    /// server's time. Returns the state of each bucket, up to the first bucket that rejects the request.
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

    /// Checks that the server accepts writes by charging a test bucket. A server that responds may still reject writes.
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
            server.outage = outage::RedisOutage::new(clock);
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
        // This also runs if the store fails open, so an outage is detected and logged before the first request.
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
        report.gauge(
            "rate_limit_redis_connected",
            "1 if Redis counts rate limits; 0 from a failure until Redis counts again.",
            connected,
        );
        report.counter("rate_limit_redis_failures", "Commands that Redis did not execute in time.", failures);
    }
}

impl LimiterStore for RedisLimiter {
    async fn charge(&self, charges: &[Charge<'_>]) -> Result<Vec<BucketState>, ComponentError> {
        match &self.servers {
            Servers::One(server) if !server.outage.may_send() => Err("Redis has just failed".into()),
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

/// Parses the response of the script, which contains two numbers per charged bucket. The script stops at the first
/// bucket that rejects the request. A bucket without numbers was not charged.
fn bucket_states(response: &[u64], charges: &[Charge<'_>]) -> Result<Vec<BucketState>, ComponentError> {
    let (pairs, rest) = response.as_chunks::<2>();
    let refused = pairs.last().is_some_and(|[admitted, _]| *admitted == 0);
    let complete = rest.is_empty() && (pairs.len() == charges.len() || refused && pairs.len() < charges.len());
    if !complete {
        return Err("the script returned an unexpected response".into());
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
