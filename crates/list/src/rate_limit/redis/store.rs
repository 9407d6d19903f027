//! The store.

use std::fmt;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use redis::Script;
use restwright_core::problem::{ProblemKind, catalogue};
use restwright_core::{BuildErrors, Clock, Component, ComponentError, Problem, Result};

use super::bucket;
use super::outage::Outage;
use super::server::Server;
use crate::rate_limit::Quota;
use crate::rate_limit::bucket_state::BucketState;
use crate::rate_limit::planned::Charge;

static SCRIPT: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("charge.lua")));

/// Buckets on a Redis server, for an application that runs in several processes or on several machines.
///
/// The algorithm is that of the buckets in memory, and runs in one script on the server, by the server's clock: the limits of
/// a request that are charged together take one round trip, and no two requests come between each other. Limits by address
/// and limits by identity stand before and after authentication; a route that has both takes two, unless those by address are
/// charged [after authentication](crate::rate_limit::RateLimit::after_authentication) too.
///
/// Waiting is bounded: 100 ms for each round trip, unless [`timeout`](Self::timeout) says otherwise. What happens when the
/// server is away, slower, or refuses to write is the application's choice, [`WhenUnavailable`]. After a failure it is not asked
/// for 100 ms, and then by one request over another connection, at last once a second, so that an outage costs few requests
/// their time. A connection that was closed meanwhile is no outage: the request asks again over another one, within the same
/// bound, and is charged twice at worst. Buckets expire on the server when they are full.
///
/// The Api that has a limit runs what the store needs as a component: it checks at start and for readiness that the server
/// charges, when it [fails closed](WhenUnavailable::FailClosed). One server, or one behind a proxy or a name that fails over,
/// can be used: buckets of one request would be on several nodes of a cluster.
/// ```no_run
/// use restwright_core::{Api, Configuration};
/// use restwright_list::rate_limit::{Quota, RateLimit, LimiterStore, RedisLimiter, WhenUnavailable};
///
/// let store = RedisLimiter::new("redis://127.0.0.1:6379", WhenUnavailable::FailOpen).prefix("shop");
/// let configuration = Configuration::new("shop", "1.0.0").with(LimiterStore::from(store));
/// let api = Api::builder(configuration)
///     .middleware(RateLimit::per_ip("clients", Quota::per_minute(600)))
///     .build()?;
/// # Ok::<(), restwright_core::BuildErrors>(())
/// ```
#[derive(Clone)]
pub struct RedisLimiter(Arc<Inner>);

#[derive(Clone)]
struct Inner {
    server: Arc<Server>,
    outage: Arc<Outage>,
    unavailable: WhenUnavailable,
    prefix: String,
    timeout: Duration,
}

/// What happens to a request when the server is away, does not answer in time, or does not charge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WhenUnavailable {
    /// It is admitted without being counted, and its answer has no `X-RateLimit` headers.
    FailOpen,
    /// It is answered 503. The Api does not start without the server either.
    FailClosed,
}

impl RedisLimiter {
    /// A store on the server at a URL such as `redis://user:password@host:6379/0`. A URL that is none is an error when the Api
    /// is built.
    ///
    /// `rediss://` is TLS and needs the feature `redis-tls`. The server's certificate has to be for that host, by an authority
    /// that the system trusts, or one in the file that the environment variable `SSL_CERT_FILE` names in place of those.
    #[must_use]
    pub fn new(url: &str, unavailable: WhenUnavailable) -> Self {
        Self(Arc::new(Inner {
            server: Arc::new(Server::new(url)),
            outage: Arc::new(Outage::new(Clock::system())),
            unavailable,
            prefix: "restwright".to_owned(),
            timeout: Duration::from_millis(100),
        }))
    }

    /// Sets what the names of all buckets begin with, `restwright` by default. Services that share a server need prefixes of
    /// their own.
    #[must_use]
    pub fn prefix(mut self, prefix: impl Into<String>) -> Self {
        Arc::make_mut(&mut self.0).prefix = prefix.into();
        self
    }

