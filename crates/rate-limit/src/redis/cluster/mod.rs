//! Buckets on the nodes of a cluster.

mod node;
mod seeds;
mod slots;
mod topology;

use std::cmp::Reverse;
use std::sync::Arc;
use std::time::Duration;

use restwright_core::ComponentError;
use restwright_core::rate_limit::{BucketState, Charge};

use super::bucket_name::bucket_name;
use super::connection::Deadline;
use super::script::{CHARGE, GIVE_BACK, ScriptRun};
use super::thread::CommandThread;
use node::NodeReply;
use seeds::Seeds;
use slots::slot_of;
use topology::Topology;

/// The nodes of a cluster. A bucket is charged on the node that has its slot, so the buckets of a request are charged one after the
/// other, and what was charged is given back if a later one refuses.
pub(super) struct RedisCluster {
    topology: Result<Arc<Topology>, String>,
    thread: CommandThread,
}

/// A bucket, and how it is charged.
struct SlotCharge {
    position: usize,
    slot: usize,
    name: String,
    interval: u64,
    limit: u32,
    cost: u32,
}

/// The nodes on the thread of the cluster.
struct ClusterCharge {
    topology: Arc<Topology>,
    now: Option<u64>,
    timeout: Duration,
}

/// The most nodes that a command is sent to: it may be redirected, and the slot of a node that failed may have another.
const MOST_SENDS: usize = 5;

impl RedisCluster {
    pub(super) fn new<U: AsRef<str>>(urls: impl IntoIterator<Item = U>) -> Self {
        let seeds = Seeds::new(urls);
        Self { topology: seeds.map(|seeds| Arc::new(Topology::new(seeds))), thread: CommandThread::default() }
    }

    /// Returns the reason for which the URLs are invalid.
    pub(super) fn error(&self) -> Option<&str> {
        self.topology.as_ref().err().map(String::as_str)
    }

    /// Returns whether no node failed since it last charged.
    pub(super) fn is_connected(&self) -> bool {
        self.topology.as_ref().is_ok_and(|topology| topology.is_connected())
    }

    /// Returns the number of commands that failed.
    pub(super) fn failures(&self) -> u64 {
        self.topology.as_ref().map_or(0, |topology| topology.failures())
    }

    /// Charges the buckets of a request, the strictest first, and gives back what was charged if one refuses or fails. Returns the
    /// states up to the bucket that refuses.
    pub(super) async fn charge(
        &self,
        charges: &[Charge<'_>],
        prefix: &str,
        now: Option<u64>,
        timeout: Duration,
    ) -> Result<Vec<BucketState>, ComponentError> {
        let topology = self.topology.clone()?;
        let deadline = Deadline::after(timeout);
        let slots = SlotCharge::strictest_first(charges, prefix);
        let charge = ClusterCharge { topology, now, timeout };
        // It goes on if the request is given up, so that nothing stays charged by half.
        let outcome = self.thread.runtime()?.spawn(async move { charge.all(&slots, deadline).await }).await?;
        Ok(states(charges, &outcome?))
    }
}

impl SlotCharge {
    /// The bucket that admits the fewest requests at once comes first, then the one that takes longest to refill by one: it is the most
    /// likely to refuse, and then nothing has to be given back.
    fn strictest_first(charges: &[Charge<'_>], prefix: &str) -> Vec<Self> {
        let slot_charge = |(position, charge): (usize, &Charge<'_>)| {
            let name = bucket_name(prefix, charge.limit(), charge.key());
            let (quota, cost) = (charge.quota(), charge.cost());
            let slot = slot_of(&name);
            Self { position, slot, name, interval: quota.interval_micros(), limit: quota.limit(), cost }
        };
        let mut slots: Vec<_> = charges.iter().enumerate().map(slot_charge).collect();
        slots.sort_by_key(|charge| (charge.limit / charge.cost.max(1), Reverse(charge.interval)));
        slots
    }
}

impl ClusterCharge {
    /// Charges buckets up to the first that refuses, and returns the outcomes of those by position: admitted or not, and the time until
    /// the bucket is full in microseconds.
    async fn all(&self, slots: &[SlotCharge], deadline: Deadline) -> Result<Vec<(usize, [u64; 2])>, ComponentError> {
        let mut outcomes = Vec::with_capacity(slots.len());
        for (done, charge) in slots.iter().enumerate() {
            let mut run = CHARGE.run(self.now);
            run.bucket(charge.name.clone(), [charge.interval, charge.limit.into(), charge.cost.into()]);
            let outcome = self.send(charge.slot, &run, deadline).await.and_then(|response| match *response {
                [admitted, until_full] => Ok([admitted, until_full]),
                _ => Err("the response is not that of the script".into()),
            });
            let is_admitted = matches!(outcome, Ok([1, _]));
            if !is_admitted {
                self.give_back(slots.get(..done).unwrap_or_default()).await;
            }
            outcomes.push((charge.position, outcome?));
            if !is_admitted {
                break;
            }
        }
        Ok(outcomes)
    }

    /// A bucket that cannot be reached stays charged.
    async fn give_back(&self, charged: &[SlotCharge]) {
        let deadline = Deadline::after(self.timeout);
        for charge in charged.iter().filter(|charge| charge.cost > 0) {
            let mut run = GIVE_BACK.run(self.now);
            run.bucket(charge.name.clone(), [charge.interval, charge.cost.into()]);
            let _ = self.send(charge.slot, &run, deadline).await;
        }
    }

    /// Runs a script on the node that has a slot, wherever the slot moves meanwhile.
    async fn send(&self, slot: usize, run: &ScriptRun, deadline: Deadline) -> Result<Vec<u64>, ComponentError> {
        let mut node = self.topology.node_of(slot, deadline).await?;
        let mut asks = false;
        for _ in 0..MOST_SENDS {
            // Without this a node would seem to fail that was given no time.
            if deadline.left().is_zero() {
                return Err("the cluster did not charge in time".into());
            }
            if !node.outage.may_send() {
                return Err(format!("{node}: Redis failed just now").into());
            }
            let reply = node.run(run, asks, deadline).await;
            if reply.is_ok() {
                node.outage.end();
            }
            match reply {
                Ok(NodeReply::Done(response)) => return Ok(response),
                Ok(NodeReply::Moved(address)) => {
                    node = self.topology.moved(slot, &address)?;
                    asks = false;
                }
                Ok(NodeReply::Ask(address)) => {
                    node = self.topology.node(&address)?;
                    asks = true;
                }
                Err(error) => {
                    self.topology.failed(&node, &error);
                    // A replica may have become the master of the slot.
                    match self.topology.successor(slot, &node, deadline).await {
                        Some(successor) => node = successor,
                        None => return Err(error),
                    }
                    asks = false;
                }
            }
        }
        Err("the cluster redirected too often".into())
    }
}

/// Returns the states of the buckets in the order in which they were declared, up to the one that refused. Those before that one, which
/// were given back or never charged, are reported nowhere.
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
