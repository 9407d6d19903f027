//! The nodes of a cluster, as far as they are known.

use std::collections::HashMap;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use restwright_core::{Clock, ComponentError};
use tokio::time::timeout;

use super::node::Node;
use super::seeds::Seeds;
use super::slots::{NodeAddress, SLOTS, SlotRange};
use crate::redis::connection::Deadline;
use crate::redis::outage::Outage;

/// Which node has which slot: read from any node at first, and again when a node fails or redirects.
pub(super) struct Topology {
    seeds: Seeds,
    known: Mutex<Known>,
    /// Held by the one that reads the slots.
    reading: tokio::sync::Mutex<()>,
    /// The last failure to read them.
    problem: Mutex<Option<ComponentError>>,
    /// The number of times that the slots were read.
    readings: AtomicU64,
    /// While no node says who has a slot.
    outage: Outage,
    failures: AtomicU64,
}

struct Known {
    nodes: HashMap<NodeAddress, Arc<Node>>,
    /// By slot.
    owners: Vec<Option<Arc<Node>>>,
}

/// The longest time that one node has to say who has which slots.
const READING: Duration = Duration::from_secs(1);

impl Topology {
    pub(super) fn new(seeds: Seeds) -> Self {
        let outage = Outage::new(Clock::system());
        Self {
            seeds,
            known: Mutex::new(Known { nodes: HashMap::new(), owners: vec![None; SLOTS] }),
            reading: tokio::sync::Mutex::default(),
            problem: Mutex::default(),
            readings: AtomicU64::new(0),
            outage,
            failures: AtomicU64::new(0),
        }
    }

    pub(super) fn is_connected(&self) -> bool {
        !self.outage.is_ongoing() && self.known().nodes.values().all(|node| !node.outage.is_ongoing())
    }

    pub(super) fn failures(&self) -> u64 {
        self.failures.load(Ordering::Relaxed)
    }

    /// Returns the node that has a slot, which is read if it is not known.
    pub(super) async fn node_of(
        self: &Arc<Self>,
        slot: usize,
        deadline: Deadline,
    ) -> Result<Arc<Node>, ComponentError> {
        if let Some(owner) = self.owner(slot) {
            return Ok(owner);
        }
        if !self.outage.may_send() {
            return Err("no node of the cluster responded just now".into());
        }
        self.read_within(deadline).await;
        match self.owner(slot) {
            Some(owner) => {
                self.outage.end();
                Ok(owner)
            }
            None => {
                let problem = self.problem.lock().unwrap_or_else(PoisonError::into_inner).take();
                let problem = problem.map_or_else(|| "no response in time".to_owned(), |problem| problem.to_string());
                let error = format!("no node of the cluster says which has the slot of a bucket: {problem}");
                self.failures.fetch_add(1, Ordering::Relaxed);
                self.outage.begin(&error);
                Err(error.into())
            }
        }
    }

    /// Returns the node of an address.
    pub(super) fn node(&self, address: &NodeAddress) -> Result<Arc<Node>, ComponentError> {
        self.known().node(address, &self.seeds)
    }

    /// Notes that a slot belongs to a node, and reads the others, since one rarely moves alone.
    pub(super) fn moved(self: &Arc<Self>, slot: usize, address: &NodeAddress) -> Result<Arc<Node>, ComponentError> {
        let mut known = self.known();
        let node = known.node(address, &self.seeds)?;
        if let Some(owner) = known.owners.get_mut(slot) {
            *owner = Some(node.clone());
        }
        drop(known);
        if self.reading.try_lock().is_ok() {
            let this = self.clone();
            let seen = self.readings.load(Ordering::Relaxed);
            tokio::spawn(async move { this.read(seen).await });
        }
        Ok(node)
    }

    /// Notes that a command failed.
    pub(super) fn failed(&self, node: &Node, error: &impl fmt::Display) {
        self.failures.fetch_add(1, Ordering::Relaxed);
        node.outage.begin(error);
    }

    /// Returns the node that has a slot instead of one that failed, if there is one by now.
    pub(super) async fn successor(
        self: &Arc<Self>,
        slot: usize,
        failed: &Arc<Node>,
        deadline: Deadline,
    ) -> Option<Arc<Node>> {
        self.read_within(deadline).await;
        self.owner(slot).filter(|owner| !Arc::ptr_eq(owner, failed))
    }

    /// Reads the slots, and waits for that within a deadline. Reading goes on after it.
    async fn read_within(self: &Arc<Self>, deadline: Deadline) {
        let (this, seen) = (self.clone(), self.readings.load(Ordering::Relaxed));
        let reading = tokio::spawn(async move { this.read(seen).await });
        let _ = timeout(deadline.left(), reading).await;
    }

    /// Reads the slots from the first node that responds, unless another did so after `seen` readings.
    async fn read(&self, seen: u64) {
        let _reading = self.reading.lock().await;
        if self.readings.load(Ordering::Relaxed) != seen {
            return;
        }
        for node in self.readers() {
            let problem = match node.slots(Deadline::after(READING)).await {
                Ok(ranges) if ranges.is_empty() => format!("{node}: it has no slots").into(),
                Ok(ranges) => {
                    self.learn(&ranges);
                    break;
                }
                Err(problem) => problem,
            };
            *self.problem.lock().unwrap_or_else(PoisonError::into_inner) = Some(problem);
        }
        self.readings.fetch_add(1, Ordering::Relaxed);
    }

    /// Returns the nodes to ask: first those that work, then those of the application's, and then those that failed.
    fn readers(&self) -> Vec<Arc<Node>> {
        let mut known = self.known();
        let seeds = self.seeds.addresses().iter();
        let seeds: Vec<_> = seeds.filter_map(|address| known.node(address, &self.seeds).ok()).collect();
        let mut readers: Vec<_> = known.owners.iter().flatten().cloned().collect();
        readers.dedup_by(|one, other| Arc::ptr_eq(one, other));
        readers.extend(seeds);
        readers.sort_by_key(|node| node.outage.is_ongoing());
        let mut seen = Vec::<NodeAddress>::new();
        readers.retain(|node| {
            let is_new = !seen.contains(node.address());
            seen.extend(is_new.then(|| node.address().clone()));
            is_new
        });
        readers
    }

    /// Replaces what is known, but for nodes that are still there. One that has no slot any more is no outage.
    fn learn(&self, ranges: &[SlotRange]) {
        let mut known = self.known();
        let mut owners = vec![None; SLOTS];
        for SlotRange { first, last, address } in ranges {
            let Ok(node) = known.node(address, &self.seeds) else { continue };
            for owner in owners.iter_mut().take(last.saturating_add(1)).skip(*first) {
                *owner = Some(node.clone());
            }
        }
        known.owners = owners;
        known.nodes.retain(|address, node| {
            let has_slots = ranges.iter().any(|range| range.address == *address);
            if !has_slots {
                node.outage.end();
            }
            has_slots || self.seeds.addresses().contains(address)
        });
    }

    fn owner(&self, slot: usize) -> Option<Arc<Node>> {
        self.known().owners.get(slot)?.clone()
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Known {
    fn node(&mut self, address: &NodeAddress, seeds: &Seeds) -> Result<Arc<Node>, ComponentError> {
        if let Some(node) = self.nodes.get(address) {
            return Ok(node.clone());
        }
        let node = Arc::new(Node::new(address.clone(), seeds)?);
        self.nodes.insert(address.clone(), node.clone());
        Ok(node)
    }
}
