//! The store.

use std::fmt;
use std::future::Future;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock, OnceLock};
use std::time::Duration;

use redis::aio::{ConnectionManager, ConnectionManagerConfig};
use redis::{Client, Script};
use restwright_core::problem::{ProblemKind, catalogue};
use restwright_core::{Component, ComponentError, Problem, Result, StartErrors};

use super::bucket;
use crate::rate_limit::planned::Charge;
use crate::rate_limit::standing::Standing;

static SCRIPT: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("charge.lua")));

/// Buckets on a Redis server, for an application that runs in several processes or on several machines.
///
/// The algorithm is that of the buckets in memory, and runs in one script on the server, by the server's clock: the limits of
/// a request that are charged together take one round trip, and no two requests come between each other. Limits by address
/// and limits by identity stand before and after authentication; a route that has both takes two, unless those by address are
/// charged [after authentication](crate::rate_limit::RateLimit::after_authentication) too.
///
/// Waiting is bounded: 100 ms for each round trip, unless [`timeout`](Self::timeout) says otherwise. What happens when the
/// server is away or slower is the application's choice, [`WhenUnavailable`]. Buckets expire on the server when they are full.
///
/// It is a [`Component`], which checks the connection at start; the connection comes back by itself. One server, or one behind
/// a proxy that fails over, can be used: buckets of one request would be on several nodes of a cluster.
/// ```no_run
/// use restwright_core::{Api, Configuration};
/// use restwright_list::rate_limit::{Quota, RateLimit, RateLimitStore, RedisStore, WhenUnavailable};
///
/// let store = RedisStore::new("redis://127.0.0.1:6379", WhenUnavailable::FailOpen).prefix("shop");
/// let configuration = Configuration::new("shop", "1.0.0").with(RateLimitStore::from(store.clone()));
/// let api = Api::builder(configuration)
///     .component(store)
///     .middleware(RateLimit::per_ip("clients", Quota::per_minute(600)))
///     .build()?;
/// # Ok::<(), restwright_core::StartErrors>(())
/// ```
#[derive(Clone)]
pub struct RedisStore(Arc<Inner>);

#[derive(Clone)]
struct Inner {
    client: Result<Client, String>,
    connection: OnceLock<ConnectionManager>,
    unavailable: WhenUnavailable,
    prefix: String,
    timeout: Duration,
    away: Away,
}

/// What happens to a request when the server is away or does not answer in time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WhenUnavailable {
    /// It is admitted without being counted, and its answer has no `X-RateLimit` headers.
    FailOpen,
    /// It is answered 503. The Api does not start without the server either.
    FailClosed,
}

