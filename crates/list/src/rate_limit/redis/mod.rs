//! Buckets on Redis.

mod bucket_name;
mod client;
mod connection;
mod outage;

use std::fmt;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use redis::Script;
use restwright_core::rate_limit::{BucketState, Charge, LimiterStore, Quota, RateLimitKey, WhenUnavailable};
use restwright_core::report::Report;
use restwright_core::{ApiScope, BuildContext, BuildErrors, Clock, Component, ComponentError};

use bucket_name::bucket_name;
use client::RedisServer;
use outage::Outage;

static SCRIPT: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("charge.lua")));

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
/// does. Use one server, or one behind a proxy or a name that fails over; a cluster would keep the buckets of one request on
/// several nodes.
///
/// ```no_run
/// use restwright::{Api, Configuration};
/// use restwright_list::rate_limit::{Quota, RateLimit, RedisLimiter, WhenUnavailable};
///
/// let store = RedisLimiter::new("redis://127.0.0.1:6379", WhenUnavailable::FailOpen).prefix("shop");
/// let api = Api::builder(Configuration::new("shop", "1.0.0").limiter_store(store))
///     .middleware(RateLimit::per_ip("clients", Quota::per_minute(600)))
///     .build()?;
/// # Ok::<(), restwright::BuildErrors>(())
/// ```
#[derive(Clone)]
pub struct RedisLimiter {
    server: Arc<RedisServer>,
    outage: Arc<Outage>,
    unavailable: WhenUnavailable,
    prefix: String,
    timeout: Duration,
}

impl RedisLimiter {
    /// A store on the server at a URL such as `redis://user:password@host:6379/0`. Building an Api with a limit fails if the URL is
    /// invalid.
    ///
    /// `rediss://` is TLS and needs the feature `redis-tls`. The server's certificate must be valid for the host, and issued by an
    /// authority that the system trusts, or by one in the file that the environment variable `SSL_CERT_FILE` names instead.
    #[must_use]
    pub fn new(url: &str, unavailable: WhenUnavailable) -> Self {
        Self {
            server: Arc::new(RedisServer::new(url)),
            outage: Arc::new(Outage::new(Clock::system())),
            unavailable,
            prefix: "restwright".to_owned(),
            timeout: Duration::from_millis(100),
        }
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
        let mut invocation = SCRIPT.prepare_invoke();
        invocation.arg(now.map(|now| now.to_string()).unwrap_or_default());
        for charge in charges {
            let quota = charge.quota();
            invocation.key(bucket_name(&self.prefix, charge.limit(), charge.key()));
            invocation.arg(quota.interval_micros()).arg(quota.limit()).arg(charge.cost());
        }
        let invocation = Arc::new(invocation);
        let response = self.server.send(self.timeout, move |mut connection| {
            let invocation = invocation.clone();
            async move { invocation.invoke_async(&mut connection).await }
        });
        let states = response.await.and_then(|response: Vec<u64>| bucket_states(&response, charges));
        match &states {
            Ok(_) => self.outage.end(),
            Err(error) => self.outage.begin(error),
        }
        states
    }

    /// Charges a bucket of its own, since a server that responds may still refuse to write.
    async fn check_writable(&self) -> Result<(), ComponentError> {
        let charge = Charge::new("ready", RateLimitKey::global(), Quota::per_second(1_000_000), 1);
        self.run(&[charge], None).await.map(drop)
    }

    #[cfg(test)]
    fn clock(mut self, clock: Clock) -> Self {
        self.outage = Arc::new(Outage::new(clock));
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
        match self.unavailable {
            WhenUnavailable::FailOpen => Ok(()),
            WhenUnavailable::FailClosed => self.check_writable().await,
        }
    }

    fn report(&self, report: &mut Report) {
        let connected = if self.outage.is_ongoing() { 0.0 } else { 1.0 };
        report.gauge("rate_limit_redis_connected", "1, or 0 after a failure until Redis charges again.", connected);
        let failures = self.outage.failures();
        report.counter("rate_limit_redis_failures", "Commands that Redis did not execute in time.", failures);
    }
}

impl LimiterStore for RedisLimiter {
    async fn charge(&self, charges: &[Charge<'_>]) -> Result<Vec<BucketState>, ComponentError> {
        if self.outage.may_send() { self.run(charges, None).await } else { Err("Redis failed just now".into()) }
    }

    fn when_unavailable(&self) -> WhenUnavailable {
        self.unavailable
    }

    fn plan(&self, _: &mut BuildContext<'_, ApiScope>) -> Result<(), BuildErrors> {
        match self.server.client() {
            Ok(_) => Ok(()),
            Err(error) => Err(BuildErrors::one(format!("the Redis limiter has no valid URL: {error}"))),
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
