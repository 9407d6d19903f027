//! Defines [`SlowLog`], which counts slow statements.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use restwright_core::{OutageLog, OutageSummary};

/// The maximum number of statements of an entity and an operation that are counted separately.
const STATEMENTS: usize = 20;

/// Counts the slow statements of a store by entity, operation and SQL.
#[derive(Clone, Debug)]
pub(crate) struct SlowLog(Arc<Inner>);

/// The slow runs of each statement, by a hash of its SQL.
type Statements = BTreeMap<u64, OutageLog>;

#[derive(Debug)]
struct Inner {
    begun: Instant,
    outages: Mutex<BTreeMap<(String, &'static str), Statements>>,
}

impl Default for SlowLog {
    fn default() -> Self {
        Self(Arc::new(Inner { begun: Instant::now(), outages: Mutex::default() }))
    }
}

impl SlowLog {
    /// Counts a slow statement. Returns the count since the last log line, or `None` if no log line is due.
    pub(crate) fn count(&self, entity: &str, operation: &'static str, sql: &str) -> Option<OutageSummary> {
        let now = self.0.begun.elapsed();
        let mut outages = self.0.outages.lock().unwrap_or_else(PoisonError::into_inner);
        let statements = outages.entry((entity.to_owned(), operation)).or_default();
        let mut hasher = DefaultHasher::new();
        sql.hash(&mut hasher);
        let is_full = statements.len() >= STATEMENTS;
        let key = Some(hasher.finish()).filter(|hash| !is_full || statements.contains_key(hash));
        let outage = statements.entry(key.unwrap_or_default()).or_default();
        outage.ended_by_itself(now);
        outage.failed(now)
    }
}