impl RedisStore {
    /// A store on the server at a URL such as `redis://user:password@host:6379/0`. A URL that is none is an error when the Api
    /// is built.
    #[must_use]
    pub fn new(url: &str, unavailable: WhenUnavailable) -> Self {
        Self(Arc::new(Inner {
            // The error does not repeat the URL, which may have a password.
            client: Client::open(url).map_err(|error| error.to_string()),
            connection: OnceLock::new(),
            unavailable,
            prefix: "restwright".to_owned(),
            timeout: Duration::from_millis(100),
            away: Away::default(),
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
    pub(crate) fn check(&self) -> Result<(), StartErrors> {
        match &self.0.client {
            Ok(_) => Ok(()),
            Err(error) => Err(StartErrors::one(format!("the Redis store has no valid URL: {error}"))),
        }
    }

    /// What an operation may answer because of it.
    pub(crate) fn problem(&self) -> Option<ProblemKind> {
        (self.0.unavailable == WhenUnavailable::FailClosed).then_some(catalogue::UNAVAILABLE)
    }

    /// Charges in order, up to the first refusal. `None` when the server is away and that is to be no obstacle.
    pub(in crate::rate_limit) async fn charge(&self, charges: &[Charge<'_>]) -> Result<Option<Vec<Standing>>> {
        if charges.is_empty() {
            return Ok(Some(Vec::new()));
        }
        match self.bounded(self.run(charges, None)).await {
            Ok(standings) => {
                self.0.away.end();
                Ok(Some(standings))
            }
            Err(error) => {
                self.0.away.begin(&error);
                match self.0.unavailable {
                    WhenUnavailable::FailOpen => Ok(None),
                    WhenUnavailable::FailClosed => Err(Problem::unavailable(error)),
                }
            }
        }
    }

    /// Runs the script, at the server's time unless it is given in microseconds.
    pub(super) async fn run(&self, charges: &[Charge<'_>], now: Option<u64>) -> Result<Vec<Standing>, ComponentError> {
        let mut invocation = SCRIPT.prepare_invoke();
        invocation.arg(now.map(|now| now.to_string()).unwrap_or_default());
        for charge in charges {
            invocation.key(bucket::name(&self.0.prefix, &charge.limit.name, &charge.key));
            invocation.arg(charge.quota.micros()).arg(charge.quota.limit()).arg(charge.cost);
        }
        let answer: Vec<u64> = invocation.invoke_async(&mut self.connection()?).await?;
        let pairs = answer.as_chunks::<2>().0.iter().zip(charges);
        let standings =
            pairs.map(|([admitted, until_full], one)| Standing::new(one.quota, *until_full, *admitted == 1));
        Ok(standings.collect())
    }

    pub(super) async fn bounded<T>(
        &self,
        asking: impl Future<Output = Result<T, ComponentError>>,
    ) -> Result<T, ComponentError> {
        let late = |_| format!("Redis did not answer within {} ms", self.0.timeout.as_millis());
        tokio::time::timeout(self.0.timeout, asking).await.map_err(late)?
    }

    /// The connection, which is made when it is first used, and again by itself when it is lost.
    pub(super) fn connection(&self) -> Result<ConnectionManager, ComponentError> {
        if let Some(connection) = self.0.connection.get() {
            return Ok(connection.clone());
        }
        let client = self.0.client.as_ref().map_err(Clone::clone)?.clone();
        // One attempt at a time, since whoever asks next tries again.
        let config = ConnectionManagerConfig::new()
            .set_number_of_retries(0)
            .set_connection_timeout(Some(self.0.timeout))
            .set_response_timeout(Some(self.0.timeout));
        let connection = ConnectionManager::new_lazy_with_config(client, config)?;
        Ok(self.0.connection.get_or_init(|| connection).clone())
    }

    async fn ping(&self) -> Result<(), ComponentError> {
        self.bounded(async { Ok(redis::cmd("PING").exec_async(&mut self.connection()?).await?) }).await
    }
}

impl Component for RedisStore {
    fn name(&self) -> &str {
        "rate limits on Redis"
    }

    async fn start(&self) -> Result<(), ComponentError> {
        match self.ping().await {
            Err(error) if self.0.unavailable == WhenUnavailable::FailOpen => {
                self.0.away.begin(&error);
                Ok(())
            }
            outcome => outcome,
        }
    }

    async fn ready(&self) -> Result<(), ComponentError> {
        match self.0.unavailable {
            WhenUnavailable::FailOpen => Ok(()),
            WhenUnavailable::FailClosed => self.ping().await,
        }
    }
}

impl fmt::Debug for RedisStore {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("RedisStore")
            .field("unavailable", &self.0.unavailable)
            .field("prefix", &self.0.prefix)
            .field("timeout", &self.0.timeout)
            .finish_non_exhaustive()
    }
}

/// Whether the server is away: the log says once that it went, and once that it is back.
#[derive(Clone, Default)]
struct Away(Arc<AtomicBool>);

impl Away {
    fn begin(&self, error: &ComponentError) {
        if !self.0.swap(true, Ordering::Relaxed) {
            tracing::error!(error = %error, "the Redis server of the rate limits does not answer");
        }
    }

    fn end(&self) {
        if self.0.load(Ordering::Relaxed) && self.0.swap(false, Ordering::Relaxed) {
            tracing::info!("the Redis server of the rate limits answers again");
        }
    }
}
