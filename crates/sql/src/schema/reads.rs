//! Tests how many rows the database reads for each list in the guide on databases.

#![cfg(all(feature = "postgres", feature = "sqlite"))]

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use restwright_core::Component;
use restwright_list::{Comparison, Direction, Expression, Position, SortBag, Value, ValueType, Window};
use restwright_resource::{EntityDefinition, FieldDefinition, IdentifierKind, ListQuery, Scope};
use sea_query::Value as SqlValue;

use super::plans::order;
use crate::connections::{Access, Held};
use crate::dialect::Dialect;
use crate::driver::{Cell, Connection, SqliteConnection};
use crate::statements::{condition, select};
use crate::store::SqlStore;

/// The number of items on a page.
const LIMIT: u32 = 20;

/// The number of rows in a small test table, and the maximum cost of a list. The cost is a multiple of the cost of reading one page.
const FEW: (u32, u64) = (50_000, 10);
const MANY: (u32, u64) = (1_000_000, 100);

/// Returns two entity definitions for the tickets in the guide on databases. Only the second definition has a scope.
fn definitions() -> [EntityDefinition; 2] {
    let indexed = |definition: EntityDefinition| {
        definition
            .field(FieldDefinition::new("customer", ValueType::Integer))
            .field(FieldDefinition::new("status", ValueType::Text))
            .field(FieldDefinition::new("priority", ValueType::Integer).sortable())
            .index(["customer"])
            .index(["status"])
            .index(["status", "priority"])
    };
    let scoped = EntityDefinition::new("scoped_tickets", "id", IdentifierKind::Integer);
    let scoped = scoped.field(FieldDefinition::new("tenant", ValueType::Integer).scope());
    [indexed(EntityDefinition::new("tickets", "id", IdentifierKind::Integer)), indexed(scoped)]
}

/// Returns the SQL statements that insert the test rows. Each customer has ten rows. A fifth of the rows have the status `open`, and ten
/// rows have the status `lost`. The rows with the largest identifiers belong to the second tenant.
fn fill(rows: u32) -> Vec<String> {
    let numbers = format!("WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < {rows})");
    let customers = rows / 10;
    let status =
        format!("CASE WHEN n % {customers} = 5 THEN 'lost' WHEN n % 5 = 0 THEN 'open' ELSE 'closed ' || n % 5 END");
    let values = format!("n % {customers}, {status}, n * 7 % 1000");
    vec![
        format!("{numbers} INSERT INTO tickets (customer, status, priority) SELECT {values} FROM n"),
        format!(
            "{numbers} INSERT INTO scoped_tickets (tenant, customer, status, priority) SELECT CASE WHEN n < {} THEN 1 ELSE 2 END, {values} FROM n",
            rows / 2
        ),
        "ANALYZE tickets".to_owned(),
        "ANALYZE scoped_tickets".to_owned(),
    ]
}

