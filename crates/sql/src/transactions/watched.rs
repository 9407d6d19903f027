//! Logs slow statements with their query plans.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use restwright_core::OutageSummary;
use restwright_core::runtime::log;
use restwright_list::ValueType;
use sea_query::Value as SqlValue;
use tracing::Span;

use crate::connections::{Access, Connections};
use crate::dialect::{Bound, Dialect};
use crate::driver::{Cell, SqlRow};
use crate::settings::StoreSettings;
use crate::table::Table;
use crate::transactions::{Failure, Lease};

/// The maximum time that a slow request waits for `EXPLAIN`.
const PLAN_LIMIT: Duration = Duration::from_secs(1);

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
    pub(crate) fn begin(settings: &'w StoreSettings, table: &'w Table, operation: &'static str) -> Self {
        let entity = table.definition.name();
        let span = tracing::info_span!(
            target: "restwright::export",
            "statement",
            otel.name = tracing::field::Empty,
            otel.kind = "client",
            db.system.name = table.dialect.system,
            db.operation.name = operation,
            db.collection.name = table.name,
        );
        if !span.is_disabled() {
            span.record("otel.name", tracing::field::display(format_args!("{operation} {}", table.name)));
        }
        Self { began: Instant::now(), settings, entity, operation, span }
    }

    /// Leaves a wait out of the duration.
    pub(crate) fn without(self, wait: Duration) -> Self {
        Self { began: self.began + wait, ..self }
    }

    /// Measures the duration from now on.
    pub(crate) fn begin_again(self) -> Self {
        Self { began: Instant::now(), ..self }
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

impl Lease<'_> {
    /// Runs a statement that changes rows, and measures its duration. Returns the number of changed rows.
    pub(crate) async fn change(
        &mut self,
        table: &Table,
        operation: &'static str,
        bound: Bound,
    ) -> Result<u64, Failure> {
        let settings = self.settings();
        let watched = Watched::begin(&settings, table, operation);
        let changed = self.execute(table, bound.sql, bound.values).await;
        watched.without(self.waited()).end("", async { None }).await;
        changed
    }
}

/// Returns the query plan of a statement. Uses the connection of the statement's lease.
pub(crate) async fn plan_within(lease: &mut Lease<'_>, sql: &str, values: Vec<SqlValue>) -> Option<String> {
    let rows = lease.fetch(None, explained(lease.dialect(), sql), values).await.ok()?;
    Some(lines(lease.dialect(), &rows))
}

/// Returns the query plan of a statement that may still be running. Uses another connection.
pub(crate) async fn plan_elsewhere(connections: &Connections, sql: &str, values: Vec<SqlValue>) -> Option<String> {
    let planning = async {
        let mut lease = Lease::own(connections, Access::List(""), None).await.ok()?;
        let plan = plan_within(&mut lease, sql, values).await;
        lease.finish().await.ok()?;
        plan
    };
    tokio::time::timeout(PLAN_LIMIT, planning).await.ok()?
}

fn explained(dialect: &Dialect, sql: &str) -> Arc<str> {
    format!("{} {sql}", dialect.explain).into()
}

fn lines(dialect: &Dialect, rows: &[SqlRow]) -> String {
    let lines = rows.iter().map(|row| match row.cell(dialect.plan_column, ValueType::Text) {
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
