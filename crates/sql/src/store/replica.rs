//! Defines [`Replica`], a read replica for lists that allow stale data. During an outage of the replica, the primary serves these lists.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use restwright_core::report::Report;
use restwright_core::runtime::log;
use restwright_core::{OutageLog, OutageSummary};

use crate::connections::Connections;

/// The time during which reads use the primary database after the replica has failed. One read then tries the replica again.
const PAUSE: Duration = Duration::from_secs(1);

/// The replica of a store. During an outage of the replica, the primary serves its reads.
pub(crate) struct Replica {
    pub(crate) url: String,
    pub(crate) connections: Connections,
    created: Instant,
    /// The time of the next attempt to use the replica, in microseconds since `created`. It is 0 without an outage.
    next: AtomicU64,
    /// The number of reads that the primary served instead of the replica.
    fallbacks: AtomicU64,
    log: Mutex<OutageLog>,
}

impl Replica {
    pub(crate) fn new(url: String, connections: Connections) -> Self {
        Self {
            url,
            connections,
            created: Instant::now(),
            next: AtomicU64::new(0),
            fallbacks: AtomicU64::new(0),
            log: Mutex::default(),
        }
    }

    /// Returns `true` if a read may use the replica. During an outage, only one read after each pause may use it.
    pub(crate) fn may_read(&self) -> bool {
        let next = self.next.load(Ordering::Relaxed);
        if next == 0 {
            return true;
        }
        let is_due = self.now() >= next;
        let is_first =
            is_due && self.next.compare_exchange(next, self.later(), Ordering::Relaxed, Ordering::Relaxed).is_ok();
        if !is_first {
            self.fallbacks.fetch_add(1, Ordering::Relaxed);
        }
        is_first
    }

    /// Records that a read from the replica failed. The primary then serves the read.
    pub(crate) fn failed(&self, error: &impl fmt::Display) {
        self.fallbacks.fetch_add(1, Ordering::Relaxed);
        self.next.store(self.later(), Ordering::Relaxed);
        let line = self.log.lock().unwrap_or_else(PoisonError::into_inner).failed(self.created.elapsed());
        if let Some(OutageSummary { failures, seconds }) = line {
            log(|| tracing::warn!(%error, failures, seconds, "the replica failed, so lists are read from the primary"));
        }
    }

    /// Records that a read from the replica succeeded.
    pub(crate) fn worked(&self) {
        if self.next.load(Ordering::Relaxed) == 0 || self.next.swap(0, Ordering::Relaxed) == 0 {
            return;
        }
        let ended = self.log.lock().unwrap_or_else(PoisonError::into_inner).ended(self.created.elapsed());
        if let Some(OutageSummary { failures, seconds }) = ended {
            log(|| tracing::info!(failures, seconds, "lists are read from the replica again"));
        }
    }

    pub(crate) fn report(&self, report: &mut Report) {
        let is_used = if self.next.load(Ordering::Relaxed) == 0 { 1.0 } else { 0.0 };
        report.gauge("store_replica_used", "1 while stale lists are read from the replica, otherwise 0.", is_used);
        let fallbacks = self.fallbacks.load(Ordering::Relaxed);
        report.counter(
            "store_replica_fallbacks",
            "Stale reads that the primary served instead of the replica.",
            fallbacks,
        );
    }

    fn now(&self) -> u64 {
        u64::try_from(self.created.elapsed().as_micros()).unwrap_or(u64::MAX)
    }

    fn later(&self) -> u64 {
        self.now().saturating_add(u64::try_from(PAUSE.as_micros()).unwrap_or(u64::MAX))
    }
}
