//! Defines [`ClusterNodes`], the connections to the nodes of a Redis Cluster.

use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use redis::cluster::{ClusterClient, ClusterConfig};
use redis::cluster_async::ClusterConnection;
use redis::{ConnectionAddr, ErrorKind, RedisResult};
use restwright_core::{Clock, ComponentError};
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};

use crate::redis::connection::{Deadline, choose_tls_provider};
use crate::redis::outage::{LONGEST_PAUSE, RedisOutage};
use crate::redis::script::ScriptRun;

/// The connections to all nodes of a Redis Cluster. They open on first use, and again after a failure.
pub(super) struct ClusterNodes {
    client: ClusterClient,
    /// The address of one of the configured nodes.
    address: ConnectionAddr,
    current: Mutex<RedisResult<ClusterConnection>>,
    /// A lock that is held while a task opens the connections.
    opening: tokio::sync::Mutex<()>,
    /// The number of times that the connections have been opened.
    openings: AtomicU64,
    /// A lock that is held while a task reopens the connections.
    reopening: tokio::sync::Mutex<()>,
    outage: RedisOutage,
    last_failure: Mutex<Option<Instant>>,
}

/// The maximum time for opening the connections to all nodes.
const OPENING: Duration = Duration::from_secs(10);

impl ClusterNodes {
    pub(super) fn new(client: ClusterClient, address: ConnectionAddr) -> Self {
        Self {
            client,
            address,
            current: Mutex::new(Err((ErrorKind::Client, "no node has been connected yet").into())),
            opening: tokio::sync::Mutex::default(),
            openings: AtomicU64::new(0),
            reopening: tokio::sync::Mutex::default(),
            outage: RedisOutage::new(Clock::system()),
            last_failure: Mutex::default(),
        }
    }

    pub(super) fn is_connected(&self) -> bool {
        !self.outage.is_ongoing()
    }

    pub(super) fn failures(&self) -> u64 {
        self.outage.failures()
    }

    /// Runs a script on the cluster node that owns the hash slot of the bucket. `bound` is the timeout of one request.
    pub(super) async fn send(
        self: &Arc<Self>,
        run: &ScriptRun,
        deadline: Deadline,
        bound: Duration,
    ) -> Result<Vec<u64>, ComponentError> {
        let is_open = self.current().is_ok();
        if !is_open && !self.outage.may_send() {
            return Err("no node of the cluster responds".into());
        }
        let sending = async {
            if !is_open {
                self.open(bound).await.map_err(io::Error::other)?;
            }
            let mut connection = self.current().clone()?;
            run.invoke(&mut connection).await
        };
        let outcome: Result<_, ComponentError> = match timeout(deadline.left(), sending).await {
            Ok(outcome) => outcome.map_err(Into::into),
            Err(_) => Err("the cluster did not respond in time".into()),
        };
        match &outcome {
            Ok(_) => self.succeeded(),
            Err(error) => {
                *self.last_failure() = Some(Instant::now());
                self.outage.begin(error);
                self.reopen(bound);
            }
        }
        outcome
    }

    /// Records a successful command. It ends an outage, unless a command failed within the last second. After such a
    /// failure, one node may still be down, although other nodes respond.
    fn succeeded(&self) {
        if self.outage.is_ongoing() && self.last_failure().is_none_or(|failure| failure.elapsed() > LONGEST_PAUSE) {
            self.outage.end();
        }
    }

    /// Reopens the connections to all nodes after a pause, because the client keeps connections to nodes that do not
    /// respond. Commands use the open connections during the pause.
    fn reopen(self: &Arc<Self>, bound: Duration) {
        let this = self.clone();
        tokio::spawn(async move {
            let Ok(_reopening) = this.reopening.try_lock() else { return };
            if this.current().is_ok() {
                sleep(LONGEST_PAUSE).await;
                let _ = this.open(bound).await;
            }
        });
    }

    /// Starts a task that opens the connections to all nodes, unless another task already opens them. The task
    /// continues if its caller stops waiting.
    fn open(self: &Arc<Self>, bound: Duration) -> JoinHandle<()> {
        let (this, seen) = (self.clone(), self.openings.load(Ordering::Relaxed));
        tokio::spawn(async move {
            let _opening = this.opening.lock().await;
            if this.openings.load(Ordering::Relaxed) != seen {
                return;
            }
            choose_tls_provider(&this.address);
            // While a node is down, commands to other nodes wait for at most this connection timeout.
            let config = ClusterConfig::new().set_connection_timeout(bound / 4).set_response_timeout(bound);
            let opened = timeout(OPENING, this.client.get_async_connection_with_config(config)).await;
            *this.current() = opened.unwrap_or_else(|_| Err(io::Error::from(io::ErrorKind::TimedOut).into()));
            this.openings.fetch_add(1, Ordering::Relaxed);
        })
    }

    fn current(&self) -> MutexGuard<'_, RedisResult<ClusterConnection>> {
        self.current.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn last_failure(&self) -> MutexGuard<'_, Option<Instant>> {
        self.last_failure.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
