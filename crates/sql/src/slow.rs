//! Logs slow statements with their query plans.

use std::collections::BTreeMap;
use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use restwright_core::runtime::log;
use restwright_core::{OutageLog, OutageSummary};
use restwright_list::ValueType;
use sea_query::Value as SqlValue;
use tracing::Span;

use crate::cell::Cell;
use crate::connections::{Access, Connections};
use crate::dialect::{Dialect, DriverRow};
use crate::lease::{Failure, Lease};
use crate::settings::StoreSettings;
use crate::statements::Bound;
use crate::store::DatabaseStore;
use crate::table::Table;

/// The maximum time that a slow request waits for `EXPLAIN`.
const PLAN_LIMIT: Duration = Duration::from_secs(1);

impl<D: Dialect> DatabaseStore<D> {
    /// Sets the duration after which a statement is logged as slow, 1 second by default. `Duration::MAX` disables the log.
    ///
    /// The warning contains the entity, the operation and the time. For reads, it also contains the plan of the statement from `EXPLAIN`, without
    /// string values. For each entity, operation and statement, the log contains the first slow run, and then one per minute with their number. Reads
    /// with the same filters and order are the same statement. After 20 statements of an entity and an operation, all others count as one.
    #[must_use]
    pub fn slow_statements(self, after: Duration) -> Self {
        self.set(|plan| plan.settings.slow_after = after)
    }
}

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
    fn count(&self, entity: &str, operation: &'static str, sql: &str) -> Option<OutageSummary> {
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

/// A running statement whose duration is measured.
pub(crate) struct Watched<'w> {
    began: Instant,
    settings: &'w StoreSettings,
    entity: &'w str,
    operation: &'static str,
    /// The span of the statement, for exported traces. It contains no values.
    span: Span,
}

impl<'w> Watched<'w> {
    pub(crate) fn begin<D: Dialect>(settings: &'w StoreSettings, table: &'w Table, operation: &'static str) -> Self {
        let entity = table.definition.name();
        let span = tracing::info_span!(
            target: "restwright::export",
            "statement",
            otel.name = tracing::field::Empty,
            otel.kind = "client",
            db.system.name = D::SYSTEM,
            db.operation.name = operation,
            db.collection.name = table.name,
        );
        if !span.is_disabled() {
            span.record("otel.name", tracing::field::display(format_args!("{operation} {}", table.name)));
        }
        Self { began: Instant::now(), settings, entity, operation, span }
    }

    /// Counts the statement, and logs it if it was slow and a log line is due. `plan` is awaited only for the log line. All changes of an entity
    /// and an operation have the same `sql`, an empty string.
    pub(crate) async fn end(mut self, sql: &str, plan: impl Future<Output = Option<String>>) {
        let elapsed = self.began.elapsed();
        // Ends the span before the plan is read.
        self.span = Span::none();
        self.settings.counts.statement(self.entity, self.operation, elapsed);
        if elapsed < self.settings.slow_after {
            return;
        }
        let Some(slow) = self.settings.slow.count(self.entity, self.operation, sql) else { return };
        let plan = plan.await.unwrap_or_else(|| "unknown".to_owned());
        let OutageSummary { failures, seconds } = slow;
        let (entity, operation) = (self.entity, self.operation);
        log(|| {
            tracing::warn!(
                entity,
                operation,
                milliseconds = elapsed.as_millis(),
                statements = failures,
                seconds,
                plan,
                "a statement was slow"
            );
        });
    }
}

impl<D: Dialect> Lease<'_, D> {
    /// Runs a statement that changes rows, and measures its duration. Returns the number of changed rows.
    pub(crate) async fn change(
        &mut self,
        table: &Table,
        operation: &'static str,
        bound: Bound,
    ) -> Result<u64, Failure> {
        let settings = self.settings();
        let watched = Watched::begin::<D>(&settings, table, operation);
        let changed = self.execute(table, bound.sql, bound.values).await;
        watched.end("", async { None }).await;
        changed
    }
}

/// Returns the query plan of a statement. Uses the connection of the statement's lease.
pub(crate) async fn plan_within<D: Dialect>(
    lease: &mut Lease<'_, D>,
    sql: &str,
    values: Vec<SqlValue>,
) -> Option<String> {
    let rows = lease.fetch(None, explained::<D>(sql), values).await.ok()?;
    Some(lines::<D>(&rows))
}

/// Returns the query plan of a statement that may still be running. Uses another connection.
pub(crate) async fn plan_elsewhere<D: Dialect>(
    connections: &Connections<D>,
    sql: &str,
    values: Vec<SqlValue>,
) -> Option<String> {
    let planning = async {
        let mut lease = Lease::own(connections, Access::List(""), None).await.ok()?;
        let plan = plan_within(&mut lease, sql, values).await;
        lease.finish().await.ok()?;
        plan
    };
    tokio::time::timeout(PLAN_LIMIT, planning).await.ok()?
}

fn explained<D: Dialect>(sql: &str) -> Arc<str> {
    format!("{} {sql}", D::EXPLAIN).into()
}

fn lines<D: Dialect>(rows: &[DriverRow<D>]) -> String {
    let lines = rows.iter().map(|row| match D::cell(row, D::PLAN_COLUMN, ValueType::Text) {
        Ok(Cell::Text(line)) => line.to_owned(),
        _ => String::new(),
    });
    without_texts(&lines.collect::<Vec<_>>().join("\n"))
}

/// Replaces each string literal in a query plan with `'..'`, because strings may be personal data. A literal may span several lines.
fn without_texts(plan: &str) -> String {
    let parts = plan.split('\'').enumerate();
    parts.map(|(place, part)| if place % 2 == 0 { part } else { "'..'" }).collect()
}

impl fmt::Debug for Watched<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Watched({} {})", self.operation, self.entity)
    }
}

#[cfg(test)]
mod tests {
    use super::without_texts;

    #[test]
    fn removes_strings_from_plans() {
        for (plan, expected) in [
            ("Seq Scan on pets\n  Filter: (rank > 5)", "Seq Scan on pets\n  Filter: (rank > 5)"),
            ("Filter: ((a = 'it''s\nmine'::text) AND (b < 'x'))", "Filter: ((a = '..''..'::text) AND (b < '..'))"),
            // The plan is cut off within a string.
            ("Filter: (a = 'secret", "Filter: (a = '..'"),
        ] {
            assert_eq!(without_texts(plan), expected);
        }
    }
}
