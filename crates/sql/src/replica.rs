//! Defines [`Replica`], a read replica for lists that allow stale data. During an outage of the replica, the primary serves these lists.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use restwright_core::report::Report;
use restwright_core::runtime::log;
use restwright_core::{OutageLog, OutageSummary};
use restwright_resource::{Statement, StoreError};
use sea_query::Value as SqlValue;

use crate::connections::{Access, Connections};
use crate::dialect::{Dialect, DriverRow};
use crate::lease::Lease;
use crate::slow::{Watched, plan_elsewhere, plan_within};
use crate::store::{DatabaseStore, Shared};
use crate::table::Table;
use crate::transaction::SqlTransaction;

/// The time during which reads use the primary database after the replica has failed. One read then tries the replica again.
const PAUSE: Duration = Duration::from_secs(1);

/// The replica of a store. During an outage of the replica, the primary serves its reads.
pub(crate) struct Replica<D: Dialect> {
    pub(crate) url: String,
    pub(crate) connections: Connections<D>,
    created: Instant,
    /// The time of the next attempt to use the replica, in microseconds since `created`. It is 0 without an outage.
    next: AtomicU64,
    /// The number of reads that the primary served instead of the replica.
    fallbacks: AtomicU64,
    log: Mutex<OutageLog>,
}

impl<D: Dialect> Replica<D> {
    pub(crate) fn new(url: String, connections: Connections<D>) -> Self {
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

impl<D: Dialect> DatabaseStore<D> {
    /// Reads rows from the replica or from the primary. Stale reads use the replica if it works. All other reads use the primary.
    pub(crate) async fn read_rows(
        &self,
        (access, operation): (Access<'_>, &'static str),
        statement: &mut Statement<'_>,
        table: &Table,
        sql: Arc<str>,
        values: Vec<SqlValue>,
    ) -> Result<Vec<DriverRow<D>>, StoreError> {
        let is_stale = statement.allows_stale() && statement.transaction::<SqlTransaction<D>>()?.is_none();
        if let Some(replica) = self.shared.replica.as_ref().filter(|replica| is_stale && replica.may_read()) {
            // Only stale lists read the replica, so they may use all of its connections.
            let (connections, sql, values) = (&replica.connections, sql.clone(), values.clone());
            match self.read_by(connections, (Access::Read, operation), None, table, sql, values).await {
                Ok(rows) => {
                    replica.worked();
                    return Ok(rows);
                }
                // A statement that cannot succeed also fails on the primary.
                Err(error) => replica.failed(&error),
            }
        }
        self.read_by(&self.shared.connections, (access, operation), statement.transaction()?, table, sql, values).await
    }

    async fn read_by(
        &self,
        connections: &Connections<D>,
        (access, operation): (Access<'_>, &'static str),
        transaction: Option<&mut SqlTransaction<D>>,
        table: &Table,
        sql: Arc<str>,
        values: Vec<SqlValue>,
    ) -> Result<Vec<DriverRow<D>>, StoreError> {
        let is_within = transaction.is_some();
        let mut lease = Lease::new(self, connections, access, transaction).await?;
        let watched = Watched::begin::<D>(&self.shared.settings, table, operation);
        let kept = values.clone();
        match lease.fetch(table, Arc::clone(&sql), values).await {
            Ok(rows) => {
                watched.end(&sql, plan_within(&mut lease, &sql, kept)).await;
                lease.finish().await?;
                Ok(rows)
            }
            Err(failed) => {
                drop(lease);
                // The connection of a transaction is not used for the plan, and there may be no other connection.
                let plan = async { if is_within { None } else { plan_elsewhere(connections, &sql, kept).await } };
                watched.end(&sql, plan).await;
                Err(failed.into())
            }
        }
    }
}

impl<D: Dialect> Shared<D> {
    /// Runs the query of a readiness check. Returns `false` if it has no rows.
    pub(crate) async fn check(
        &self,
        connections: &Connections<D>,
        access: Access<'_>,
        sql: &'static str,
    ) -> Result<bool, StoreError> {
        let Some(mut lease) = Lease::<D>::of_check(connections, access).await? else { return Ok(true) };
        let rows = lease.fetch(None, sql.into(), Vec::new()).await?;
        lease.finish().await?;
        Ok(!rows.is_empty())
    }
}