/// Inserts rows into the tables and checks the query cost of each list operation. `cost` returns the cost of a statement, in units of
/// reading the rows of one page.
async fn check(
    store: &SqlStore,
    (rows, most): (u32, u64),
    cost: impl AsyncFn(&mut Held, Arc<str>, Vec<SqlValue>) -> (u64, String),
) {
    definitions().iter().for_each(|definition| store.declare(definition).unwrap());
    store.start().await.unwrap();
    let mut connection = store.shared.connections.acquire(Access::Write).await.unwrap();
    for sql in fill(rows) {
        connection.connection().run(sql.into()).await.unwrap();
    }
    let is = |field: &'static str, value: Value<'static>| Expression::condition(field, Comparison::Eq(value));
    let (customer, status) = (|| is("customer", 7.into()), |status: &'static str| is("status", status.into()));
    let filters = [
        Expression::TRUE,
        customer(),
        status("open"),
        status("lost"),
        status("none"),
        customer().and(status("open")),
        customer().and(status("none")),
    ];
    let (mut costly, mut largest) = (Vec::new(), 0);
    for definition in definitions() {
        let is_scoped = definition.scope_fields().next().is_some();
        let scope = if is_scoped { Scope::new().with("tenant", 2) } else { Scope::new() };
        let table = store.shared.table(&definition).unwrap();
        for filter in &filters {
            for (field, direction) in [("id", Direction::Ascending), ("id", Direction::Descending)]
                .into_iter()
                .chain([("priority", Direction::Ascending), ("priority", Direction::Descending)])
            {
                let order = order(field, direction);
                for position in [None, Some(middle(&order, rows))] {
                    let window = Window::seek(position.as_ref(), LIMIT);
                    let query = ListQuery::new(filter.clone(), &order, &window);
                    let all =
                        if let Expression::All(all) = filter { all.as_slice() } else { std::slice::from_ref(filter) };
                    let conditions = all.iter().map(|one| condition::expression(&table, one).unwrap()).collect();
                    let (sql, values) =
                        store.dialect().build(&select::list(&|_| None, &table, &scope, conditions, &query).unwrap());
                    let (multiple, plan) = cost(&mut connection, sql.as_str().into(), values).await;
                    largest = largest.max(multiple);
                    if multiple > most {
                        costly.push(format!("{multiple} times the page: {sql}\n{filter:?}\n{plan}"));
                    }
                }
            }
        }
    }
    println!("the largest cost on {} is {largest} times the page, at {rows} rows", store.dialect().name());
    assert!(costly.is_empty(), "{}", costly.join("\n\n"));
}

/// Returns a cursor position within a sorted list. The next page starts after this position.
fn middle(order: &SortBag, rows: u32) -> Position {
    let fields = order.iter().map(|entry| {
        let value = if entry.name() == "id" { rows / 4 * 3 } else { 500 };
        (entry.name().to_owned().into(), entry.direction, i64::from(value).into())
    });
    Position::after(fields.collect::<Vec<_>>())
}

/// Tests the cost of lists on SQLite. The cost is the number of virtual machine steps. A page of these tables needs about 30 steps per row.
async fn sqlite(size: (u32, u64)) {
    const STEPS_OF_ROW: u64 = 30;
    let file = std::env::temp_dir().join(format!("restwright-reads-{}-{}.db", std::process::id(), size.0));
    let store = SqlStore::new(format!("sqlite://{}", file.display())).migrate();
    check(&store, size, async |connection, sql, values| {
        let steps = Arc::new(AtomicU64::new(0));
        let counted = Arc::clone(&steps);
        let count = move || {
            counted.fetch_add(1, Ordering::Relaxed);
            false
        };
        raw(connection).with(|raw| raw.progress_handler(1, Some(count))).await.unwrap();
        let fetched = connection.connection().fetch(Arc::clone(&sql), values.clone(), false).await.unwrap();
        raw(connection).with(|raw| raw.progress_handler(0, None::<fn() -> bool>)).await.unwrap();
        let rows = u64::try_from(fetched.len()).unwrap();
        assert!(rows <= u64::from(LIMIT) + 1, "{rows}");
        let plan = lines(connection, "EXPLAIN QUERY PLAN", &sql, values).await;
        (steps.load(Ordering::Relaxed) / (u64::from(LIMIT) * STEPS_OF_ROW), plan.join("\n"))
    })
    .await;
    store.stop().await;
    for suffix in ["", "-wal", "-shm"] {
        let _ = std::fs::remove_file(format!("{}{suffix}", file.display()));
    }
}

/// Tests the cost of lists on PostgreSQL. The cost is the number of rows that scans return or remove, or the number of read blocks if it is
/// larger.
async fn postgresql(size: (u32, u64)) {
    let Some(url) = restwright_tests::environment("POSTGRES_URL") else { return };
    let schema = format!("restwright_reads_{}_{}", std::process::id(), size.0);
    let admin = SqlStore::new(url.clone());
    let run = async |sql: String| {
        let mut connection = admin.shared.connections.acquire(Access::Write).await.unwrap();
        connection.connection().run(sql.into()).await.unwrap();
    };
    run(format!("CREATE SCHEMA {schema}")).await;
    let separator = if url.contains('?') { '&' } else { '?' };
    let store = SqlStore::new(format!("{url}{separator}options=-csearch_path%3D{schema}"))
        .statement_timeout(Duration::from_mins(5))
        .migrate();
    check(&store, size, async |connection, sql, values| {
        let plan = lines(connection, "EXPLAIN (ANALYZE, BUFFERS, TIMING OFF)", &sql, values).await;
        let scans = plan.iter().filter(|line| line.contains("Scan")).map(|line| {
            let returned = number_after(line, "(actual rows=");
            returned * number_after(line, " loops=").max(1)
        });
        let removed = plan.iter().map(|line| number_after(line, "Rows Removed by Filter: "));
        let read: u64 = scans.chain(removed).sum();
        // The first line with blocks concerns the whole statement.
        let blocks = plan.iter().find(|line| line.contains("Buffers:"));
        let blocks = blocks.map_or(0, |line| number_after(line, " hit=") + number_after(line, " read="));
        (read.max(blocks) / u64::from(LIMIT), plan.join("\n"))
    })
    .await;
    store.stop().await;
    run(format!("DROP SCHEMA {schema} CASCADE")).await;
}

fn raw(held: &mut Held) -> &mut SqliteConnection {
    match held.connection() {
        Connection::Sqlite(raw) => raw,
        Connection::Postgres(_) => panic!("the store is on PostgreSQL"),
    }
}

/// Returns the lines of a statement's query plan.
pub(super) async fn lines(connection: &mut Held, explain: &str, sql: &str, values: Vec<SqlValue>) -> Vec<String> {
    let mut connection = connection.connection();
    let plan_column = Dialect::of(connection.database()).plan_column;
    let rows = connection.fetch(format!("{explain} {sql}").into(), values, false).await.unwrap();
    let lines = rows.iter().map(|row| match row.cell(plan_column, ValueType::Text).unwrap() {
        Cell::Text(line) => line.to_owned(),
        other => panic!("{other:?}"),
    });
    lines.collect()
}

/// Returns the integer that follows `text` in `line`, or 0 if `line` does not contain `text`.
fn number_after(line: &str, text: &str) -> u64 {
    let Some((_, rest)) = line.split_once(text) else { return 0 };
    rest.split(|one: char| !one.is_ascii_digit()).next().and_then(|digits| digits.parse().ok()).unwrap_or(0)
}

#[tokio::test]
async fn lists_of_sqlite_read_at_most_a_hundred_pages() {
    sqlite(FEW).await;
}

#[tokio::test]
async fn lists_of_postgresql_read_at_most_a_hundred_pages() {
    postgresql(FEW).await;
}

#[tokio::test]
#[ignore = "takes minutes"]
async fn lists_of_a_million_rows_of_sqlite_read_at_most_a_hundred_pages() {
    sqlite(MANY).await;
}

#[tokio::test]
#[ignore = "takes minutes"]
async fn lists_of_a_million_rows_of_postgresql_read_at_most_a_hundred_pages() {
    postgresql(MANY).await;
}
