//! Reports the numbers of connections.

use std::sync::atomic::Ordering;

use restwright_core::report::{Report, SampleValue};

#[cfg(feature = "postgres")]
use super::lock;
#[cfg(feature = "sqlite")]
use super::own_pool::OwnPool;
#[cfg(feature = "postgres")]
use super::worker_pool::WorkerPool;
use super::{Connections, Source};

impl Connections {
    /// Adds the numbers of connections to a metrics report.
    #[expect(clippy::cast_precision_loss, reason = "counts of connections are far below 2^52")]
    pub(crate) fn report(&self, report: &mut Report) {
        let (used, idle, most) = self.usage();
        for (state, count) in [("used", used), ("idle", idle)] {
            let count = SampleValue::Gauge(count as f64);
            report.labelled("db_client_connections", "Open connections.", [("state", state)], count);
        }
        report.gauge("db_client_connections_max", "The maximum number of connections.", most as f64);
        #[cfg(feature = "sqlite")]
        if let Source::Sqlite { inline, pools, .. } = &self.source {
            inline.report(report);
            pools.get().into_iter().for_each(|pools| pools.groups.report(report));
        }
        let pending = self.waiting.load(Ordering::Relaxed) as f64;
        report.gauge("db_client_connections_pending", "Statements that wait for a connection.", pending);
    }

    /// Returns the number of connections in use, of idle connections, and the maximum of both together.
    fn usage(&self) -> (usize, usize, usize) {
        let sum =
            |sum: (usize, usize, usize), one: (usize, usize, usize)| (sum.0 + one.0, sum.1 + one.1, sum.2 + one.2);
        match &self.source {
            Source::Given(pool) => {
                let (open, idle) = pool.usage();
                (open.saturating_sub(idle), idle, pool.most() as usize)
            }
            Source::Invalid(_) => (0, 0, 0),
            #[cfg(feature = "sqlite")]
            Source::Sqlite { pools, inline, .. } => {
                let inline = inline.open();
                pools
                    .get()
                    .into_iter()
                    .flat_map(|pools| pools.counted())
                    .map(OwnPool::usage)
                    .fold((0, inline, inline), sum)
            }
            #[cfg(feature = "postgres")]
            Source::Postgres { workers, .. } => {
                let workers = lock(workers);
                workers.iter().filter(|pool| !pool.is_closed()).map(WorkerPool::usage).fold((0, 0, 0), sum)
            }
        }
    }
}