    /// Sets how long a request waits for the server at most; 100 ms by default.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        Arc::make_mut(&mut self.0).timeout = timeout;
        self
    }

    /// Whether it can be used.
    pub(crate) fn check(&self) -> Result<(), BuildErrors> {
        match self.0.server.client() {
            Ok(_) => Ok(()),
            Err(error) => Err(BuildErrors::one(format!("the Redis store has no valid URL: {error}"))),
        }
    }

    /// What an operation may answer because of it.
    pub(crate) fn problem(&self) -> Option<ProblemKind> {
        (self.0.unavailable == WhenUnavailable::FailClosed).then_some(catalogue::UNAVAILABLE)
    }

    /// Charges in order, up to the first refusal. `None` when the server is away and that is to be no obstacle.
    pub(in crate::rate_limit) async fn charge(&self, charges: &[Charge<'_>]) -> Result<Option<Vec<BucketState>>> {
        if charges.is_empty() {
            return Ok(Some(Vec::new()));
        }
        let outcome =
            if self.0.outage.may_ask() { self.run(charges, None).await } else { Err("it failed just now".into()) };
        match (outcome, self.0.unavailable) {
            (Ok(standings), _) => Ok(Some(standings)),
            (Err(_), WhenUnavailable::FailOpen) => Ok(None),
            (Err(error), WhenUnavailable::FailClosed) => {
                Err(Problem::unavailable(format!("Redis did not charge the rate limits: {error}")))
            }
        }
    }

    /// Runs the script, at the server's time unless it is given in microseconds.
    pub(super) async fn run(
        &self,
        charges: &[Charge<'_>],
        now: Option<u64>,
    ) -> Result<Vec<BucketState>, ComponentError> {
        let buckets = charges
            .iter()
            .map(|charge| (bucket::name(&self.0.prefix, &charge.limit.name, &charge.key), charge.quota, charge.cost));
        let outcomes = self.charge_buckets(buckets, now).await?.into_iter().zip(charges);
        Ok(outcomes
            .map(|([admitted, until_full], one)| BucketState::new(one.quota, until_full, admitted == 1))
            .collect())
    }

    /// What the script answers, for each bucket up to the first that refuses.
    async fn charge_buckets(
        &self,
        buckets: impl Iterator<Item = (String, Quota, u32)>,
        now: Option<u64>,
    ) -> Result<Vec<[u64; 2]>, ComponentError> {
        let mut invocation = SCRIPT.prepare_invoke();
        invocation.arg(now.map(|now| now.to_string()).unwrap_or_default());
        let mut count = 0;
        for (name, quota, cost) in buckets {
            invocation.key(name).arg(quota.micros()).arg(quota.limit()).arg(cost);
            count += 1;
        }
        let Inner { server, outage, timeout, .. } = &*self.0;
        let invocation = Arc::new(invocation);
        let asked = server.ask(*timeout, move |mut connection| {
            let invocation = invocation.clone();
            async move { invocation.invoke_async(&mut connection).await }
        });
        let answer = asked.await.and_then(|answer: Vec<u64>| outcomes(&answer, count));
        match &answer {
            Ok(_) => outage.end(),
            Err(error) => outage.begin(error),
        }
        answer
    }

    /// Whether the server charges: as it would for a request, since one that answers may yet refuse to write.
    async fn charges(&self) -> Result<(), ComponentError> {
        let bucket = (format!("{}:ready", self.0.prefix), Quota::per_second(1_000_000), 1);
        self.charge_buckets(std::iter::once(bucket), None).await.map(drop)
    }

    /// What the host runs for it.
    pub(crate) fn component(&self) -> impl Component + use<> {
        Running(self.clone())
    }

    #[cfg(test)]
    pub(super) fn clock(mut self, clock: Clock) -> Self {
        Arc::make_mut(&mut self.0).outage = Arc::new(Outage::new(clock));
        self
    }
}

/// The pairs of an answer, when it is one to so many buckets: a bucket that it leaves out was not charged.
fn outcomes(answer: &[u64], buckets: usize) -> Result<Vec<[u64; 2]>, ComponentError> {
    let (outcomes, rest) = answer.as_chunks::<2>();
    let refused = outcomes.last().is_some_and(|[admitted, _]| *admitted == 0);
    let whole = rest.is_empty() && (outcomes.len() == buckets || refused && outcomes.len() < buckets);
    if whole { Ok(outcomes.to_vec()) } else { Err("Redis answered something else than the script says".into()) }
}

/// A store while its Api runs. Not the store itself, so that nobody registers it a second time.
struct Running(RedisLimiter);

impl Component for Running {
    fn name(&self) -> &str {
        "rate limits on Redis"
    }

    async fn start(&self) -> Result<(), ComponentError> {
        let outcome = self.0.charges().await;
        // Away or not: the first requests know, and the log does.
        if self.0.0.unavailable == WhenUnavailable::FailOpen { Ok(()) } else { outcome }
    }

    async fn ready(&self) -> Result<(), ComponentError> {
        match self.0.0.unavailable {
            WhenUnavailable::FailOpen => Ok(()),
            WhenUnavailable::FailClosed => self.0.charges().await,
        }
    }
}

impl fmt::Debug for RedisLimiter {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("RedisLimiter")
            .field("unavailable", &self.0.unavailable)
            .field("prefix", &self.0.prefix)
            .field("timeout", &self.0.timeout)
            .finish_non_exhaustive()
    }
}
