//! Defines [`RedisCluster`], which charges rate limit buckets on the nodes of a Redis Cluster.

mod client;
mod nodes;

use std::cmp::Reverse;
use std::sync::Arc;
use std::time::Duration;

use restwright_core::ComponentError;
use restwright_core::rate_limit::{BucketState, Charge};

use super::bucket_name::bucket_name;
use super::connection::Deadline;
use super::script::{CHARGE, GIVE_BACK};
use super::thread::CommandThread;
use nodes::ClusterNodes;

/// A client that charges rate limit buckets on a Redis Cluster. A bucket is charged on the node of its slot, so the
/// buckets of a request are charged one after the other. If a later bucket rejects the request, the earlier charges are
/// refunded.
pub(super) struct RedisCluster {
    nodes: Result<Arc<ClusterNodes>, String>,
    thread: CommandThread,
}

/// The parameters for charging one bucket.
struct BucketCharge {
    position: usize,
    name: String,
    interval: u64,
    limit: u32,
    cost: u32,
}

/// The parameters of the task that charges all buckets of one request.
struct ClusterCharge {
    nodes: Arc<ClusterNodes>,
    now: Option<u64>,
    timeout: Duration,
}

impl RedisCluster {
    pub(super) fn new<U: AsRef<str>>(urls: impl IntoIterator<Item = U>) -> Self {
        let client = client::cluster_client(urls);
        Self {
            nodes: client.map(|(client, address)| Arc::new(ClusterNodes::new(client, address))),
            thread: CommandThread::default(),
        }
    }

    /// Returns the reason why the URLs are invalid, or `None` if they are valid.
    pub(super) fn error(&self) -> Option<&str> {
        self.nodes.as_ref().err().map(String::as_str)
    }

    /// Returns whether the last commands to the cluster succeeded.
    pub(super) fn is_connected(&self) -> bool {
        self.nodes.as_ref().is_ok_and(|nodes| nodes.is_connected())
    }

    /// Returns the number of commands that have failed since the process started.
    pub(super) fn failures(&self) -> u64 {
        self.nodes.as_ref().map_or(0, |nodes| nodes.failures())
    }

    /// Charges the buckets of a request, beginning with the strictest bucket. If a bucket rejects the request or fails,
    /// the earlier charges are refunded. Returns the states of the buckets up to the bucket that rejects the request.
    pub(super) async fn charge(
        &self,
        charges: &[Charge<'_>],
        prefix: &str,
        now: Option<u64>,
        timeout: Duration,
    ) -> Result<Vec<BucketState>, ComponentError> {
        let nodes = self.nodes.clone()?;
        let deadline = Deadline::after(timeout);
        let buckets = BucketCharge::strictest_first(charges, prefix);
        let charge = ClusterCharge { nodes, now, timeout };
        // The task continues if the request is cancelled, so no request stays half charged.
        let outcome = self.thread.runtime()?.spawn(async move { charge.all(&buckets, deadline).await }).await?;
        Ok(states(charges, &outcome?))
    }
}

impl BucketCharge {
    /// Returns the buckets to charge, with the strictest bucket first. The strictest bucket admits the fewest requests.
    /// Among equal buckets, the bucket that refills most slowly comes first. If the first bucket rejects, no charge has
    /// to be refunded.
    fn strictest_first(charges: &[Charge<'_>], prefix: &str) -> Vec<Self> {
        let slot_charge = |(position, charge): (usize, &Charge<'_>)| {
            let name = bucket_name(prefix, charge.limit(), charge.key());
            let (quota, cost) = (charge.quota(), charge.cost());
            Self { position, name, interval: quota.interval_micros(), limit: quota.limit(), cost }
        };
        let mut buckets: Vec<_> = charges.iter().enumerate().map(slot_charge).collect();
        buckets.sort_by_key(|charge| (charge.limit / charge.cost.max(1), Reverse(charge.interval)));
        buckets
    }
}

impl ClusterCharge {
    /// Charges buckets in order, up to the first bucket that rejects the request. Returns the position and outcome of
    /// each charged bucket. An outcome contains 1 if the request is admitted or 0 if it is rejected, and the
    /// microseconds until the bucket is full.
    async fn all(
        &self,
        buckets: &[BucketCharge],
        deadline: Deadline,
    ) -> Result<Vec<(usize, [u64; 2])>, ComponentError> {
        let mut outcomes = Vec::with_capacity(buckets.len());
        for (done, charge) in buckets.iter().enumerate() {
            let mut run = CHARGE.run(self.now);
            run.bucket(charge.name.clone(), [charge.interval, charge.limit.into(), charge.cost.into()]);
            let outcome = self.nodes.send(&run, deadline, self.timeout).await.and_then(|response| match *response {
                [admitted, until_full] => Ok([admitted, until_full]),
                _ => Err("the script returned an unexpected response".into()),
            });
            let is_admitted = matches!(outcome, Ok([1, _]));
            if !is_admitted {
                self.give_back(buckets.get(..done).unwrap_or_default()).await;
            }
            outcomes.push((charge.position, outcome?));
            if !is_admitted {
                break;
            }
        }
        Ok(outcomes)
    }

    /// Refunds the charges of a rejected request. A bucket on an unreachable node stays charged.
    async fn give_back(&self, charged: &[BucketCharge]) {
        let deadline = Deadline::after(self.timeout);
        for charge in charged.iter().filter(|charge| charge.cost > 0) {
            let mut run = GIVE_BACK.run(self.now);
            run.bucket(charge.name.clone(), [charge.interval, charge.cost.into()]);
            let _ = self.nodes.send(&run, deadline, self.timeout).await;
        }
    }
}

/// Returns the states of the buckets in the order of declaration, up to the bucket that rejected the request. If a
/// bucket rejected the request, the earlier states are placeholders, which no response reports. Their charges were
/// refunded or never made.
fn states(charges: &[Charge<'_>], outcomes: &[(usize, [u64; 2])]) -> Vec<BucketState> {
    let refused = outcomes.iter().find(|(_, [admitted, _])| *admitted != 1);
    let count = refused.map_or(charges.len(), |(position, _)| position + 1);
    let state = |(position, charge): (usize, &Charge<'_>)| {
        let outcome = outcomes.iter().find(|(charged, _)| *charged == position);
        let [admitted, until_full] = outcome.map_or([1, 0], |(_, outcome)| *outcome);
        let until_full = Duration::from_micros(until_full);
        match admitted {
            1 => BucketState::admitted(charge.quota(), until_full),
            _ => BucketState::refused(charge.quota(), until_full),
        }
    };
    charges.iter().take(count).enumerate().map(state).collect()
}
